// One process per step: it reads the case from a file, and writes samples to another and outputs back to the first.
#include "grader/bench/gpu_times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <list>
#include <mutex>
#include <sstream>

#include "harness/lab/read_file.h"
#include "harness/measure/clock_log.h"
#include "harness/measure/statistics.h"
#include "harness/report/safe_text.h"
#include "harness/runner/parallel.h"
#include "harness/runner/process.h"
#include "harness/runner/session/backend.h"
#include "harness/runner/session/explain.h"
#include "harness/runner/session/problem_file.h"
#include "harness/runner/verdict/grade.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestSamples = 1 << 20;
constexpr std::size_t kMostTimesOutput = 16 << 10;
constexpr std::chrono::seconds kLongestBegin{30};
constexpr std::chrono::seconds kLongestCase{90};
constexpr unsigned kReadAtATime = 4;
constexpr unsigned kJudgedAtATime = 4;

class LadderTiming {
 public:
  LadderTiming(const Ladder& ladder, const std::vector<ReadyCase>& cases, const Workplace& workplace,
               const TimingOptions& options)
      : ladder_(ladder), cases_(cases), workplace_(workplace), options_(options) {}

  std::vector<MeasuredTask> run();

 private:
  /// Outputs to be judged while the next step's process starts, and where to record the result.
  struct Unjudged {
    const SolutionFile* step = nullptr;
    const ReadyCase* ready = nullptr;
    MeasuredTime* time = nullptr;
    std::vector<Array> outputs;
  };

  std::vector<Unjudged> time_step(const SolutionFile& step);
  std::string call(const fs::path& shared_object, const std::vector<const ReadyCase*>& cases,
                   std::vector<Samples>& samples) const;
  void keep(const SolutionFile& step, const ReadyCase& ready, const Samples& samples, std::vector<Unjudged>& unjudged);
  void read_all(std::vector<Unjudged>& unjudged);
  void judge(const Unjudged& each);
  void tell(const SolutionFile& step, const ReadyCase& ready, const std::string& what) {
    const std::lock_guard<std::mutex> lock(telling_);
    options_.trouble(fmt::format("{} · {} · {}: {}", ladder_.file->name, step.source.filename().string(),
                                 title_of(ready, *ladder_.file), what));
  }

  const Ladder& ladder_;
  const std::vector<ReadyCase>& cases_;
  const Workplace& workplace_;
  const TimingOptions& options_;
  std::mutex telling_;
  std::list<MeasuredTime> times_;  // a list, so that pointers stay valid while outputs are judged
  struct Group {
    MeasuredTask task;
    std::uint64_t throttling = 0;
    std::vector<MeasuredTime*> times;
  };
  Group& group(const std::string& name);
  std::vector<Group> groups_;
};

std::vector<MeasuredTask> LadderTiming::run() {
  bool times_host_memory = false;
  for (const ReadyCase& ready : cases_) {
    times_host_memory = times_host_memory || ready.problem.space == Space::kHost;
    if (!ready.trouble.empty())
      options_.trouble(fmt::format("{} · {}: {}", ladder_.file->name, title_of(ready, *ladder_.file), ready.trouble));
  }
  // A step's process usually takes longer to start than the previous step takes to be judged. If host memory is timed,
  // which judging would disturb, judging is waited for.
  std::vector<Unjudged> judged;  // outlives `judging`, whose destructor waits for its readers
  std::future<void> judging;
  for (const SolutionFile& step : ladder_.steps) {
    options_.progress(fmt::format("{} · {}", ladder_.file->name, step.source.filename().string()));
    if (times_host_memory && judging.valid()) judging.get();
    std::vector<Unjudged> unjudged = time_step(step);
    read_all(unjudged);
    if (judging.valid()) judging.get();
    judged = std::move(unjudged);
    judging = std::async(std::launch::async, [&] {
      run_in_parallel(judged.size(), kJudgedAtATime, [&](std::size_t i) { judge(judged[i]); });
    });
  }
  if (judging.valid()) judging.get();
  std::error_code ignored;
  for (const ReadyCase& ready : cases_) fs::remove(ready.file, ignored);
  std::vector<MeasuredTask> tasks;
  for (Group& each : groups_) {
    each.task.throttling = measure::throttle_reasons(each.throttling);
    // Case by case, as they are read.
    for (const ReadyCase& ready : cases_)
      for (const MeasuredTime* time : each.times)
        if (ready.group == each.task.group && time->case_name == ready.name && time->size == ready.size)
          each.task.times.push_back(*time);
    tasks.push_back(std::move(each.task));
  }
  return tasks;
}

std::vector<LadderTiming::Unjudged> LadderTiming::time_step(const SolutionFile& step) {
  std::vector<Unjudged> unjudged;
  std::vector<const ReadyCase*> left;
  for (const ReadyCase& ready : cases_)
    if (ready.trouble.empty() && is_timed_at(ladder_, step, ready.group)) left.push_back(&ready);
  if (left.empty()) return unjudged;
  std::string trouble = step.trouble;
  const auto build = build_submission(request_for(ladder_, step, workplace_), workplace_.builder, workplace_.backend);
  if (trouble.empty() && !build) trouble = build.sentence();
  if (trouble.empty() && !build->is_built) trouble = "it does not compile";
  if (!trouble.empty()) {
    tell(step, *left.front(), trouble);
    return unjudged;
  }
  while (!left.empty()) {
    std::vector<Samples> samples;
    trouble = call(build->shared_object, left, samples);
    for (std::size_t i = 0; i < left.size() && i < samples.size(); ++i) keep(step, *left[i], samples[i], unjudged);
    if (samples.size() >= left.size()) break;
    tell(step, *left[samples.size()], trouble.empty() ? "no sample was taken" : trouble);
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(samples.size()) + 1);
  }
  return unjudged;
}

LadderTiming::Group& LadderTiming::group(const std::string& name) {
  for (Group& each : groups_)
    if (each.task.group == name) return each;
  Group& fresh = groups_.emplace_back();
  fresh.task.name = ladder_.file->name;
  fresh.task.group = name;
  fresh.task.date = options_.date;
  fresh.task.cccl = options_.cccl;
  return fresh;
}

void LadderTiming::keep(const SolutionFile& step, const ReadyCase& ready, const Samples& samples,
                        std::vector<Unjudged>& unjudged) {
  if (samples.samples.empty()) return tell(step, ready, "no sample was taken");
  MeasuredTime& time = times_.emplace_back();
  time.step = step.source.filename().string();
  time.case_name = ready.name;
  time.size = ready.size;
  if (const auto text = read_file(step.source, kLargestSource)) time.source = code_hash(*text);
  if (ladder_.task->work) {
    const Work work = ladder_.task->work ? ladder_.task->work(ready.problem) : Work{};
    time.bytes = work.bytes;
    for (const ArrayShape& output : ready.problem.outputs) time.written += static_cast<double>(byte_count(output));
    time.flops = work.flops;
  }
  Group& whole = group(ready.group);
  MeasuredTask& task = whole.task;
  task.gpu = samples.gpu;
  task.driver = samples.driver.empty() ? "unknown" : samples.driver;
  task.cuda = samples.cuda;
  for (const measure::Sample& each : summarise(samples, time)) {
    whole.throttling |= each.throttling;
    if (each.sm_clock == 0) continue;
    const int clock = static_cast<int>(each.sm_clock);
    task.sm_clock = std::max(task.sm_clock, clock);
    task.lowest_clock = task.lowest_clock == 0 ? clock : std::min(task.lowest_clock, clock);
  }
  whole.times.push_back(&time);

  time.right = false;
  unjudged.push_back({&step, &ready, &time, {}});
}

// Before the next process writes into the same files. Outputs that cannot be read are not right.
void LadderTiming::read_all(std::vector<Unjudged>& unjudged) {
  run_in_parallel(unjudged.size(), kReadAtATime, [&](std::size_t i) {
    Unjudged& each = unjudged[i];
    auto outputs = read_outputs(each.ready->problem, each.ready->file);
    if (outputs)
      each.outputs = std::move(*outputs);
    else
      tell(*each.step, *each.ready, outputs.sentence());
  });
  const auto is_unread = [](const Unjudged& each) { return each.outputs.size() != each.ready->problem.outputs.size(); };
  unjudged.erase(std::remove_if(unjudged.begin(), unjudged.end(), is_unread), unjudged.end());
}

void LadderTiming::judge(const Unjudged& each) {
  const Judgement judgement = ladder_.task->judge(each.ready->problem, each.ready->expected, each.outputs);
  each.time->right = judgement.right;
  if (!judgement.right) tell(*each.step, *each.ready, "wrong result: " + explain_mismatch(judgement, each.outputs));
}

// A sentence if the process exited early; `samples` are then those of the cases before.
std::string LadderTiming::call(const fs::path& shared_object, const std::vector<const ReadyCase*>& cases,
                               std::vector<Samples>& samples) const {
  const fs::path file = options_.scratch / (ladder_.file->name + ".samples");
  std::error_code ignored;
  fs::remove(file, ignored);
  ProcessOptions options;
  options.command = {workplace_.installation.caller.string(),
                     "--runtime",
                     workplace_.backend.runtime.string(),
                     "--submission",
                     shared_object.string(),
                     "--task",
                     ladder_.file->name,
                     "--samples",
                     file.string(),
                     "--fetch"};
  bool is_brief = false;
  std::chrono::seconds limit = kLongestBegin;
  for (const ReadyCase* ready : cases) {
    limit += kLongestCase;
    if (!is_brief && ready->group != kRaceTimes) options.command.emplace_back("--brief");
    is_brief = ready->group != kRaceTimes;
    options.command.insert(options.command.end(), {"--problem", ready->file.string()});
  }
  options.environment = gpu_environment();
  const auto finished = run_to_end(options, limit, kMostTimesOutput);
  if (!finished) return finished.sentence();
  if (fs::exists(file, ignored)) {
    const auto text = read_file(file, kLargestSamples);
    if (!text) return text.sentence();
    samples = parse_samples(*text);
  }
  if (finished->timed_out) return fmt::format("it took more than {} seconds", limit.count());
  return finished->succeeded() ? "" : fmt::format("it could not be timed: {}", finished->output);
}

}  // namespace

std::vector<std::string> peers_of(const Ladder& ladder) {
  std::vector<std::string> peers;
  for (const SolutionFile& step : ladder.steps)
    if (step.kind == SolutionFile::Kind::kPeer) peers.push_back(step.source.filename().string());
  return peers;
}

const MeasuredTime* fastest_peer(const MeasuredTask& task, const std::vector<std::string>& peers,
                                 const std::string& case_name) {
  const MeasuredTime* best = nullptr;
  for (const std::string& peer : peers) {
    const MeasuredTime* const time = find_time(task, peer, case_name);
    if (time == nullptr) continue;
    const bool is_better = best == nullptr || (time->right && !best->right) ||
                           (time->right == best->right && time->milliseconds < best->milliseconds);
    if (is_better) best = time;
  }
  return best;
}

std::vector<Samples> parse_samples(const std::string& text) {
  std::vector<Samples> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) continue;
    const std::string key = line.substr(0, blank);
    const std::string value = line.substr(blank + 1);
    if (key == "problem") all.emplace_back().problem = std::strtoul(value.c_str(), nullptr, 10);
    if (all.empty()) continue;
    Samples& samples = all.back();
    if (key == "gpu") samples.gpu = value;
    if (key == "driver") samples.driver = value;
    if (key == "cuda") samples.cuda = value;
    if (key == "default_clock") samples.default_clock = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    if (key == "sample") {
      measure::Sample& sample = samples.samples.emplace_back();
      char* rest = nullptr;
      sample.seconds = sample.event_seconds = std::strtod(value.c_str(), &rest) / 1e3;
      sample.sm_clock = static_cast<unsigned>(std::strtoul(rest, &rest, 10));
      sample.throttling = std::strtoull(rest, nullptr, 16);
    }
  }
  return all;
}

std::vector<measure::Sample> summarise(const Samples& samples, MeasuredTime& time) {
  std::vector<measure::Sample> counted;
  for (const measure::Sample& each : samples.samples)
    if (!measure::is_throttled(each, samples.default_clock)) counted.push_back(each);
  if (counted.empty()) counted = samples.samples;
  std::vector<double> milliseconds;
  milliseconds.reserve(counted.size());
  for (const measure::Sample& each : counted) milliseconds.push_back(each.seconds * 1e3);
  const measure::Estimate estimate = measure::median_with_interval(std::move(milliseconds));
  time.milliseconds = estimate.value;
  time.low = estimate.low;
  time.high = estimate.high;
  time.samples = static_cast<int>(counted.size());
  time.discarded = static_cast<int>(samples.samples.size() - counted.size());
  return counted;
}

std::vector<MeasuredTask> time_ladder(const Ladder& ladder, const std::vector<ReadyCase>& cases,
                                      const Workplace& workplace, const TimingOptions& options) {
  return LadderTiming(ladder, cases, workplace, options).run();
}

std::string times_text(const MeasuredTask& task, const Ladder& ladder) {
  const std::vector<std::string> peers = peers_of(ladder);
  std::size_t widest = 0;
  for (const MeasuredTime& time : task.times) widest = std::max(widest, columns_of(time.step));
  std::string text;
  std::string case_name;
  for (const MeasuredTime& time : task.times) {
    if (time.case_name != case_name) text += fmt::format("\n{} · {} · {}\n", task.name, time.case_name, task.gpu);
    case_name = time.case_name;
    const MeasuredTime* const naive = find_time(task, ladder.file->baseline, case_name);
    const MeasuredTime* const peer = fastest_peer(task, peers, case_name);
    text += fmt::format("  {:<{}}  {:>20}  {:>13}", time.step, widest, interval_text(time),
                        rate_text(time.milliseconds, time.bytes, time.flops));
    if (naive != nullptr) text += fmt::format("  {:>6.2f} × naive", naive->milliseconds / time.milliseconds);
    if (peer != nullptr && peer != &time)
      text += fmt::format("  {:>5.2f} × {}", peer->milliseconds / time.milliseconds, peer->step);
    text += time.right ? "\n" : "  DIFFERENT RESULT\n";
  }
  return text;
}

bool has_right_times(const MeasuredTask& task, const TaskFile& file, const std::string& group,
                     const SolutionFile& step) {
  return std::all_of(file.cases.begin(), file.cases.end(), [&](const CaseFile& each) {
    if (each.group != group || each.backend == "vgpu") return true;
    const MeasuredTime* const own = find_time(task, step.source.filename().string(), each.name);
    return own != nullptr && own->right;
  });
}

}  // namespace lanewise
