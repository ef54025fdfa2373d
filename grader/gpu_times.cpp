// One process a step: the case from a file, samples into another, outputs back into the first.
#include "grader/gpu_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <sstream>

#include "harness/lab/read_file.h"
#include "harness/report/safe_text.h"
#include "harness/runner/explain.h"
#include "harness/runner/grade.h"
#include "harness/runner/problem_file.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestSamples = 1 << 20;
constexpr std::size_t kMostOutput = 16 << 10;
constexpr std::chrono::minutes kLongestStep{3};

// What decides which GPU there is, and where its driver lies.
std::vector<std::string> gpu_environment() {
  std::vector<std::string> environment = {"LANG=C.UTF-8"};
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"})
    if (const char* value = std::getenv(name)) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

class LadderTiming {
 public:
  LadderTiming(const Ladder& ladder, const Workplace& workplace, const TimingOptions& options)
      : ladder_(ladder), workplace_(workplace), options_(options) {
    measured_.name = ladder.file->name;
    measured_.date = options.date;
  }

  Expected<MeasuredTask> run();

 private:
  std::optional<Failure> time_case(const CaseFile& each);
  /// Outputs to be judged while the next step's process begins.
  struct Unjudged {
    const DemoSubmission* step = nullptr;
    std::size_t time = 0;  ///< of measured_.times
    std::vector<Array> outputs;
  };

  std::string time_step(const DemoSubmission& step, const CaseFile& each, const Problem& problem, Unjudged& unjudged);
  std::string call(const fs::path& shared_object, Samples& samples) const;
  void tell(const DemoSubmission& step, const CaseFile& each, const std::string& what) const {
    options_.trouble(
        fmt::format("{} · {} · {}: {}", ladder_.file->name, step.source.filename().string(), each.name, what));
  }

  const Ladder& ladder_;
  const Workplace& workplace_;
  const TimingOptions& options_;
  fs::path problem_file_;
  MeasuredTask measured_;
};

Expected<MeasuredTask> LadderTiming::run() {
  problem_file_ = options_.scratch / (ladder_.file->name + ".timed");
  for (const CaseFile& each : ladder_.file->cases) {
    if (each.group != options_.group || each.backend == "vgpu") continue;
    if (auto failure = time_case(each)) return std::move(*failure);
  }
  std::error_code ignored;
  fs::remove(problem_file_, ignored);
  return measured_;
}

std::optional<Failure> LadderTiming::time_case(const CaseFile& each) {
  const std::string where = fmt::format("{} · {}", ladder_.file->name, each.name);
  options_.progress(where + " · making the case");
  const auto made = problem_of(ladder_, each);
  if (const auto* missing = std::get_if<MissingData>(&made)) {
    options_.trouble(fmt::format("{}: {}", where, missing->sentence));
    return std::nullopt;
  }
  const auto& problem = std::get<Problem>(made);
  if (auto failure = write_problem(problem, problem_file_)) return failure;
  options_.progress(where + " · computing what is right");
  const std::vector<Array> expected = ladder_.task->oracle(problem);
  // A step's process usually takes longer to begin than the one before takes to be judged. Where host memory is timed,
  // which judging would disturb, that is waited for.
  const bool times_host_memory = problem.space == Space::kHost;
  Unjudged judged;  // outlives `judging`, whose destructor waits for who reads it
  std::future<Judgement> judging;
  const auto finish_judging = [&] {
    if (!judging.valid()) return;
    const Judgement judgement = judging.get();
    measured_.times[judged.time].right = judgement.right;
    if (!judgement.right) tell(*judged.step, each, "it is not right: " + explain_mismatch(judgement, judged.outputs));
  };
  for (const DemoSubmission& step : ladder_.steps) {
    options_.progress(fmt::format("{} · {}", where, step.source.filename().string()));
    Unjudged unjudged;
    if (times_host_memory) finish_judging();
    const std::string trouble = time_step(step, each, problem, unjudged);
    finish_judging();
    if (!trouble.empty()) tell(step, each, trouble);
    if (unjudged.step == nullptr) continue;
    judged = std::move(unjudged);
    judging = std::async(std::launch::async, [&] { return ladder_.task->judge(problem, expected, judged.outputs); });
  }
  finish_judging();
  return std::nullopt;
}

// A sentence if it could not be timed.
std::string LadderTiming::time_step(const DemoSubmission& step, const CaseFile& each, const Problem& problem,
                                    Unjudged& unjudged) {
  if (!step.trouble.empty()) return step.trouble;
  const GradeRequest request = request_for(ladder_, step, workplace_);
  const auto build = build_submission(request, workplace_.builder, workplace_.backend);
  if (!build) return build.sentence();
  if (!build->is_built) return "it does not compile";
  Samples samples;
  if (std::string trouble = call(build->shared_object, samples); !trouble.empty()) return trouble;
  if (samples.milliseconds.empty()) return "no sample was taken";

  MeasuredTime& time = measured_.times.emplace_back();
  time.step = step.source.filename().string();
  time.case_name = each.name;
  if (const auto text = read_file(step.source, kLargestSource)) time.source = code_hash(*text);
  time.milliseconds = median(samples.milliseconds);
  time.samples = static_cast<int>(samples.milliseconds.size());
  if (ladder_.task->work) {
    const Work work = ladder_.task->work(problem);
    time.bytes = work.bytes;
    time.flops = work.flops;
  }
  measured_.gpu = samples.gpu;
  measured_.driver = samples.driver.empty() ? "unknown" : samples.driver;
  measured_.cuda = samples.cuda;
  measured_.sm_clock = std::max(measured_.sm_clock, samples.sm_clock);

  time.right = false;
  auto outputs = read_outputs(problem, problem_file_);
  if (!outputs) return outputs.sentence();
  unjudged = {&step, measured_.times.size() - 1, std::move(*outputs)};
  return "";
}

std::string LadderTiming::call(const fs::path& shared_object, Samples& samples) const {
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
                     "--problem",
                     problem_file_.string(),
                     "--samples",
                     file.string(),
                     "--fetch"};
  options.environment = gpu_environment();
  const auto finished = run_to_end(options, kLongestStep, kMostOutput);
  if (!finished) return finished.sentence();
  if (finished->timed_out) return "it took more than three minutes";
  if (!finished->succeeded()) return fmt::format("it could not be timed: {}", finished->output);
  const auto text = read_file(file, kLargestSamples);
  if (!text) return text.sentence();
  samples = parse_samples(*text);
  return "";
}

const MeasuredTime* find_time(const MeasuredTask& task, const std::string& step, const std::string& case_name) {
  for (const MeasuredTime& time : task.times)
    if (time.step == step && time.case_name == case_name) return &time;
  return nullptr;
}

// The fastest of the peers; one with another result only if there is no other.
const MeasuredTime* fastest_peer(const MeasuredTask& task, const Ladder& ladder, const std::string& case_name) {
  const MeasuredTime* best = nullptr;
  for (const DemoSubmission& step : ladder.steps) {
    if (step.kind != DemoSubmission::Kind::kPeer) continue;
    const MeasuredTime* const time = find_time(task, step.source.filename().string(), case_name);
    if (time == nullptr) continue;
    const bool is_better = best == nullptr || (time->right && !best->right) ||
                           (time->right == best->right && time->milliseconds < best->milliseconds);
    if (is_better) best = time;
  }
  return best;
}

}  // namespace

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

Samples parse_samples(const std::string& text) {
  Samples samples;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) continue;
    const std::string key = line.substr(0, blank);
    const std::string value = line.substr(blank + 1);
    if (key == "gpu") samples.gpu = value;
    if (key == "driver") samples.driver = value;
    if (key == "cuda") samples.cuda = value;
    if (key == "sm_clock") samples.sm_clock = static_cast<int>(std::strtol(value.c_str(), nullptr, 10));
    if (key == "sample") samples.milliseconds.push_back(std::strtod(value.c_str(), nullptr));
  }
  return samples;
}

Expected<MeasuredTask> time_ladder(const Ladder& ladder, const Workplace& workplace, const TimingOptions& options) {
  return LadderTiming(ladder, workplace, options).run();
}

std::string times_text(const MeasuredTask& task, const Ladder& ladder) {
  std::size_t widest = 0;
  for (const MeasuredTime& time : task.times) widest = std::max(widest, columns_of(time.step));
  std::string text;
  std::string case_name;
  for (const MeasuredTime& time : task.times) {
    if (time.case_name != case_name) text += fmt::format("\n{} · {} · {}\n", task.name, time.case_name, task.gpu);
    case_name = time.case_name;
    const MeasuredTime* const naive = find_time(task, ladder.file->baseline, case_name);
    const MeasuredTime* const peer = fastest_peer(task, ladder, case_name);
    text += fmt::format("  {:<{}}  {:>9}  {:>13}", time.step, widest, milliseconds_text(time.milliseconds),
                        rate_text(time.milliseconds, time.bytes, time.flops));
    if (naive != nullptr) text += fmt::format("  {:>6.2f} × naive", naive->milliseconds / time.milliseconds);
    if (peer != nullptr && peer != &time)
      text += fmt::format("  {:>5.2f} × {}", peer->milliseconds / time.milliseconds, peer->step);
    text += time.right ? "\n" : "  ANOTHER RESULT\n";
  }
  return text;
}

bool has_right_times(const MeasuredTask& task, const TaskFile& file, const std::string& group,
                     const DemoSubmission& step) {
  return std::all_of(file.cases.begin(), file.cases.end(), [&](const CaseFile& each) {
    if (each.group != group || each.backend == "vgpu") return true;
    const MeasuredTime* const own = find_time(task, step.source.filename().string(), each.name);
    return own != nullptr && own->right;
  });
}

std::vector<MeasuredTask> with_task(std::vector<MeasuredTask> tasks, const MeasuredTask& task) {
  const auto same =
      std::find_if(tasks.begin(), tasks.end(), [&task](const MeasuredTask& each) { return each.name == task.name; });
  if (same != tasks.end())
    *same = task;
  else
    tasks.push_back(task);
  return tasks;
}

}  // namespace lanewise
