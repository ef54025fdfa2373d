// Takes samples through a session: the steps of Session::run, repeated in the same memory.
#include "harness/runner/timing/timed_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "harness/runner/session/case_layout.h"
#include "harness/runner/session/explain.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Inputs are brought anew for every sample, so that whoever changes them gains nothing by it. To bring them back takes
// longer than all the rest of a sample: it is done now and then, beginning with the first.
constexpr int kSamplesAnInputCheck = 8;

// Threads of a process, from /proc; 0 if that cannot be read (any more).
int count_threads(pid_t process) {
  std::error_code error;
  int count = 0;
  for (fs::directory_iterator it(fmt::format("/proc/{}/task", process), error);
       !error && it != fs::directory_iterator(); it.increment(error))
    ++count;
  return error ? 0 : count;
}

class SessionTimedCase : public TimedCase {
 public:
  SessionTimedCase(std::unique_ptr<Session> session, CaseLayout layout, int threads, milliseconds limit)
      : session_(std::move(session)), layout_(std::move(layout)), threads_(threads), limit_(limit) {}

  TimedSample sample(const Problem& problem) override;
  void give_back(TimedSample&& sample) override { spare_ = std::move(sample.observation.outputs); }
  double empty_round_trip() override { return seconds_of(protocol::Activity::kNothing, 0); }
  double copy_seconds(std::uint64_t bytes) override;
  bool is_usable() const override { return is_usable_ && session_->is_usable(); }
  const DeviceInfo& device() const override { return session_->device(); }

 private:
  double seconds_of(protocol::Activity activity, std::uint64_t bytes);

  std::unique_ptr<Session> session_;
  CaseLayout layout_;
  int threads_;  // of the worker before the submission was loaded
  milliseconds limit_;
  std::vector<Array> spare_;
  int samples_ = 0;
  bool is_usable_ = true;
};

TimedSample SessionTimedCase::sample(const Problem& problem) {
  TimedSample sample;
  CaseObservation& observation = sample.observation;
  if (!is_usable()) {
    observation.sentence = "an earlier call broke its process";
    return sample;
  }
  // Before the new inputs are where the submission's process could see them.
  if (const int threads = count_threads(session_->worker_id()); threads > threads_)
    sample.review = fmt::format("between calls its process has {} threads, {} more than before it was loaded", threads,
                                threads - threads_);
  if (auto failure = layout_.renew(problem)) {
    observation.sentence = failure->sentence;
    return sample;
  }
  const InputCheck check = samples_++ % kSamplesAnInputCheck == 0 ? InputCheck::kDone : InputCheck::kLeftOut;
  observation.outputs = std::move(spare_);
  is_usable_ = session_->prepare(layout_, observation) && session_->call(limit_, true, observation) &&
               session_->fetch(layout_, "", check, observation);
  session_->leave_case();
  if (!observation.has_outputs) observation.outputs.clear();
  observation.refused = session_->take_refused();
  sample.seconds = observation.seconds;
  sample.ready_seconds = session_->ready_seconds();
  sample.settling_seconds = session_->settling_seconds();
  const double by_events = session_->event_seconds();
  if (is_usable_ && std::isfinite(by_events) && by_events > 0) sample.event_seconds = by_events;
  return sample;
}

double SessionTimedCase::seconds_of(protocol::Activity activity, std::uint64_t bytes) {
  CaseObservation observation;
  if (!is_usable()) return 0;
  is_usable_ = session_->arm(activity, bytes, observation) && session_->call(limit_, true, observation);
  return is_usable_ && observation.ending == RunEnding::kReturned ? observation.seconds : 0;
}

double SessionTimedCase::copy_seconds(std::uint64_t bytes) {
  const double around = empty_round_trip();
  const double whole = seconds_of(protocol::Activity::kCopy, bytes);
  return around > 0 ? std::max(0.0, whole - around) : 0;
}

}  // namespace

Expected<std::unique_ptr<TimedCase>> TimedCase::open(const SessionOptions& options, const fs::path& shared_object,
                                                     const std::string& task, const Problem& problem,
                                                     milliseconds limit) {
  CaseOptions case_options;
  case_options.is_timed = true;
  auto layout = CaseLayout::create(problem, case_options);
  if (!layout) return layout.failure();
  SessionOptions session_options = options;
  session_options.readable.push_back(shared_object);
  auto session = Session::start(session_options);
  if (!session) return session.failure();
  const int threads = count_threads((*session)->worker_id());
  const LoadObservation load = (*session)->load(shared_object, task, limit, true);
  if (!load.is_loaded)
    return Failure{"while it was being loaded: " +
                   explain_ending(load.trouble, std::chrono::duration<double>(limit).count()).sentence};
  if (!load.is_defined) return Failure{fmt::format("the submission does not define {}", task)};
  return std::unique_ptr<TimedCase>(
      std::make_unique<SessionTimedCase>(std::move(*session), std::move(*layout), threads, limit));
}

}  // namespace lanewise
