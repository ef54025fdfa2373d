// Answers the runner's messages one by one: load a submission, prepare a case, run it, hand back what is there.
#include "harness/worker/service.h"

#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>

#include "harness/worker/case_memory.h"
#include "harness/worker/channel.h"
#include "harness/worker/cold_start.h"
#include "harness/worker/crash_report.h"
#include "harness/worker/device_copy.h"
#include "harness/worker/lockdown.h"
#include "harness/worker/runtime.h"
#include "harness/worker/shared_block.h"
#include "harness/worker/signal_table.h"
#include "harness/worker/submission.h"

namespace lanewise {
namespace {

// Far more than a runtime's own small files need, far less than would fill a disk.
constexpr unsigned long kLargestFile = 64UL << 20;
// Where there is no GPU whose driver maps what it likes: its own memory, pinned memory, and what it shares with itself.
constexpr unsigned long kMostMemory = 16UL << 30;
// For how long a timed Go is waited for without sleeping, which would cost tens of microseconds to wake up from.
constexpr std::chrono::milliseconds kSpin(20);

class Service {
 public:
  Service(const ServiceOptions& options, const CudaRuntime& runtime)
      : socket_(options.socket), runtime_(runtime), block_(runtime) {}

  int run();
  bool greet(int listener);

 private:
  bool answer(const Packet& packet);
  bool load(const protocol::Load& load);
  bool prepare(const protocol::Prepare& prepare, int descriptor);
  bool arm(const protocol::Arm& arm);
  bool go();
  bool fetch(bool outputs_only);
  void start_activity(protocol::Done& done);
  void invoke(protocol::Done& done);
  Received wait_for_packet(Packet& packet);
  bool be_ready();
  bool fail(const std::string& sentence);

  int socket_;
  const CudaRuntime& runtime_;
  Submission submission_;
  SharedBlock block_;  // of another process, if that owns the arrays
  std::unique_ptr<CaseMemory> memory_;
  std::unique_ptr<ColdStart> cold_start_;  // if calls are timed
  SignalTable signals_;                    // likewise
  std::unique_ptr<DeviceCopy> copy_;
  protocol::Activity activity_ = protocol::Activity::kCall;
  bool is_go_next_ = false;
};

bool fail_through(int socket, const std::string& sentence) {
  auto failed = protocol::make_message<protocol::Failed>();
  protocol::set_text(failed.sentence, sentence);
  return send_message(socket, failed);
}

bool Service::fail(const std::string& sentence) { return fail_through(socket_, sentence); }

bool Service::greet(int listener) {
  auto hello = protocol::make_message<protocol::Hello>();
  cudaDeviceProp properties{};
  if (const cudaError_t error = runtime_.get_device_properties(&properties, 0); error != cudaSuccess)
    return fail(describe_error(runtime_, "cudaGetDeviceProperties", error));
  protocol::set_text(hello.device, protocol::text_of(properties.name));
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    runtime_.get_attribute(&value, which, 0);
    return static_cast<unsigned>(value);
  };
  std::snprintf(hello.bus_id, sizeof(hello.bus_id), "%08x:%02x:%02x.0", attribute(cudaDevAttrPciDomainId),
                attribute(cudaDevAttrPciBusId), attribute(cudaDevAttrPciDeviceId));
  runtime_.runtime_version(&hello.runtime_version);
  runtime_.driver_version(&hello.driver_version);
  return send_message(socket_, hello, listener);
}

int Service::run() {
  Packet packet;
  for (;;) {
    switch (wait_for_packet(packet)) {
      case Received::kClosed:
        return 0;
      case Received::kPacket:
        if (!answer(packet)) return protocol::kExitChannelLost;
        break;
      case Received::kNothingYet:
      case Received::kBroken:
        return protocol::kExitChannelLost;
    }
  }
}

Received Service::wait_for_packet(Packet& packet) {
  if (is_go_next_ && cold_start_) {
    const auto end = std::chrono::steady_clock::now() + kSpin;
    do {
      const Received received = receive_packet(socket_, packet, Waiting::kNever);
      if (received != Received::kNothingYet) return received;
      sched_yield();  // where cores are few, the runner needs this one to get as far as Go
    } while (std::chrono::steady_clock::now() < end);
  }
  return receive_packet(socket_, packet);
}

bool Service::be_ready() {
  is_go_next_ = true;
  return send_message(socket_, protocol::make_message<protocol::Ready>());
}

bool Service::answer(const Packet& packet) {
  is_go_next_ = false;
  protocol::Load load;
  protocol::Prepare prepare;
  protocol::Arm arm;
  protocol::Go go;
  protocol::Fetch fetch;
  if (read_message(packet, load)) return this->load(load);
  if (read_message(packet, prepare)) return this->prepare(prepare, packet.descriptor);
  if (read_message(packet, arm)) return this->arm(arm);
  if (read_message(packet, go)) return this->go();
  if (read_message(packet, fetch)) return this->fetch(fetch.outputs_only != 0);
  return fail("the worker received a message it does not know: the runner and the worker are different versions");
}

bool Service::load(const protocol::Load& load) {
  if (load.is_timed != 0) {
    signals_.remember();
    cold_start_ = std::make_unique<ColdStart>(runtime_);
    if (const std::string failure = cold_start_->prepare(); !failure.empty()) return fail(failure);
  }
  submission_ = load_submission(protocol::text_of(load.path), protocol::text_of(load.task));
  watch_submission(submission_.base);
  if (!submission_.failure.empty()) return fail(submission_.failure);
  auto loaded = protocol::make_message<protocol::Loaded>();
  loaded.is_defined = submission_.entry->contract != nullptr;
  loaded.is_empty = submission_.is_empty;
  return send_message(socket_, loaded);
}

bool Service::prepare(const protocol::Prepare& prepare, int descriptor) {
  watch_case(nullptr);
  if (cold_start_) signals_.restore();
  // Whatever a call before left on the device ends before the next inputs appear there.
  if (prepare.is_timed != 0 && prepare.is_placed == 0)
    if (const cudaError_t error = runtime_.synchronise(); error != cudaSuccess)
      return fail(describe_error(runtime_, "cudaDeviceSynchronize", error));
  const bool is_in_block = prepare.block_bytes != 0;
  if (descriptor != -1 || prepare.is_placed != 0) {
    memory_.reset();
    memory_ = std::make_unique<CaseMemory>(runtime_, is_in_block ? &block_ : nullptr);
  }
  if (is_in_block && descriptor != -1) {
    if (const std::string failure = block_.map(descriptor, prepare.block_bytes); !failure.empty()) return fail(failure);
  } else if (is_in_block && block_.bytes() != prepare.block_bytes) {
    return fail("the case came before its device memory");
  }
  if (!memory_ || (prepare.is_timed != 0 && !cold_start_)) return fail("the case came before what it needs");
  if (const std::string failure = memory_->prepare(prepare, descriptor); !failure.empty()) return fail(failure);
  watch_case(memory_.get());
  if (prepare.is_timed != 0)
    if (const std::string failure = cold_start_->bring_about(); !failure.empty()) return fail(failure);
  activity_ = protocol::Activity::kCall;
  return be_ready();
}

bool Service::arm(const protocol::Arm& arm) {
  if (!cold_start_) return fail("nothing was to be timed");
  if (arm.activity == protocol::Activity::kCopy) {
    if (!copy_) copy_ = std::make_unique<DeviceCopy>(runtime_);
    if (!copy_->prepare(arm.bytes).empty()) copy_.reset();  // no room: Done will say so
  }
  if (const std::string failure = cold_start_->bring_about(); !failure.empty()) return fail(failure);
  activity_ = arm.activity;
  return be_ready();
}

bool Service::go() {
  if (activity_ == protocol::Activity::kCall && (!memory_ || !submission_.entry || !submission_.entry->contract))
    return fail("there is nothing to run");
  auto done = protocol::make_message<protocol::Done>();
  invoke(done);
  return send_message(socket_, done);
}

void Service::start_activity(protocol::Done& done) {
  if (activity_ == protocol::Activity::kCopy)
    done.ending = copy_ && copy_->start() == cudaSuccess ? protocol::Ending::kReturned : protocol::Ending::kErrorLeft;
  if (activity_ != protocol::Activity::kCall) return;
  const LanewiseCall call = memory_->call();
  try {
    submission_.entry->invoke(&call);
  } catch (const std::exception& error) {
    done.ending = protocol::Ending::kThrew;
    protocol::set_text(done.sentence, error.what());
  } catch (...) {
    done.ending = protocol::Ending::kThrew;
    protocol::set_text(done.sentence, "an object that is no std::exception");
  }
}

void Service::invoke(protocol::Done& done) {
  runtime_.take_last_error();  // of earlier cases
  if (cold_start_) cold_start_->begin();
  start_activity(done);
  const cudaError_t left = runtime_.take_last_error();
  if (cold_start_) cold_start_->end();
  // Where time counts, it runs until the device has finished.
  if (activity_ == protocol::Activity::kCall && memory_->description().is_timed == 0) memory_->settle_outputs();
  const cudaError_t running = runtime_.synchronise();
  runtime_.take_last_error();
  // What it printed must be in the pipe before the runner hears that it is done.
  std::cout.flush();
  std::fflush(nullptr);
  if (done.ending == protocol::Ending::kThrew) return;

  const cudaError_t error = left != cudaSuccess ? left : running;
  if (error == cudaSuccess) return;
  done.cuda_error = error;
  done.ending = left != cudaSuccess ? protocol::Ending::kErrorLeft : protocol::Ending::kErrorRunning;
  protocol::set_text(done.error_name, runtime_.error_name(error));
  protocol::set_text(done.sentence, runtime_.error_text(error));
}

bool Service::fetch(bool outputs_only) {
  if (!memory_) return fail("there is nothing to fetch");
  if (cold_start_) signals_.restore();
  auto fetched = protocol::make_message<protocol::Fetched>();
  if (cold_start_) fetched.event_seconds = cold_start_->seconds();
  if (memory_->description().is_placed == 0)
    fetched.has_arrays = outputs_only ? memory_->fetch_outputs() : memory_->fetch();
  watch_case(nullptr);
  if (memory_->description().is_timed == 0) memory_.reset();
  return send_message(socket_, fetched);
}

// The runtime finds the socket to its devices by its number.
std::string take_devices(int socket) {
  Packet packet;
  protocol::Devices devices;
  if (receive_packet(socket, packet) != Received::kPacket || !read_message(packet, devices) || packet.descriptor == -1)
    return "the virtual GPU is not there: the runner and the worker are different versions";
  setenv("LANEWISE_VGPU_DEVICES_AT", std::to_string(packet.descriptor).c_str(), 1);
  return "";
}

// Everything up to the first message; a sentence if the worker cannot serve.
std::string start(const ServiceOptions& options, SealedRuntime& sealed, Lockdown& lockdown) {
  if (options.has_devices)
    if (std::string failure = take_devices(options.socket); !failure.empty()) return failure;
  if (std::string failure = load_runtime(options.runtime, sealed.writable()); !failure.empty()) return failure;
  if (std::string failure = sealed.seal(); !failure.empty()) return failure;
  const CudaRuntime& runtime = sealed.get();
  if (std::string failure = warm_up(runtime); !failure.empty()) return failure;
  if (std::string failure = report_crashes(options.socket); !failure.empty()) return failure;
  lockdown = lock_down(Refusal::kAskListener, {kLargestFile, options.has_devices ? kMostMemory : 0});
  return lockdown.failure;
}

}  // namespace

int serve(const ServiceOptions& options) {
  // A crash must not take what was printed before it along; a pipe would be buffered in blocks.
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  SealedRuntime runtime;
  Lockdown lockdown;
  if (const std::string failure = start(options, runtime, lockdown); !failure.empty()) {
    fail_through(options.socket, failure);
    return 0;
  }
  Service service(options, runtime.get());
  if (!service.greet(lockdown.listener)) return protocol::kExitChannelLost;
  if (lockdown.listener != -1) close(lockdown.listener);
  return service.run();
}

int probe(const std::string& path) {
  CudaRuntime runtime;
  if (const std::string failure = load_runtime(path, runtime); !failure.empty()) {
    std::fprintf(stderr, "%s\n", failure.c_str());
    return 1;
  }
  int devices = 0;
  if (runtime.get_device_count(&devices) != cudaSuccess) devices = 0;
  cudaDeviceProp properties{};
  if (devices > 0 && runtime.get_device_properties(&properties, 0) != cudaSuccess) devices = 0;
  int major = 0, minor = 0;
  runtime.get_attribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  runtime.get_attribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
  std::printf("%d\n%d\n%s\n", devices, major * 10 + minor, properties.name);
  return 0;
}

}  // namespace lanewise
