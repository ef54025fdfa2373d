// The loop over cases: make, run, judge; with a fresh worker whenever the last one is spent.
#include "harness/runner/verdict/task_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <system_error>

#include "harness/runner/interruption.h"
#include "harness/runner/problems.h"
#include "harness/runner/session/explain.h"
#include "harness/runner/session/findings.h"
#include "harness/runner/verdict/class_table.h"
#include "harness/runner/verdict/goals.h"
#include "harness/runner/verdict/host_share.h"
#include "harness/runner/verdict/recognise.h"
#include "harness/runner/verdict/run_limits.h"
#include "harness/runner/verdict/speed.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPrinted = 16 << 10;

// "block + 1" as part of a file name.
std::string file_name_of(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return text;
}

bool is_refused_launch(const Finding& finding) { return finding.tool == "runtime" && finding.kind == "launch refused"; }

class TaskRun {
 public:
  TaskRun(const Task& task, const TaskFile& file, const TaskRunOptions& options, TaskVerdict& verdict)
      : task_(task), file_(file), options_(options), verdict_(verdict) {}

  std::optional<Failure> run();
  const DeviceInfo& device() const { return device_; }

 private:
  enum class Open { kReady, kSettled, kFailed };

  Open open_session();
  void spend_session();
  void fill_remaining(const Explained& explained);
  bool is_to_stop() const { return is_interrupted() || (options_.stops_at_failure && has_failed_case(verdict_.cases)); }
  void settle_partial();
  const std::variant<Problem, MissingData>& make(const CaseFile& case_file);
  CaseObservation call(const CaseFile& case_file, const Problem& problem, CaseOptions options);
  void run_case(const CaseFile& case_file, const Problem& problem, CaseVerdict& verdict);
  void judge(const CaseObservation& observation, const Problem& problem, CaseVerdict& verdict);
  std::optional<Failure> run_in_another_order();
  void judge_in_another_order(const CaseFile& case_file, const Problem& problem, CaseVerdict& verdict);
  const std::vector<Array>& expected_of(const Problem& problem);
  void note_failed_lab(const std::string& case_name, const std::string& what) const;
  void judge_outputs(const CaseObservation& observation, const Problem& problem, CaseVerdict& verdict);
  std::vector<Match> misconceptions_behind(const CaseObservation& observation, const Problem& problem,
                                           const std::vector<Array>& expected);
  std::vector<std::size_t> harmless_in(const CaseVerdict& verdict, std::vector<std::size_t> candidates);
  void withdraw_goals(const CaseVerdict& verdict);
  void judge_goals(const CaseObservation& observation, const Problem& problem, const CaseVerdict& verdict);
  void leave_out_goals();
  void observe_speed(const CaseObservation& observation, const Problem& problem, const CaseVerdict& verdict);
  std::optional<Failure> observe_growth();
  void settle_speed();
  void add_guard_findings(const CaseObservation& observation, const CaseVerdict& verdict);
  bool is_modelled(const std::string& case_name) const {
    return file_.points.fast > 0 && options_.backend == "vgpu" && case_name == file_.speed.modelled_case;
  }
  std::uint64_t seed_of(const CaseFile& case_file) const {
    return case_seed(options_.seed, options_.lab, task_.name, case_file.name);
  }
  const CaseFile& case_of(const CaseVerdict& verdict) const {
    return *std::find_if(file_.cases.begin(), file_.cases.end(),
                         [&verdict](const CaseFile& each) { return each.name == verdict.name; });
  }
  void note_hang(const CaseFile& case_file, const CaseObservation& observation, const Problem& problem) {
    if (std::any_of(observation.findings.begin(), observation.findings.end(), [](const Finding& finding) {
          return finding.kind == "endless loop" || finding.kind == "endless wait";
        }))
      return;  // the virtual GPU saw it soon
    hung_.add(observation.ending == RunEnding::kCudaError ? launch_budget(task_, file_, case_file, problem) : 0);
  }
  bool can_count() const { return !options_.session.devices.empty() && options_.session.monitors != "none"; }
  // Large cases, which earn no points: nothing to spend seconds on for a submission that has failed already.
  bool is_for_the_model_alone(const CaseFile& case_file) const {
    return case_file.points == 0 && is_modelled(case_file.name);
  }
  std::chrono::milliseconds limit() const { return call_limit(file_, options_.backend == "vgpu"); }

  const Task& task_;
  const TaskFile& file_;
  const TaskRunOptions& options_;
  TaskVerdict& verdict_;
  DeviceInfo device_;
  std::unique_ptr<Session> session_;
  std::shared_ptr<const Instance> instance_;  // of the case that is run, where cases are shared
  std::variant<Problem, MissingData> own_;    // likewise, where they are not
  std::vector<Array> own_expected_;           // its right answer
  std::string failure_;
  Matches matches_;
  std::set<std::size_t> ruled_out_;    ///< misconceptions that a wrong case contradicts
  std::vector<std::size_t> in_doubt_;  ///< right cases, by number, that may depend on the order of blocks and warps
  std::size_t cases_in_all_ = 0;       ///< of the groups
  HungCases hung_;
  SizedCall modelled_;        ///< the modelled case, once it is known how long it takes
  bool model_waits_ = false;  ///< the case for the model alone is left out until every other case is right
};

std::optional<Failure> TaskRun::run() {
  for (const CaseFile& case_file : file_.cases) {
    if (options_.groups.count(case_file.group) == 0) continue;
    ++cases_in_all_;
    if (!options_.cases.empty() && options_.cases.count(case_file.name) == 0) continue;
    CaseVerdict& verdict = verdict_.cases.emplace_back();
    matches_.emplace_back();
    verdict.name = case_file.name;
    verdict.group = case_file.group;
    verdict.why = case_file.why;
    verdict.max_points = case_file.points;
    if (!case_file.backend.empty() && case_file.backend != options_.backend) {
      verdict.outcome = CaseOutcome::kLeftOut;
      verdict.sentence = fmt::format("for the backend {} only", case_file.backend);
    }
  }
  for (GoalVerdict& goal : verdict_.goals = unmeasured_goals(file_, ""))
    goal.sentence = fmt::format("{}: the case '{}' was not run", goal.heading, goal.case_name);
  verdict_.speed.case_name = file_.speed.modelled_case;
  verdict_.speed.is_modelled = verdict_.speed.is_gradable = options_.backend == "vgpu";
  // Even without cases to run: whether the function is there at all is known only once it is loaded.
  if (const Open open = open_session(); open == Open::kFailed) return Failure{failure_};
  for (CaseVerdict& verdict : verdict_.cases) {
    if (verdict_.state != TaskState::kGraded || is_to_stop()) break;
    if (verdict.outcome != CaseOutcome::kNotRun || !verdict.sentence.empty()) continue;
    if (hung_.are_enough()) {
      verdict.sentence = "not run: " + hung_.text();
      continue;
    }
    const CaseFile& case_file = case_of(verdict);
    if (is_for_the_model_alone(case_file) && has_failed_case(verdict_.cases)) {
      verdict.outcome = CaseOutcome::kLeftOut;
      verdict.sentence = "its time is modelled once every other case is right";
      model_waits_ = true;
      continue;
    }
    const auto& made = make(case_file);
    if (const auto* missing = std::get_if<MissingData>(&made)) {
      // Left out, it would count neither way, and fewer cases would be worth all points.
      if (missing->is_mistake) return Failure{fmt::format("{}/{}", options_.lab, missing->sentence)};
      verdict.outcome = CaseOutcome::kLeftOut;
      verdict.sentence = missing->sentence;
      continue;
    }
    if (!session_) {
      const Open open = open_session();
      if (is_interrupted()) break;
      if (open == Open::kFailed) return Failure{failure_};
      if (open == Open::kSettled) continue;
    }
    run_case(case_file, std::get<Problem>(made), verdict);
    if (!is_modelled(verdict.name) || !verdict_.speed.is_known || file_.speed.smaller.name.empty()) continue;
    if (auto failure = observe_growth()) return failure;
  }
  spend_session();
  if (!is_to_stop())
    if (auto failure = run_in_another_order()) return failure;
  settle_partial();
  hold_back_goals(file_, verdict_.goals);
  leave_out_goals();
  settle_speed();
  name_misconception(
      task_, matches_,
      [this](std::size_t number, const std::vector<std::size_t>& candidates) {
        return harmless_in(verdict_.cases[number], candidates);
      },
      verdict_.cases);
  return std::nullopt;
}

TaskRun::Open TaskRun::open_session() {
  auto started = Session::start(options_.session);
  if (!started) {
    failure_ = started.sentence();
    return Open::kFailed;
  }
  session_ = std::move(*started);
  device_ = session_->device();
  const LoadObservation load = session_->load(options_.shared_object, task_.name, limit());
  merge_findings(verdict_.findings, explain_refused(load.trouble.refused, "loading"));
  if (!load.is_loaded) {
    spend_session();
    if (is_interrupted()) return Open::kSettled;
    Explained explained = explain_ending(load.trouble, file_.time_limit_seconds);
    explained.sentence = "while it was being loaded: " + explained.sentence;
    fill_remaining(explained);
    return Open::kSettled;
  }
  if (load.is_defined && !load.is_empty) return Open::kReady;
  verdict_.state = load.is_defined ? TaskState::kNotStarted : TaskState::kMissing;
  verdict_.cases.clear();
  matches_.clear();
  spend_session();
  return Open::kSettled;
}

void TaskRun::spend_session() {
  if (!session_) return;
  const CapturedOutput& printed = session_->printed();
  verdict_.output += printed.text().substr(0, kMostPrinted - std::min(kMostPrinted, verdict_.output.size()));
  verdict_.output_bytes += printed.total_bytes();
  session_.reset();
}

// What breaks while loading would break again with every case.
void TaskRun::fill_remaining(const Explained& explained) {
  for (CaseVerdict& verdict : verdict_.cases) {
    if (verdict.outcome != CaseOutcome::kNotRun || !verdict.sentence.empty()) continue;
    verdict.outcome = explained.outcome;
    verdict.sentence = explained.sentence;
  }
}

// Cases that were not run, since the user wanted it so, are neither right nor wrong: there is no score without them.
void TaskRun::settle_partial() {
  if (verdict_.state != TaskState::kGraded) return;
  if (is_to_stop()) {
    const auto was_not_run = [](const CaseVerdict& each) {
      return each.outcome == CaseOutcome::kNotRun && each.sentence.empty();
    };
    std::vector<CaseVerdict>& cases = verdict_.cases;
    cases.erase(std::remove_if(cases.begin(), cases.end(), was_not_run), cases.end());
    matches_.resize(cases.size());  // they were the last
  }
  if (verdict_.cases.size() == cases_in_all_ && !is_interrupted()) return;
  verdict_.partial = fmt::format("{} of {} cases {} run", verdict_.cases.size(), cases_in_all_,
                                 verdict_.cases.size() == 1 ? "was" : "were");
  if (is_interrupted())
    verdict_.partial += " before it was interrupted";
  else if (is_to_stop())
    verdict_.partial += ", up to the first that fails";
}

// A case with its right answer, maybe made for another submission already; until the next one is made.
const std::variant<Problem, MissingData>& TaskRun::make(const CaseFile& case_file) {
  const std::uint64_t seed = seed_of(case_file);
  instance_ = options_.instances != nullptr ? options_.instances->get(task_, case_file, seed) : nullptr;
  own_ = instance_ ? std::variant<Problem, MissingData>() : make_problem(task_, case_file, seed);
  return instance_ ? instance_->made : own_;
}

CaseObservation TaskRun::call(const CaseFile& case_file, const Problem& problem, CaseOptions options) {
  if (options_.progress) options_.progress(fmt::format("{} · {} · {}", options_.lab, task_.name, case_file.name));
  options.instruction_budget = static_cast<std::uint64_t>(launch_budget(task_, file_, case_file, problem));
  options.host_limit = host_limit(file_);
  CaseObservation observation = session_->run(problem, case_file.name, limit(), options);
  if (!session_->is_usable()) spend_session();
  merge_findings(verdict_.findings, explain_refused(observation.refused, case_file.name));
  return observation;
}

void TaskRun::run_case(const CaseFile& case_file, const Problem& problem, CaseVerdict& verdict) {
  verdict.sizes = describe_scalars(problem);
  const auto is_counted_here = [&](const GoalFile& goal) { return goal.case_name == case_file.name; };
  const std::vector<std::string>& classes = file_.classes.cases;
  const bool shows_who_worked = problem.space == Space::kHost;
  const bool is_counted = shows_who_worked || is_modelled(case_file.name) ||
                          std::any_of(file_.goals.begin(), file_.goals.end(), is_counted_here) ||
                          std::find(classes.begin(), classes.end(), case_file.name) != classes.end();
  CaseOptions options;
  options.wants_counts = is_counted;
  const CaseObservation observation = call(case_file, problem, options);
  if (is_interrupted()) return;
  verdict.seconds = observation.seconds;
  merge_findings(verdict_.findings, observation.findings);
  add_guard_findings(observation, verdict);
  try {
    judge(observation, problem, verdict);
    if (verdict.outcome == CaseOutcome::kRight && is_counted && can_count() && !observation.counts) {
      verdict.outcome = CaseOutcome::kWrong;
      verdict.sentence = "the values are right, but what the call costs does not fit into a report";
    }
    if (verdict.outcome == CaseOutcome::kRight && observation.depends_on_order)
      in_doubt_.push_back(static_cast<std::size_t>(&verdict - verdict_.cases.data()));
  } catch (const std::exception& error) {
    verdict.outcome = CaseOutcome::kLeftOut;
    verdict.sentence = fmt::format("the lab cannot judge this case: {}", error.what());
    note_failed_lab(verdict.name, error.what());
  }
  if (verdict.outcome == CaseOutcome::kRight) verdict.points = verdict.max_points;
  judge_goals(observation, problem, verdict);
  if (is_modelled(case_file.name)) observe_speed(observation, problem, verdict);
  if (verdict.outcome == CaseOutcome::kRight && observation.counts)
    add_to_classes(file_.classes, case_file.name, observation.counts->sums, verdict_.classes);
  if (verdict.outcome == CaseOutcome::kTimedOut) note_hang(case_file, observation, problem);
}

// On the virtual GPU blocks run one after another unless they wait, and so do warps: right values may be luck. Nothing
// that was kept from the first time is there any more, so that it cannot be told from this one.
std::optional<Failure> TaskRun::run_in_another_order() {
  hung_ = {};
  for (const std::size_t number : in_doubt_) {
    if (!session_ && !hung_.are_enough() && open_session() == Open::kFailed) return Failure{failure_};
    if (verdict_.state != TaskState::kGraded || is_to_stop()) break;  // what was there is no more
    CaseVerdict& verdict = verdict_.cases[number];
    if (session_) {
      const CaseFile& case_file = case_of(verdict);
      judge_in_another_order(case_file, std::get<Problem>(make(case_file)), verdict);
    } else {
      verdict.outcome = CaseOutcome::kNotRun;
      verdict.sentence = "not run in another order: " +
                         (hung_.are_enough() ? hung_.text() : std::string("it could not be loaded once more"));
    }
    if (verdict.outcome == CaseOutcome::kRight) continue;
    verdict.points = 0;
    withdraw_goals(verdict);
  }
  session_.reset();
  return std::nullopt;
}

void TaskRun::judge_in_another_order(const CaseFile& case_file, const Problem& problem, CaseVerdict& verdict) {
  CaseOptions options;
  options.schedule_seed = seed_of(case_file) | 1;
  const CaseObservation observation = call(case_file, problem, options);
  if (is_interrupted()) return;
  add_other_places(verdict_.findings, observation.findings);
  add_guard_findings(observation, verdict);
  judge(observation, problem, verdict);  // the oracle has not failed before
  if (verdict.outcome == CaseOutcome::kRight) return;
  // Where the clock struck, a busy machine may be the reason.
  const bool was_late = observation.ending == RunEnding::kTimedOut && observation.host_seconds == 0;
  verdict.sentence =
      fmt::format("right {}in one order of execution; in another, {}", was_late ? "" : "only ", verdict.sentence);
  if (verdict.outcome == CaseOutcome::kTimedOut) note_hang(case_file, observation, problem);
}

void TaskRun::judge(const CaseObservation& observation, const Problem& problem, CaseVerdict& verdict) {
  const Explained explained = explain_ending(observation, file_.time_limit_seconds);
  verdict.outcome = explained.outcome;
  verdict.sentence = explained.sentence;
  if (observation.crash.instruction != 0)
    verdict.crash_site = {options_.shared_object.filename().string(), observation.crash.instruction};
  verdict.touched = observation.crash.allocation;
  if (observation.ending == RunEnding::kReturned && !observation.has_outputs) {
    verdict.outcome = CaseOutcome::kCudaError;
    verdict.sentence = "left the device in a state from which no results can be read";
  } else if (observation.ending == RunEnding::kReturned) {
    judge_outputs(observation, problem, verdict);
  }
}

// Until the next case. Throws std::invalid_argument if the oracle failed.
const std::vector<Array>& TaskRun::expected_of(const Problem& problem) {
  if (!instance_) return own_expected_ = task_.oracle(problem);
  if (!instance_->trouble.empty()) throw std::invalid_argument(instance_->trouble);
  return instance_->expected;
}

void TaskRun::judge_outputs(const CaseObservation& observation, const Problem& problem, CaseVerdict& verdict) {
  const std::vector<Array>& expected = expected_of(problem);
  verdict.judgement = task_.judge(problem, expected, observation.outputs);
  const std::string stray = explain_stray_writes(observation);
  const double flops = task_.work ? task_.work(problem).flops : 0;
  const std::string own_work = observation.counts ? work_without_kernels(problem, flops, *observation.counts) : "";
  if (verdict.judgement.right && stray.empty() && own_work.empty()) return;
  verdict.outcome = CaseOutcome::kWrong;
  if (verdict.judgement.right && !own_work.empty())
    verdict.sentence = "the values are right, but the host computed them: " + own_work;
  else
    verdict.sentence = explain_mismatch(verdict.judgement, observation.outputs);
  if (!stray.empty()) verdict.sentence += (verdict.sentence.empty() ? "" : "; ") + stray;
  if (verdict.judgement.right) return;

  // What was never launched explains what was never written. Only an empty grid may have a misconception behind it.
  const auto refused = std::find_if(observation.findings.begin(), observation.findings.end(), is_refused_launch);
  if (refused != observation.findings.end()) {
    verdict.sentence += "; " + refused->sentence;
    if (refused->sentence.find("the grid is empty") == std::string::npos) return;
  }

  try {
    matches_[static_cast<std::size_t>(&verdict - verdict_.cases.data())] =
        misconceptions_behind(observation, problem, expected);
  } catch (const std::invalid_argument& error) {  // which leaves the answer as wrong as it is
    note_failed_lab(verdict.name, error.what());
  }
  if (options_.pictures.empty() || !task_.illustrate) return;
  const fs::path folder =
      options_.pictures / fmt::format("{}_{}", file_name_of(task_.name), file_name_of(verdict.name));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return;
  for (const std::string& picture : task_.illustrate(problem, expected, observation.outputs, folder))
    verdict.pictures.push_back((folder.filename() / picture).string());
}

void TaskRun::note_failed_lab(const std::string& case_name, const std::string& what) const {
  if (options_.lab_failed)
    options_.lab_failed(fmt::format("{} · {} · {}: {}", options_.lab, task_.name, case_name, what));
}

// Without those that yield to what was found in the case. The guard bands of a GPU stand in for memcheck.
std::vector<Match> TaskRun::misconceptions_behind(const CaseObservation& observation, const Problem& problem,
                                                  const std::vector<Array>& expected) {
  Outcomes own;
  std::vector<Match> matches = matching_misconceptions(task_, problem, expected, observation.outputs,
                                                       instance_ ? instance_->outcomes : own, ruled_out_);
  std::vector<Finding> findings = observation.findings;
  if (!observation.guards.empty()) findings.emplace_back().tool = "memcheck";
  const auto is_doubtful = [&](const Match& match) {
    return yields(task_.misconceptions[match.misconception], findings);
  };
  matches.erase(std::remove_if(matches.begin(), matches.end(), is_doubtful), matches.end());
  return matches;
}

std::vector<std::size_t> TaskRun::harmless_in(const CaseVerdict& verdict, std::vector<std::size_t> candidates) {
  const auto* const problem = std::get_if<Problem>(&make(case_of(verdict)));
  if (problem == nullptr) return candidates;
  Outcomes own;
  Outcomes& outcomes = instance_ ? instance_->outcomes : own;
  const std::vector<Array>& expected = expected_of(*problem);
  const auto does_harm = [&](std::size_t i) {
    try {
      return !is_harmless(task_, *problem, expected, i, outcomes);
    } catch (const std::invalid_argument& error) {
      note_failed_lab(verdict.name, error.what());
      return true;
    }
  };
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(), does_harm), candidates.end());
  return candidates;
}

// What a wrong answer cost says nothing.
void TaskRun::judge_goals(const CaseObservation& observation, const Problem& problem, const CaseVerdict& verdict) {
  for (std::size_t i = 0; i < verdict_.goals.size(); ++i) {
    GoalVerdict& goal = verdict_.goals[i];
    if (goal.case_name != verdict.name || options_.backend != "vgpu") continue;
    if (verdict.outcome != CaseOutcome::kRight)
      goal.sentence = fmt::format("{}: counts once the case '{}' is right", goal.heading, goal.case_name);
    else if (!observation.counts)
      goal.sentence = fmt::format("{}: the case '{}' could not be counted", goal.heading, goal.case_name);
    else if (const auto launches = observation.counts->sums.find("launches");
             launches == observation.counts->sums.end() || launches->second == 0)
      goal.sentence = fmt::format("{}: no kernel ran in the case '{}'", goal.heading, goal.case_name);
    else if (const std::string doubt = doubt_that_kernels_did_it(problem, *observation.counts); !doubt.empty())
      goal.sentence =
          fmt::format("{}: put aside for review: in the case '{}', {}", goal.heading, goal.case_name, doubt);
    else
      measure_goal(file_.goals[i], *observation.counts, goal);
  }
}

// Of a case that has turned out wrong.
void TaskRun::withdraw_goals(const CaseVerdict& verdict) {
  for (std::size_t i = 0; i < verdict_.goals.size(); ++i)
    if (verdict_.goals[i].case_name == verdict.name) verdict_.goals[i] = unmeasured_goals(file_, "")[i];
  judge_goals({}, {}, verdict);
}

// Goals whose cases were not to be run, or could not be; all of them where nothing counts.
void TaskRun::leave_out_goals() {
  for (GoalVerdict& goal : verdict_.goals) {
    const auto run = std::find_if(verdict_.cases.begin(), verdict_.cases.end(),
                                  [&goal](const CaseVerdict& each) { return each.name == goal.case_name; });
    const bool waits = model_waits_ && is_modelled(goal.case_name);
    goal.is_left_out =
        options_.backend != "vgpu" || run == verdict_.cases.end() || (run->outcome == CaseOutcome::kLeftOut && !waits);
    if (waits) goal.sentence = fmt::format("{}: counts once every case is right", goal.heading);
  }
}

void TaskRun::observe_speed(const CaseObservation& observation, const Problem& problem, const CaseVerdict& verdict) {
  SpeedVerdict& speed = verdict_.speed;
  speed.sizes = verdict.sizes;
  speed.device = device_.name;
  if (verdict.outcome != CaseOutcome::kRight)
    speed.sentence = fmt::format("counts once the case '{}' is right", verdict.name);
  else if (observation.counts) {
    modelled_ = {observation.counts->modelled, task_.work ? task_.work(problem) : Work{}};
    take_modelled(*observation.counts, modelled_.work, file_.speed, speed);
    if (speed.review.empty()) speed.review = doubt_that_kernels_did_it(problem, *observation.counts);
  } else {
    speed.is_gradable = false;
  }
}

// The modelled case once more with less data, judged like any other.
std::optional<Failure> TaskRun::observe_growth() {
  SpeedVerdict& speed = verdict_.speed;
  const auto unknown = [&speed](const std::string& why, bool is_gradable) {
    speed.is_known = false;
    speed.is_gradable = is_gradable;
    speed.sentence = fmt::format("no time at scale without a right answer to a smaller call: {}", why);
    return std::nullopt;
  };
  const CaseFile& smaller = file_.speed.smaller;
  const auto& made = make(smaller);
  if (const auto* missing = std::get_if<MissingData>(&made)) return unknown(missing->sentence, false);
  const auto& problem = std::get<Problem>(made);
  if (!session_) {
    const Open open = open_session();
    if (open == Open::kFailed) return Failure{failure_};
    if (open == Open::kSettled) return unknown("it could not be loaded once more", true);
  }
  CaseOptions options;
  options.wants_counts = true;
  const CaseObservation observation = call(smaller, problem, options);
  merge_findings(verdict_.findings, observation.findings);
  const std::string sizes = describe_scalars(problem);
  const Explained ending = explain_ending(observation, file_.time_limit_seconds);
  if (observation.ending != RunEnding::kReturned || !observation.has_outputs)
    return unknown(fmt::format("{}: {}", sizes, ending.sentence), true);
  try {
    const Judgement judgement = task_.judge(problem, expected_of(problem), observation.outputs);
    if (!judgement.right)
      return unknown(fmt::format("{}: {}", sizes, explain_mismatch(judgement, observation.outputs)), true);
  } catch (const std::exception& error) {
    note_failed_lab(file_.speed.smaller.name, error.what());
    return unknown(fmt::format("{}: the lab cannot judge it: {}", sizes, error.what()), false);
  }
  if (!observation.counts) return unknown(fmt::format("{}: what it costs does not fit into a report", sizes), true);
  take_growth(modelled_, {observation.counts->modelled, task_.work ? task_.work(problem) : Work{}}, speed);
  return std::nullopt;
}

// A case that was not to be run, or could not be, is not the submission's doing; one that waits for the others is.
void TaskRun::settle_speed() {
  SpeedVerdict& speed = verdict_.speed;
  if (options_.backend != "vgpu") return;
  const auto run = std::find_if(verdict_.cases.begin(), verdict_.cases.end(),
                                [this](const CaseVerdict& each) { return is_modelled(each.name); });
  const bool was_run = run != verdict_.cases.end() && run->outcome != CaseOutcome::kLeftOut;
  if (!was_run && !model_waits_) speed.is_gradable = false;
  if (model_waits_) speed.sentence = "timed once every case is right";
  if (speed.is_known || !speed.sentence.empty()) return;
  speed.sentence = speed.case_name.empty()
                       ? kNotModelled
                       : fmt::format("the case '{}' was not {}", speed.case_name, was_run ? "counted" : "run");
}

// Where there is no memcheck to see a stray write, the guard bands stand in for it.
void TaskRun::add_guard_findings(const CaseObservation& observation, const CaseVerdict& verdict) {
  const auto is_memcheck = [](const Finding& finding) { return finding.tool == "memcheck"; };
  if (std::any_of(observation.findings.begin(), observation.findings.end(), is_memcheck)) return;
  for (const GuardViolation& guard : observation.guards) {
    Finding finding;
    finding.tool = "memcheck";
    finding.kind = "out-of-bounds write";
    finding.array = guard.array;
    finding.index = guard.first_element;
    finding.sentence = fmt::format("{} bytes {} of {} were overwritten", guard.bytes,
                                   guard.is_after ? "past the end" : "before the beginning", guard.array);
    finding.advice =
        "Compare every index with the array's size before using it, and the bytes of every copy with the bytes it has.";
    finding.case_name = verdict.name;
    merge_findings(verdict_.findings, {finding});
  }
}

}  // namespace

bool has_failed_case(const std::vector<CaseVerdict>& cases) {
  return std::any_of(cases.begin(), cases.end(), [](const CaseVerdict& each) {
    const bool was_run = each.outcome != CaseOutcome::kNotRun && each.outcome != CaseOutcome::kLeftOut;
    return was_run && each.outcome != CaseOutcome::kRight;
  });
}

std::optional<Failure> run_task(const Task& task, const TaskFile& file, const TaskRunOptions& options,
                                TaskVerdict& verdict, DeviceInfo& device) {
  verdict.state = TaskState::kGraded;
  TaskRun run(task, file, options, verdict);
  auto failure = run.run();
  device = run.device();
  return failure;
}

}  // namespace lanewise
