// Drives a worker through its messages while draining what it prints and answering the calls it may not make.
#include "harness/runner/session/session.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "harness/runner/session/backend.h"
#include "harness/runner/session/counter_report.h"
#include "harness/runner/session/findings.h"

namespace lanewise {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kPrintedKept = 16 << 10;
constexpr std::uint64_t kSlowestBytesPerMillisecond = 50'000;
// For how long the end of a timed call is waited for without sleeping: waking up takes tens of microseconds, which are
// noise, but less than a thousandth of a longer call.
constexpr milliseconds kAwake(50);
constexpr int kBetweenLooksAtTheHost = 100;           // milliseconds
constexpr milliseconds kLastWordsLimit = seconds(2);  // from a closed channel to the end of the process

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace

Session::Session(Process process, Descriptor socket, std::unique_ptr<Devices> devices, milliseconds patience)
    : devices_(std::move(devices)),
      process_(std::move(process)),
      socket_(std::move(socket)),
      refused_(Descriptor()),
      printed_(kPrintedKept),
      worker_id_(-1),
      patience_(patience) {}

Expected<std::unique_ptr<Session>> Session::start(const SessionOptions& options) {
  // A worker runs as the same user: without this it could write into this process through /proc/PID/mem.
  prctl(PR_SET_DUMPABLE, 0);
  Descriptor ours, theirs;
  if (!make_channel(ours, theirs))
    return Failure{fmt::format("no channel to a worker could be created ({})", std::strerror(errno))};
  fcntl(ours.get(), F_SETFL, O_NONBLOCK);

  ProcessOptions process_options;
  process_options.command = {options.worker.string(), "--channel", std::to_string(Process::kChannelNumber), "--runtime",
                             options.runtime.string()};
  std::unique_ptr<Devices> devices;
  Descriptor to_devices;
  if (!options.devices.empty()) {
    auto started = Devices::start({options.devices, options.profile, options.confinement}, to_devices);
    if (!started) return started.failure();
    devices = std::move(*started);
    process_options.command.emplace_back("--devices");
  }
  process_options.environment = gpu_environment();
  process_options.limits.data_bytes = kMostPrivateMemory;
  std::shared_ptr<GpuMemory> gpu_memory = options.gpu_memory;
  if (!gpu_memory && options.devices.empty()) {
    auto started = GpuMemory::start(options.worker, options.runtime);
    if (!started) return started.failure();
    gpu_memory = std::move(*started);
  }
  Reach reach{ForeignWork::kRun, {}, options.readable};
  reach.readable.insert(reach.readable.end(), {options.worker, options.runtime});
  reach.has_gpu = options.devices.empty();  // beside a virtual one, it would disturb what is timed there
  auto process = Process::start(confined(options.confinement, std::move(process_options), reach), &theirs);
  if (!process) return process.failure();
  theirs.reset();  // or the end of the worker would not be seen on ours

  std::unique_ptr<Session> session(
      new Session(std::move(*process), std::move(ours), std::move(devices), options.patience));
  if (to_devices) send_message(session->socket_.get(), protocol::make_message<protocol::Devices>(), to_devices.get());
  to_devices.reset();  // the worker's alone, so that its end is seen
  std::string failure;
  if (!session->greet(failure)) return Failure{failure};
  if (gpu_memory && gpu_memory->is_ready()) session->gpu_memory_ = std::move(gpu_memory);
  if (session->devices_ && !session->devices_->set_monitors(options.monitors))
    return Failure{fmt::format("the virtual GPU does not know the monitors '{}'", options.monitors)};
  return session;
}

bool Session::greet(std::string& failure) {
  if (wait_for_packet(Clock::now() + kStartLimit, {}) == Wait::kPacket) {
    Descriptor listener(std::exchange(packet_.descriptor, -1));
    protocol::Hello hello;
    protocol::Failed failed;
    if (read_message(packet_, hello)) {
      device_ = {protocol::text_of(hello.device), version_text(hello.runtime_version),
                 version_text(hello.driver_version), protocol::text_of(hello.bus_id)};
      refused_ = RefusedCalls(std::move(listener));
      worker_id_ = process_.program_id();
      return true;
    }
    failure = read_message(packet_, failed) ? protocol::text_of(failed.sentence)
                                            : "lanewise and lanewise-worker are different versions: rebuild both";
    return false;
  }
  process_.end();
  printed_.read_from(process_.output());
  failure = "lanewise-worker did not start" + (printed_.text().empty() ? std::string() : ": " + printed_.text());
  return false;
}

bool Session::has_host_overrun() const {
  if (!host_deadline_) return false;
  const auto used = processor_time(worker_id_);
  return used && *used >= *host_deadline_;
}

Session::Wait Session::wait_for_packet(Clock::time_point deadline, Clock::time_point awake_until) {
  constexpr int kTriesBetweenLooks = 64;  // at the rest of what a worker may do
  bool is_output_open = true;
  for (;;) {
    const bool is_awake = Clock::now() < awake_until;
    for (int i = 0; is_awake && i < kTriesBetweenLooks; ++i) {
      const Received received = receive_packet(socket_.get(), packet_, Waiting::kNever);
      if (received == Received::kPacket) return Wait::kPacket;
      if (received != Received::kNothingYet) return Wait::kEnded;
      sched_yield();  // where cores are few, the worker needs this one
    }
    pollfd wanted[] = {{socket_.get(), POLLIN, 0},
                       {process_.ended(), POLLIN, 0},
                       {is_output_open ? process_.output() : -1, POLLIN, 0},
                       {refused_.descriptor(), POLLIN, 0}};
    const int most = host_deadline_ ? kBetweenLooksAtTheHost : INT_MAX;
    poll(wanted, std::size(wanted), is_awake ? 0 : std::min(milliseconds_until(deadline), most));
    if (wanted[2].revents != 0) is_output_open = printed_.read_from(process_.output());
    if ((wanted[3].revents & POLLIN) != 0) refused_.answer_one();
    if (wanted[0].revents != 0) {
      switch (receive_packet(socket_.get(), packet_)) {
        case Received::kPacket:
          return Wait::kPacket;
        case Received::kClosed:
        case Received::kBroken:
          return Wait::kEnded;
        case Received::kNothingYet:
          break;
      }
    } else if (wanted[1].revents != 0) {
      return Wait::kEnded;  // and the socket held nothing more
    }
    if (Clock::now() >= deadline || has_host_overrun()) return Wait::kTimedOut;
  }
}

template <class Message>
bool Session::expect(Message& message, milliseconds limit, CaseObservation& observation, milliseconds awake) {
  const Clock::time_point begin = Clock::now();
  const Clock::time_point deadline = begin + limit;
  for (;;) {
    const Wait wait = wait_for_packet(deadline, begin + std::min(awake, limit));
    if (wait == Wait::kPacket) {
      if (packet_.descriptor != -1) Descriptor unasked_for(std::exchange(packet_.descriptor, -1));
      protocol::Crashed crashed;
      protocol::Failed failed;
      if (read_message(packet_, message)) return true;
      // Its end follows. Said twice it is no crash report but an attempt to keep the runner listening.
      if (read_message(packet_, crashed) && !crash_.is_described) {
        note_crash(crashed);
        continue;
      }
      if (read_message(packet_, failed)) {
        observation.ending = RunEnding::kSetupFailed;
        observation.sentence = protocol::text_of(failed.sentence);
      } else {
        observation.ending = RunEnding::kBrokeChannel;
      }
      process_.end();
    } else if (wait == Wait::kEnded) {
      note_end(observation);
    } else {
      observation.ending = RunEnding::kTimedOut;
      if (has_host_overrun())
        observation.host_seconds = std::chrono::duration<double>(layout_->options().host_limit).count();
      process_.end();
    }
    printed_.read_from(process_.output());
    is_usable_ = false;
    return false;
  }
}

void Session::note_crash(const protocol::Crashed& crashed) {
  crash_.is_described = true;
  crash_.has_address = crashed.was_raised == 0 && (crashed.signal == SIGSEGV || crashed.signal == SIGBUS);
  crash_.address = crashed.address;
  crash_.instruction = crashed.instruction;
  crash_.is_write = crashed.is_write != 0;
  crash_.is_stack_overflow = crashed.is_stack_overflow != 0;
  if (devices_ && crash_.has_address && !crash_.is_stack_overflow) {
    vgpu::link::DescribedAddress described = devices_->describe(crashed.address);
    crash_.place = std::move(described.text);
    crash_.allocation = {std::move(described.allocation),
                         {std::filesystem::path(described.object).filename().string(), described.offset}};
  }
  crash_.is_device_memory = !crash_.place.empty();
  if (!layout_ || crashed.array < 0 || crashed.array >= static_cast<std::int32_t>(layout_->message().array_count))
    return;
  const protocol::ArrayPlace& place = layout_->message().arrays[crashed.array];
  crash_.place =
      fmt::format("{}[{}]", contract_name(layout_->problem(), protocol::text_of(place.name)), crashed.element);
  crash_.is_device_memory = layout_->problem().space == Space::kDevice;
}

void Session::note_end(CaseObservation& observation) {
  // The channel is closed: either the process ends now, or it closed the channel and goes on.
  const bool ended = process_.wait_until(Clock::now() + kLastWordsLimit);
  const int status = process_.end();
  if (!ended || (WIFEXITED(status) && WEXITSTATUS(status) == protocol::kExitChannelLost)) {
    observation.ending = RunEnding::kBrokeChannel;
  } else if (WIFSIGNALED(status)) {
    observation.ending = RunEnding::kCrashed;
    observation.crash = crash_;
    observation.crash.signal = WTERMSIG(status);
  } else {
    observation.ending = RunEnding::kExited;
    observation.exit_code = WEXITSTATUS(status);
  }
}

LoadObservation Session::load(const std::filesystem::path& shared_object, const std::string& task, milliseconds limit,
                              bool is_timed) {
  LoadObservation observation;
  auto load = protocol::make_message<protocol::Load>();
  protocol::set_text(load.path, shared_object.string());
  protocol::set_text(load.task, task);
  load.is_timed = is_timed ? 1 : 0;
  standstill_.reset();
  send_message(socket_.get(), load);  // a worker that is gone shows in the wait
  protocol::Loaded loaded;
  if (expect(loaded, limit, observation.trouble)) {
    observation.is_loaded = true;
    observation.is_defined = loaded.is_defined != 0;
    observation.is_empty = loaded.is_empty != 0;
  }
  observation.trouble.refused = refused_.take();
  return observation;
}

CaseObservation Session::run(const Problem& problem, const std::string& case_name, milliseconds limit,
                             const CaseOptions& options) {
  CaseObservation observation;
  auto layout = CaseLayout::create(problem, options);
  if (!layout) {
    observation.sentence = layout.sentence();
    return observation;
  }
  is_usable_ = prepare(*layout, observation) && call(limit, false, observation) &&
               fetch(*layout, case_name, InputCheck::kDone, observation);
  observation.refused = refused_.take();
  leave_case();
  return observation;
}

milliseconds Session::transfer_limit(std::uint64_t bytes) const {
  return patience_ + milliseconds(bytes / kSlowestBytesPerMillisecond);
}

bool Session::prepare(CaseLayout& layout, CaseObservation& observation) {
  layout_ = &layout;
  const bool is_on_gpu = gpu_memory_ && layout.problem().space == Space::kDevice;
  if (devices_ && !place_on_devices(layout, observation)) return false;
  if (is_on_gpu && !place_on_gpu(layout, observation)) return false;
  const Clock::time_point started = Clock::now();
  standstill_.reset();
  send_message(socket_.get(), layout.message(), is_on_gpu ? block_descriptor() : layout.descriptor());
  protocol::Ready ready;
  const milliseconds limit = transfer_limit(layout.message().memory_bytes);
  if (!expect(ready, limit, observation, is_on_gpu && layout.message().is_timed != 0 ? kAwake : milliseconds(0)))
    return false;
  ready_seconds_ = is_on_gpu ? std::chrono::duration<double>(Clock::now() - started).count() : 0;
  layout.set_shared();
  layout.remember_guards();
  return true;
}

bool Session::give_up(CaseObservation& observation, const std::string& sentence) {
  process_.end();
  printed_.read_from(process_.output());
  observation.ending = RunEnding::kSetupFailed;
  observation.sentence = sentence;
  is_usable_ = false;
  return false;
}

bool Session::lose_devices(CaseObservation& observation) {
  return give_up(observation, "the virtual GPU's process has ended, or does not answer");
}

bool Session::place_on_gpu(CaseLayout& layout, CaseObservation& observation) {
  return gpu_memory_->place(layout, transfer_limit(layout.message().memory_bytes)) ||
         give_up(observation, gpu_memory_->trouble());
}

// Whatever the worker's process might still do to the arrays, it does not do it before they are read.
bool Session::fetch_from_gpu(CaseLayout& layout, InputCheck inputs, CaseObservation& observation) {
  if (!standstill_ || !standstill_->is_complete())
    return give_up(observation, "the submission's process could not be stopped");
  return gpu_memory_->fetch(inputs, transfer_limit(layout.message().memory_bytes)) ||
         give_up(observation, gpu_memory_->trouble());
}

int Session::block_descriptor() {
  const bool is_known = std::exchange(known_block_, gpu_memory_->block_number()) == gpu_memory_->block_number();
  return is_known ? -1 : gpu_memory_->block_descriptor();
}

bool Session::place_on_devices(CaseLayout& layout, CaseObservation& observation) {
  devices_->set_patience(transfer_limit(layout.message().memory_bytes));
  if (layout.problem().space == Space::kDevice && !devices_->place(layout)) return lose_devices(observation);
  // What comes before a timed call needs the devices, and so does a worker that places the arrays itself.
  const bool is_workers_turn = layout.message().is_placed == 0 || layout.message().is_timed != 0;
  return is_workers_turn ? begin_on_devices(layout.options(), observation) : true;
}

bool Session::begin_on_devices(const CaseOptions& options, CaseObservation& observation) {
  return devices_->begin(options) || lose_devices(observation);
}

bool Session::arm(protocol::Activity activity, std::uint64_t bytes, CaseObservation& observation) {
  if (devices_ && !begin_on_devices({}, observation)) return false;
  auto arm = protocol::make_message<protocol::Arm>();
  arm.activity = activity;
  arm.bytes = bytes;
  standstill_.reset();
  send_message(socket_.get(), arm);
  protocol::Ready ready;
  return expect(ready, transfer_limit(bytes), observation);
}

bool Session::call(milliseconds limit, bool is_timed, CaseObservation& observation) {
  if (devices_ && layout_ && !begin_on_devices(layout_->options(), observation)) return false;
  const auto go = protocol::make_message<protocol::Go>();
  const Clock::time_point started = Clock::now();
  send_message(socket_.get(), go);
  protocol::Done done;
  const milliseconds host_limit = devices_ && layout_ ? layout_->options().host_limit : milliseconds(0);
  if (const auto used = processor_time(worker_id_); used && host_limit.count() > 0) host_deadline_ = *used + host_limit;
  const bool is_done = expect(done, limit, observation, is_timed ? kAwake : milliseconds(0));
  host_deadline_.reset();
  observation.seconds = std::chrono::duration<double>(Clock::now() - started).count();
  if (!is_done) return false;
  if (devices_ && !devices_->freeze()) return lose_devices(observation);
  if (gpu_memory_) standstill_.emplace(worker_id_);
  printed_.read_from(process_.output());  // flushed before Done was sent

  observation.sentence = protocol::text_of(done.sentence);
  switch (done.ending) {
    case protocol::Ending::kReturned:
      observation.ending = RunEnding::kReturned;
      observation.sentence.clear();
      break;
    case protocol::Ending::kErrorLeft:
    case protocol::Ending::kErrorRunning:
      observation.ending = RunEnding::kCudaError;
      observation.cuda_error = done.cuda_error;
      observation.cuda_error_name = protocol::text_of(done.error_name);
      observation.was_running = done.ending == protocol::Ending::kErrorRunning;
      break;
    case protocol::Ending::kThrew:
      observation.ending = RunEnding::kThrew;
      break;
    default:
      observation.ending = RunEnding::kBrokeChannel;
      return false;
  }
  return true;
}

bool Session::fetch_from_devices(CaseLayout& layout, const std::string& case_name, InputCheck inputs,
                                 CaseObservation& observation) {
  devices_->set_patience(transfer_limit(layout.message().memory_bytes));
  // Before anything is fetched, so that fetching takes none of the call's time.
  if (layout.options().wants_counts)
    if (auto counts = read_counters(devices_->counts())) observation.counts = std::move(*counts);
  const bool has_arrays = layout.message().is_placed != 0 && devices_->fetch(layout, inputs);
  std::string text;
  if (devices_->findings(text))
    observation.findings = parse_findings(text, case_name);
  else
    observation.findings.push_back(findings_that_do_not_fit(case_name));
  observation.depends_on_order = std::any_of(observation.findings.begin(), observation.findings.end(),
                                             [](const Finding& finding) { return finding.tool == "racecheck"; }) ||
                                 devices_->depends_on_order();
  return has_arrays;
}

bool Session::fetch(CaseLayout& layout, const std::string& case_name, InputCheck inputs, CaseObservation& observation) {
  const bool is_placed = layout.message().is_placed != 0;
  if (gpu_memory_ && is_placed && !fetch_from_gpu(layout, inputs, observation)) return false;
  if (devices_ ? fetch_from_devices(layout, case_name, inputs, observation) : is_placed)
    layout.collect(inputs, observation);
  const bool has_event_times = gpu_memory_ && layout.message().is_timed != 0;
  if (is_placed && !has_event_times) return observation.ending == RunEnding::kReturned && observation.has_outputs;
  // A worker that placed the arrays itself releases them, too.
  if (devices_ && !begin_on_devices(layout.options(), observation)) return false;
  auto fetch = protocol::make_message<protocol::Fetch>();
  fetch.outputs_only = inputs == InputCheck::kLeftOut;
  standstill_.reset();
  send_message(socket_.get(), fetch);
  protocol::Fetched fetched;
  CaseObservation trouble;
  if (!expect(fetched, transfer_limit(layout.message().memory_bytes), trouble)) {
    // The entry had returned. If nothing was wrong until then, what went wrong now is what there is to tell.
    if (observation.ending == RunEnding::kReturned) {
      trouble.seconds = observation.seconds;
      observation = std::move(trouble);
    }
    return false;
  }
  if (has_event_times) standstill_.emplace(worker_id_);  // until it is its turn again
  event_seconds_ = fetched.event_seconds;
  if (fetched.has_arrays != 0 && !is_placed) layout.collect(inputs, observation);
  // An error may have spoilt the device's context, an exception the program's: start afresh.
  return observation.ending == RunEnding::kReturned && observation.has_outputs;
}

}  // namespace lanewise
