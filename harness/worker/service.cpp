// Answers the runner's messages one by one: load a submission, prepare a case, run it, hand back what is there.
#include "harness/worker/service.h"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>

#include "harness/worker/case_memory.h"
#include "harness/worker/channel.h"
#include "harness/worker/crash_report.h"
#include "harness/worker/lockdown.h"
#include "harness/worker/runtime.h"
#include "harness/worker/submission.h"

namespace lanewise {
namespace {

// Far more than a runtime's own small files need, far less than would fill a disk.
constexpr unsigned long kLargestFile = 64UL << 20;

class Service {
 public:
  Service(const ServiceOptions& options, const CudaRuntime& runtime) : socket_(options.socket), runtime_(runtime) {}

  int run();
  bool greet(int listener);

 private:
  bool answer(const Packet& packet);
  bool load(const protocol::Load& load);
  bool prepare(const protocol::Prepare& prepare, int descriptor);
  bool go();
  bool fetch();
  void invoke(protocol::Done& done);
  bool fail(const std::string& sentence);

  int socket_;
  const CudaRuntime& runtime_;
  Submission submission_;
  std::unique_ptr<CaseMemory> memory_;
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
  runtime_.runtime_version(&hello.runtime_version);
  runtime_.driver_version(&hello.driver_version);
  return send_message(socket_, hello, listener);
}

int Service::run() {
  Packet packet;
  for (;;) {
    switch (receive_packet(socket_, packet)) {
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

bool Service::answer(const Packet& packet) {
  protocol::Load load;
  protocol::Prepare prepare;
  protocol::Go go;
  protocol::Fetch fetch;
  if (read_message(packet, load)) return this->load(load);
  if (read_message(packet, prepare)) return this->prepare(prepare, packet.descriptor);
  if (read_message(packet, go)) return this->go();
  if (read_message(packet, fetch)) return this->fetch();
  return fail("the worker received a message it does not know: runner and worker are of different versions");
}

bool Service::load(const protocol::Load& load) {
  submission_ = load_submission(protocol::text_of(load.path), protocol::text_of(load.task));
  if (!submission_.failure.empty()) return fail(submission_.failure);
  auto loaded = protocol::make_message<protocol::Loaded>();
  loaded.is_defined = submission_.entry->contract != nullptr;
  loaded.is_empty = submission_.is_empty;
  return send_message(socket_, loaded);
}

bool Service::prepare(const protocol::Prepare& prepare, int descriptor) {
  watch_case(nullptr);
  memory_ = std::make_unique<CaseMemory>(runtime_);
  if (const std::string failure = memory_->prepare(prepare, descriptor); !failure.empty()) return fail(failure);
  watch_case(memory_.get());
  if (runtime_.is_virtual()) {
    runtime_.vgpu.set_instruction_budget(prepare.instruction_budget);
    if (prepare.wants_counts != 0) runtime_.vgpu.count_anew(1);
  }
  return send_message(socket_, protocol::make_message<protocol::Ready>());
}

bool Service::go() {
  if (!memory_ || !submission_.entry || !submission_.entry->contract) return fail("there is nothing to run");
  auto done = protocol::make_message<protocol::Done>();
  invoke(done);
  return send_message(socket_, done);
}

void Service::invoke(protocol::Done& done) {
  const LanewiseCall call = memory_->call();
  runtime_.take_last_error();  // of earlier cases
  try {
    submission_.entry->invoke(&call);
  } catch (const std::exception& error) {
    done.ending = protocol::Ending::kThrew;
    protocol::set_text(done.sentence, error.what());
  } catch (...) {
    done.ending = protocol::Ending::kThrew;
    protocol::set_text(done.sentence, "an object that is no std::exception");
  }
  const cudaError_t left = runtime_.take_last_error();
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

bool Service::fetch() {
  if (!memory_) return fail("there is nothing to fetch");
  auto fetched = protocol::make_message<protocol::Fetched>();
  // First of all, so that fetching takes none of the call's time.
  if (runtime_.is_virtual() && memory_->description().wants_counts != 0) {
    const std::size_t counts = runtime_.vgpu.copy_counts(memory_->counts(), protocol::kReportBytes);
    fetched.counts_bytes = counts > protocol::kReportBytes ? 0 : counts;
    runtime_.vgpu.count_anew(0);
  }
  fetched.has_arrays = memory_->fetch();
  if (runtime_.is_virtual()) {
    runtime_.vgpu.report_leaks();
    const std::size_t bytes = runtime_.vgpu.take_report(memory_->report(), protocol::kReportBytes);
    fetched.is_report_cut_off = bytes > protocol::kReportBytes;
    fetched.report_bytes = fetched.is_report_cut_off ? 0 : bytes;
  }
  watch_case(nullptr);
  memory_.reset();
  return send_message(socket_, fetched);
}

// Everything up to the first message; a sentence if the worker cannot serve.
std::string start(const ServiceOptions& options, CudaRuntime& runtime, Lockdown& lockdown) {
  if (std::string failure = load_runtime(options.runtime, runtime); !failure.empty()) return failure;
  if (std::string failure = warm_up(runtime); !failure.empty()) return failure;
  if (runtime.is_virtual()) {
    if (runtime.vgpu.set_monitors(options.monitors.c_str()) != 0)
      return "the virtual GPU does not know the monitors '" + options.monitors + "'";
    if (runtime.vgpu.red_zone_bytes() < protocol::kGuardBytes) return "the virtual GPU's red zones are too narrow";
  }
  if (std::string failure = report_crashes(options.socket, runtime); !failure.empty()) return failure;
  lockdown = lock_down(Refusal::kAskListener, kLargestFile);
  return lockdown.failure;
}

}  // namespace

int serve(const ServiceOptions& options) {
  // A crash must not take what was printed before it along; a pipe would be buffered in blocks.
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  CudaRuntime runtime;
  Lockdown lockdown;
  if (const std::string failure = start(options, runtime, lockdown); !failure.empty()) {
    fail_through(options.socket, failure);
    return 0;
  }
  Service service(options, runtime);
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
  std::printf("%d\n%d\n%s\n", devices, properties.major * 10 + properties.minor, properties.name);
  return 0;
}

}  // namespace lanewise
