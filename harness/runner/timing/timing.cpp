// Opens a worker an entry, warms them up, and goes round after round until the ratio is known.
#include "harness/runner/timing/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "harness/measure/clock_log.h"
#include "harness/measure/interleaver.h"
#include "harness/measure/statistics.h"
#include "harness/runner/parallel.h"
#include "harness/runner/session/explain.h"
#include "harness/runner/timing/entry_times.h"
#include "harness/runner/timing/fresh_rounds.h"
#include "harness/runner/timing/round_judge.h"

namespace lanewise {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr int kFewestWarmUpCalls = 3;
constexpr double kLongestWarmUp = 10;              // times the usual one
constexpr int kEmptyRoundTrips = 15;               // before the first round; a third of them again and again
constexpr int kRoundsBetweenLooks = 8;             // at the empty round trip and the copy
constexpr std::uint64_t kLeastCopied = 64 << 20;   // bytes: of less, the launch takes longer than the copy
constexpr double kMostCopied = 512.0 * (1 << 20);  // ten times the L2 cache of an H200
constexpr double kSecondsBetweenReports = 0.5;
constexpr std::size_t kMostAhead = 8;  // rounds; each may take a quarter of a gigabyte

double seconds_since(Clock::time_point began) { return Seconds(Clock::now() - began).count(); }

/// One that is timed.
struct Entrant : EntrySamples {
  const TimedEntry* entry = nullptr;
  std::unique_ptr<TimedCase> timed;  ///< null once it is out
  double cost = 0;                   ///< seconds of a whole sample, with all that is done around the call
};

/// What each took in one round, if it took part.
using Taken = std::vector<std::optional<TimedSample>>;

class Timing {
 public:
  explicit Timing(const TimingRequest& request)
      : request_(request),
        session_(request.session),
        rounds_(*request.task, *request.case_file, request.lab, request.seed) {}

  Expected<TimingResult> run();

 private:
  std::optional<Failure> open_all();
  void warm_up();
  TimedSample warm_up_one(Entrant& entrant) const;
  void take_round(const std::vector<std::size_t>& order);
  void judge(RoundJudge& judge, Taken& taken, const std::string& when);
  void look_around(int empty_round_trips);
  unsigned usual_clock() const;
  std::vector<std::size_t> strides() const;
  measure::Stop should_stop(double elapsed) const;
  std::vector<std::vector<double>> deciding_streams() const;
  void report(double elapsed);
  TimingResult result() const;

  TimedCase* trusted() const;
  const Entrant* find(TimedRole role) const;
  void say(const std::string& text) const {
    if (request_.progress) request_.progress(text);
  }

  const TimingRequest& request_;
  SessionOptions session_;
  FreshRounds rounds_;
  std::shared_ptr<const FreshRound> round_;
  std::future<std::vector<Array>> oracle_;  // of the first round's problem, which must outlive it
  std::vector<Entrant> entrants_;
  std::unique_ptr<measure::ClockLog> clocks_;
  measure::StoppingRule rule_;
  SampleContext context_;
  std::vector<double> copy_rates_;
  TimingResult result_;  // but for what is told at the end
  Clock::time_point reported_;
};

void disqualify(Entrant& entrant, std::string trouble) {
  entrant.trouble = std::move(trouble);
  entrant.timed.reset();
}

const Entrant* Timing::find(TimedRole role) const {
  const auto found =
      std::find_if(entrants_.begin(), entrants_.end(), [role](const Entrant& each) { return each.role == role; });
  return found == entrants_.end() ? nullptr : &*found;
}

std::optional<Failure> Timing::open_all() {
  round_ = rounds_.next();
  if (!round_->trouble.empty()) return Failure{round_->trouble};
  const Problem& problem = round_->problem;
  result_.sizes = describe_scalars(problem);
  if (request_.task->work) result_.work = request_.task->work(problem);
  context_.work = {result_.work.bytes, 0, result_.work.flops};
  for (const ArrayShape& output : problem.outputs)
    context_.work.output_bytes += static_cast<double>(byte_count(output));

  // It may take seconds, as processes do to start.
  oracle_ = std::async(std::launch::async, [this] { return request_.task->oracle(round_->problem); });

  // All find their arrays in the same memory, so that it makes no difference which one that is.
  if (session_.devices.empty() && !request_.setup.open)
    if (auto memory = GpuMemory::start(session_.worker, session_.runtime); memory && (*memory)->is_ready())
      session_.gpu_memory = std::move(*memory);
  for (const TimedEntry& entry : request_.entries) {
    Entrant& entrant = entrants_.emplace_back();
    entrant.entry = &entry;
    entrant.role = entry.role;
    auto opened = request_.setup.open
                      ? request_.setup.open(entry, problem)
                      : TimedCase::open(session_, entry.shared_object, request_.task->name, problem, request_.limit);
    if (opened)
      entrant.timed = std::move(*opened);
    else
      entrant.trouble = opened.sentence();
  }
  if (const TimedCase* const any = trusted()) {
    result_.device = any->device().name;
    clocks_ = std::make_unique<measure::ClockLog>(any->device().bus_id, request_.setup.clock_library);
    return std::nullopt;
  }
  return Failure{entrants_.empty() ? "there is nothing to time" : entrants_.front().trouble};
}

// Contents come again here, and only here: whoever remembers them gains nothing later.
TimedSample Timing::warm_up_one(Entrant& entrant) const {
  const double usual = request_.setup.warm_up;
  const Clock::time_point began = Clock::now();
  TimedSample last;
  for (int calls = 1;; ++calls) {
    const Clock::time_point started = Clock::now();
    last = entrant.timed->sample(round_->problem);
    const double cost = seconds_since(started);
    entrant.cost = calls <= 2 ? cost : std::min(entrant.cost, cost);  // the first one has allocated everything
    const double longest = calls >= kFewestWarmUpCalls ? usual : kLongestWarmUp * usual;
    if (!entrant.timed->is_usable() || seconds_since(began) >= longest) return last;
    entrant.timed->give_back(std::move(last));
  }
}

// The clocks come up, each process loads and allocates what it does at first, and all are held against the oracle.
void Timing::warm_up() {
  say(fmt::format("timing: warming up {} entries", entrants_.size()));
  // Where host memory is what calls work on, nothing else may use it meanwhile.
  const bool is_alone = round_->problem.space == Space::kHost;
  if (is_alone) oracle_.wait();
  Taken last(entrants_.size());
  for (std::size_t i = 0; i < entrants_.size(); ++i)
    if (entrants_[i].timed) last[i] = warm_up_one(entrants_[i]);
  try {
    const std::vector<Array> expected = oracle_.get();
    RoundJudge by_oracle(*request_.task, round_->problem, nullptr, &expected);
    judge(by_oracle, last, "during warm-up");
  } catch (const std::exception& error) {
    for (Entrant& each : entrants_)
      if (each.timed) disqualify(each, fmt::format("the lab cannot judge this case: {}", error.what()));
  }
  const Entrant* const reference = find(TimedRole::kReference);
  // Of few cores none is to spare: runner and worker are both awake while a call is timed.
  const std::size_t threads = std::thread::hardware_concurrency() / 2;
  rounds_.make_ahead(is_alone ? 0 : std::min(threads, kMostAhead), reference == nullptr || !reference->timed);
}

// All at once, after the round, when nothing is being timed.
void Timing::judge(RoundJudge& judge, Taken& taken, const std::string& when) {
  const double limit = Seconds(request_.limit).count();
  std::vector<std::string> troubles(taken.size());
  run_in_parallel(taken.size(), static_cast<unsigned>(taken.size()), [&](std::size_t i) {
    if (taken[i]) troubles[i] = judge.trouble(taken[i]->observation, limit);
  });
  const std::string of_reference = judge.trouble_of_reference();
  for (std::size_t i = 0; i < taken.size(); ++i) {
    Entrant& entrant = entrants_[i];
    if (!taken[i]) continue;
    if (entrant.role == TimedRole::kReference && troubles[i].empty()) troubles[i] = of_reference;
    if (troubles[i].empty() && !entrant.timed->is_usable()) troubles[i] = "its process is no longer usable";
    if (entrant.review.empty() && !taken[i]->review.empty())
      entrant.review = fmt::format("{}: {}", when, taken[i]->review);
    if (troubles[i].empty())
      entrant.timed->give_back(std::move(*taken[i]));
    else
      disqualify(entrant, fmt::format("{}: {}", when, troubles[i]));
  }
}

void Timing::take_round(const std::vector<std::size_t>& order) {
  ++result_.rounds;
  for (Entrant& each : entrants_) each.samples.emplace_back();
  Taken taken(entrants_.size());
  const std::vector<Array>* trusted_outputs = nullptr;
  for (const std::size_t i : order) {
    Entrant& entrant = entrants_[i];
    if (!entrant.timed) continue;
    taken[i] = entrant.timed->sample(round_->problem);
    const measure::ClockReading reading = clocks_->read();
    entrant.samples.back() = {taken[i]->seconds,  taken[i]->event_seconds, reading.sm_clock,
                              reading.throttling, taken[i]->ready_seconds, taken[i]->settling_seconds};
    const CaseObservation& seen = taken[i]->observation;
    if (entrant.role == TimedRole::kReference && seen.ending == RunEnding::kReturned && seen.has_outputs)
      trusted_outputs = &seen.outputs;
  }
  RoundJudge by_reference(*request_.task, round_->problem, trusted_outputs,
                          round_->has_expected ? &round_->expected : nullptr);
  context_.default_clock = usual_clock();
  judge(by_reference, taken, fmt::format("in timing round {}", result_.rounds));
}

// The process to ask for what is no entry's own doing: not the submission's if there is another, for it could make the
// way there and back look long, and its calls short by as much.
TimedCase* Timing::trusted() const {
  const auto rank = [](TimedRole role) {
    return role == TimedRole::kReference ? 0 : role == TimedRole::kSubmission ? 2 : 1;
  };
  const Entrant* best = nullptr;
  for (const Entrant& each : entrants_)
    if (each.timed && (best == nullptr || rank(each.role) < rank(best->role))) best = &each;
  return best == nullptr ? nullptr : best->timed.get();
}

void Timing::look_around(int empty_round_trips) {
  TimedCase* const asked = trusted();
  if (asked == nullptr) return;
  // The least counts: longer ones were disturbed, and to take a disturbance off every sample would make all too short.
  for (int i = 0; i < empty_round_trips; ++i)
    if (const double seconds = asked->empty_round_trip(); seconds > 0)
      context_.empty_round_trip =
          context_.empty_round_trip > 0 ? std::min(context_.empty_round_trip, seconds) : seconds;
  const auto bytes = static_cast<std::uint64_t>(std::min(4 * result_.work.bytes, kMostCopied));
  if (round_->problem.space == Space::kHost || bytes < kLeastCopied) return;
  if (const double seconds = asked->copy_seconds(bytes); seconds > 0)
    copy_rates_.push_back(2 * static_cast<double>(bytes) / seconds);
}

// Of a board that has no default: what it mostly ran at while it was timed.
unsigned Timing::usual_clock() const {
  if (clocks_->facts().default_clock > 0) return clocks_->facts().default_clock;
  std::vector<double> seen;
  for (const Entrant& each : entrants_)
    for (const measure::Sample& sample : each.samples)
      if (sample.sm_clock > 0) seen.push_back(sample.sm_clock);
  return static_cast<unsigned>(measure::median_of(std::move(seen)));
}

// Only the baseline may cost so much that it has to take part less often.
std::vector<std::size_t> Timing::strides() const {
  double others = 0;
  for (const Entrant& each : entrants_)
    if (each.timed && each.role != TimedRole::kBaseline) others += each.cost;
  std::vector<std::size_t> strides;
  for (const Entrant& each : entrants_)
    strides.push_back(each.role == TimedRole::kBaseline ? measure::stride_of(each.cost, others) : 1);
  return strides;
}

// Of the submission; without one, of all but the baseline. Paired, if there is a reference.
std::vector<std::vector<double>> Timing::deciding_streams() const {
  const Entrant* const reference = find(TimedRole::kReference);
  const bool is_paired = reference != nullptr && reference->timed;
  const bool has_submission = find(TimedRole::kSubmission) != nullptr;
  std::vector<std::vector<double>> streams;
  for (const Entrant& each : entrants_) {
    const bool decides = has_submission ? each.role == TimedRole::kSubmission
                                        : each.role != TimedRole::kBaseline || entrants_.size() == 1;
    if (!each.timed || !decides) continue;
    const std::vector<double> seconds = counted_seconds(each, context_);
    const bool has_ratio = is_paired && &each != reference;
    streams.push_back(has_ratio ? measure::paired_ratios(seconds, counted_seconds(*reference, context_))
                                : measure::counted(seconds));
  }
  return streams;
}

measure::Stop Timing::should_stop(double elapsed) const {
  const Entrant* const submission = find(TimedRole::kSubmission);
  const bool is_over = trusted() == nullptr || (submission != nullptr && !submission->timed);
  return is_over ? measure::Stop::kTimeIsUp : measure::should_stop(rule_, deciding_streams(), elapsed);
}

void Timing::report(double elapsed) {
  if (!request_.progress || seconds_since(reported_) < kSecondsBetweenReports) return;
  reported_ = Clock::now();
  const std::vector<std::vector<double>> streams = deciding_streams();
  if (streams.empty()) return;
  const measure::Estimate known = measure::median_with_interval(streams.front());
  say(fmt::format("timing: {} rounds, known to ± {:.1f} %, at most {:.0f} s left", result_.rounds,
                  100 * measure::relative_half_width(known), measure::expected_rest(rule_, streams, elapsed)));
}

TimingResult Timing::result() const {
  TimingResult result = result_;
  result.driver_version = clocks_->facts().driver_version;
  result.clocks = clocks_->summary();
  result.copy_rate = measure::median_of(copy_rates_);
  SampleContext context = context_;
  if (round_->problem.space == Space::kDevice)  // what host memory and the bus can do is not known
    context.peaks = measure::peaks_of(clocks_->facts().device, result.copy_rate);
  for (const Entrant& each : entrants_) result.entries.push_back(times_of(each, find(TimedRole::kReference), context));
  return result;
}

Expected<TimingResult> Timing::run() {
  rule_ = request_.setup.rule;
  rule_.longest = Seconds(request_.most).count();
  say("timing: starting one process per entry");
  if (auto failure = open_all()) return *failure;
  warm_up();
  look_around(kEmptyRoundTrips);
  measure::Interleaver interleaver(strides(), request_.seed);
  const Clock::time_point began = Clock::now();
  measure::Stop stop = trusted() == nullptr ? measure::Stop::kTimeIsUp : measure::Stop::kNotYet;
  while (stop == measure::Stop::kNotYet) {
    round_ = rounds_.next();
    if (!round_->trouble.empty()) return Failure{round_->trouble};
    take_round(interleaver.next_round());
    if (result_.rounds % kRoundsBetweenLooks == 0) look_around(kEmptyRoundTrips / 3);
    stop = should_stop(seconds_since(began));
    report(seconds_since(began));
  }
  result_.is_narrow = stop == measure::Stop::kNarrow;
  return result();
}

}  // namespace

Expected<TimingResult> time_entries(const TimingRequest& request) { return Timing(request).run(); }

}  // namespace lanewise
