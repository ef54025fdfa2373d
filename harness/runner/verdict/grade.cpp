// The phases of one grading, in order.
#include "harness/runner/verdict/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "harness/runner/content_hash.h"
#include "harness/runner/interruption.h"
#include "harness/runner/session/findings.h"
#include "harness/runner/timing/rivals.h"
#include "harness/runner/verdict/host_lines.h"
#include "harness/runner/verdict/score.h"
#include "harness/runner/verdict/shared_arrays.h"
#include "harness/runner/verdict/speed.h"
#include "harness/runner/verdict/task_points.h"
#include "harness/runner/verdict/task_run.h"
#include "harness/vgpu/libraries/closed_libraries.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// The library without PTX that a submission calls; null if there is none.
const vgpu::libraries::ClosedLibrary* closed_library_of(const ElfSymbols& symbols) {
  for (const std::string& name : symbols.undefined)
    if (const auto* const library = vgpu::libraries::library_of_function(name)) return library;
  return nullptr;
}

// A check of a whole lab is to be over in half a minute, compiling and warming up included.
constexpr std::chrono::milliseconds kMostTimingOfALab = std::chrono::seconds(12);

// Nothing to add about the skeleton as it was handed out. In any other file a function that does nothing may be one
// that nobody wrote yet, or one whose launch was forgotten.
std::string why_not_started(const LabFile& lab, const fs::path& source) {
  const auto submitted = read_file(source, kLargestSource);
  const auto skeleton = read_file(lab.folder / lab.skeleton, kLargestSource);
  if (submitted && skeleton && *submitted == *skeleton) return "";
  return fmt::format("does nothing as it stands in {}: if you have written it, is the launch missing?",
                     source.filename().string());
}

// What fails without another explanation may well do so for what the compiler has noticed.
void hint_at(const std::string& remark, std::vector<CaseVerdict>& cases) {
  for (CaseVerdict& verdict : cases) {
    const bool is_run = verdict.outcome != CaseOutcome::kNotRun && verdict.outcome != CaseOutcome::kLeftOut;
    if (is_run && verdict.outcome != CaseOutcome::kRight && verdict.hint.empty())
      verdict.hint = fmt::format("The compiler warns of {}. A variable has no value until it is given one.", remark);
  }
}

class Grading {
 public:
  Grading(const GradeRequest& request, const Installation& installation, const Builder& builder, const Backend& backend)
      : request_(request),
        installation_(installation),
        builder_(builder),
        backend_(backend),
        clock_(!backend.is_virtual() ? &backend : request.timed_on) {}

  Expected<Verdict> run();

 private:
  std::optional<Failure> grade_task(const TaskFile& file, TaskVerdict& verdict);
  void start_rivals();
  SpeedVerdict speed_without_a_run(const TaskFile& file) const;
  SpeedVerdict speed_on_gpu(const TaskFile& file, const Task& task, const TaskRunOptions& run,
                            const std::vector<CaseVerdict>& cases);
  std::string why_not_timed(const TaskFile& file) const;
  AuditRules audit_rules(const TaskFile& file, const Build& build) const;
  void name_as_in_source(TaskVerdict& verdict) const;
  void settle(TaskVerdict& verdict, const TaskFile& file, TaskState state, std::string message,
              const std::string& why) const;

  const GradeRequest& request_;
  const Installation& installation_;
  const Builder& builder_;
  const Backend& backend_;
  const Backend* const clock_;  // the GPU that times; null: there is none
  Build build_;
  DeviceInfo device_;
  SpeedMarksFile marks_;
  std::map<std::string, RivalBuilds> rivals_;  // of tasks, while they are built
};

Expected<Verdict> Grading::run() {
  const auto started = std::chrono::steady_clock::now();
  auto build = build_submission(request_, builder_, backend_);
  if (!build) return build.failure();
  build_ = std::move(*build);
  auto marks = read_speed_marks(request_.file->folder);
  if (!marks) return marks.failure();
  marks_ = std::move(*marks);

  start_rivals();

  Verdict verdict;
  verdict.submission = request_.source.string();
  verdict.source_hash = build_.hash;
  verdict.seed = request_.seed;
  for (const TaskFile& file : request_.file->tasks) {
    if (!request_.tasks.empty() && request_.tasks.count(file.name) == 0) continue;
    if (is_interrupted()) break;
    if (request_.stops_at_failure && !verdict.tasks.empty() && has_failed_case(verdict.tasks.back().cases)) break;
    TaskVerdict& task = verdict.tasks.emplace_back();
    task.lab = request_.file->id;
    task.task = file.name;
    if (const auto failure = grade_task(file, task)) return *failure;
    sum_parts(task);
  }
  sum_tasks(verdict);
  if (backend_.is_virtual() && !device_.name.empty())
    device_.name = fmt::format("virtual GPU ({} profile)", device_.name);
  if (request_.timed_on != nullptr) device_.name += ", times from " + request_.timed_on->device;
  verdict.environment = {request_.timed_on != nullptr ? "both" : backend_.name, device_.name, device_.runtime_version,
                         device_.driver_version, builder_.toolchain().description()};
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return verdict;
}

// Compiling what a submission is timed against takes as long as running its cases: at the same time.
void Grading::start_rivals() {
  if (clock_ == nullptr || !build_.is_built) return;
  for (const TaskFile& file : request_.file->tasks) {
    if (!request_.tasks.empty() && request_.tasks.count(file.name) == 0) continue;
    if (!why_not_timed(file).empty()) continue;
    rivals_.emplace(std::piecewise_construct, std::forward_as_tuple(file.name),
                    std::forward_as_tuple(builder_, *request_.file, clock_->architecture,
                                          find_rivals(installation_.solutions, *request_.file, file)));
  }
}

// Whatever the submission does.
std::string Grading::why_not_timed(const TaskFile& file) const {
  if (!request_.timer) return "it was not timed";
  if (!(file.points.fast > 0) || file.speed.measured_case.empty()) return "the lab names no case to time on a GPU";
  return request_.groups.count("check") == 0 ? "it is timed with the cases of the group check" : "";
}

AuditRules Grading::audit_rules(const TaskFile& file, const Build& build) const {
  AuditRules rules = builder_.audit_rules(*request_.file, build);
  if (!request_.may_use_libraries) rules.forbidden = file.forbidden;
  return rules;
}

SpeedVerdict Grading::speed_on_gpu(const TaskFile& file, const Task& task, const TaskRunOptions& run,
                                   const std::vector<CaseVerdict>& cases) {
  SpeedVerdict speed;
  speed.case_name = file.speed.measured_case;
  speed.sentence = why_not_timed(file);
  if (!speed.sentence.empty()) return speed;
  // Compilers at work would be noise: they are waited for, those of the other tasks too.
  TimingRequest timing;
  for (auto& [name, builds] : rivals_) {
    const std::vector<TimedEntry>& entries = builds.entries();
    if (name == file.name) timing.entries = entries;
  }
  const auto has = [&timing](TimedRole role) {
    return std::any_of(timing.entries.begin(), timing.entries.end(),
                       [role](const TimedEntry& entry) { return entry.role == role; });
  };
  const bool is_right = std::all_of(cases.begin(), cases.end(), [](const CaseVerdict& each) {
    return each.outcome == CaseOutcome::kRight || each.outcome == CaseOutcome::kLeftOut;
  });
  if (!is_right) {
    speed.is_gradable = has(TimedRole::kBaseline) && has(TimedRole::kReference);
    speed.sentence = "timed once every case is right";
    return speed;
  }
  // The same one, if they have the same architecture. Otherwise, what the compiler makes of the source may be another
  // thing, and is audited, too.
  const auto build = build_submission(request_, builder_, *clock_);
  if (!build) {
    speed.sentence = build.sentence();
    return speed;
  }
  const auto refusals = audit(build->audited, audit_rules(file, *build));
  if (!build->is_built || !refusals.empty()) {
    speed.is_gradable = has(TimedRole::kBaseline) && has(TimedRole::kReference);
    speed.sentence = !build->is_built ? "it does not compile for the GPU"
                                      : "refused by the audit, as it was compiled for the GPU: " + refusals.front();
    return speed;
  }
  timing.entries.push_back({TimedRole::kSubmission, request_.source.filename().string(), build->shared_object});
  const auto is_meant = [&file](const CaseFile& each) { return each.name == file.speed.measured_case; };
  timing.session = run.session;
  clock_->choose(timing.session);
  timing.session.profile.clear();
  timing.session.readable = {build->shared_object};
  timing.task = &task;
  timing.case_file = &*std::find_if(file.cases.begin(), file.cases.end(), is_meant);
  timing.lab = request_.file->id;
  timing.seed = request_.seed;
  timing.limit = std::chrono::milliseconds(static_cast<std::int64_t>(file.time_limit_seconds * 1000));
  timing.most = std::min(timing.most, kMostTimingOfALab / static_cast<int>(request_.file->tasks.size()));
  timing.progress = request_.progress;
  const TimingLock lock(installation_.cache);
  const auto result = request_.timer(timing);
  if (result) return measured_speed(timing, *result);
  speed.sentence = result.sentence();
  return speed;
}

// Findings speak of lines, variables and elements, where the runtime knew addresses.
void Grading::name_as_in_source(TaskVerdict& verdict) const {
  HostSource source{request_.source.filename().string(), "", build_.shared_object.filename().string()};
  if (auto text = read_file(build_.shared_object.parent_path() / build_.compiled_as, kLargestSource))
    source.text = std::move(*text);
  name_shared_elements(verdict.findings, source.text);
  locate_host_code(verdict, source, builder_.lines_at(build_, host_offsets(verdict, source)));
}

void Grading::settle(TaskVerdict& verdict, const TaskFile& file, TaskState state, std::string message,
                     const std::string& why) const {
  verdict.state = state;
  verdict.message = std::move(message);
  verdict.speed = speed_without_a_run(file);
  score_lost(request_, file, backend_.is_virtual(), why, verdict);
}

// Whether "fast" is lost to a submission that did not get as far as running, or could not have been scored anyway.
SpeedVerdict Grading::speed_without_a_run(const TaskFile& file) const {
  SpeedVerdict speed;
  if (request_.timed_on != nullptr) {
    speed.case_name = file.speed.measured_case;
    speed.sentence = why_not_timed(file);
    speed.is_gradable = speed.sentence.empty();
    if (speed.is_gradable) speed.sentence = "there is nothing to time";
    return speed;
  }
  speed.is_modelled = backend_.is_virtual();
  speed.is_gradable = speed.is_modelled && request_.groups.count("check") != 0;
  speed.case_name = file.speed.modelled_case;
  if (speed.is_modelled && speed.case_name.empty()) speed.is_gradable = false;
  speed.sentence = speed.is_modelled && speed.case_name.empty() ? kNotModelled : "there is nothing to time";
  if (speed.is_modelled)
    compare_with_marks(find_marks(marks_, *request_.file, file, builder_.toolchain().name()), file, speed);
  return speed;
}

std::optional<Failure> Grading::grade_task(const TaskFile& file, TaskVerdict& verdict) {
  const std::string source = request_.source.filename().string();
  if (const auto refusals = audit(build_.audited, audit_rules(file, build_)); !refusals.empty()) {
    settle(verdict, file, TaskState::kRefused, fmt::format("{}", fmt::join(refusals, "\n")), "refused by the audit");
    return std::nullopt;
  }
  if (!build_.is_built) {
    settle(verdict, file, TaskState::kCompileError, build_.message, "it does not compile");
    return std::nullopt;
  }
  if (const auto* const library = closed_library_of(build_.audited.symbols);
      library != nullptr && backend_.is_virtual()) {
    settle(verdict, file, TaskState::kRefused, vgpu::libraries::refusal(*library, "the submission"),
           "it needs an NVIDIA GPU");
    return std::nullopt;
  }
  const Task* const task = find_task(*request_.lab, file.name);
  if (!task) return Failure{fmt::format("lab.cpp of '{}' defines no task '{}'", request_.file->id, file.name)};

  TaskRunOptions options;
  options.session.worker = installation_.worker;
  backend_.choose(options.session);
  options.session.confinement = builder_.confinement();
  options.session.readable = {build_.shared_object};
  if (backend_.is_virtual()) options.session.profile = profile_of(*request_.file);
  options.shared_object = build_.shared_object;
  options.backend = backend_.name;
  options.groups = request_.groups;
  options.cases = request_.cases;
  options.stops_at_failure = request_.stops_at_failure;
  options.lab = request_.file->id;
  options.seed = request_.seed;
  options.pictures = request_.pictures;
  options.instances = request_.instances;
  options.progress = request_.progress;
  options.lab_failed = request_.lab_failed;
  if (auto failure = run_task(*task, file, options, verdict, device_)) return failure;
  rename_source(verdict.findings, build_.compiled_as, source);
  name_as_in_source(verdict);
  if (!build_.remark.empty()) hint_at(build_.remark, verdict.cases);
  for (GoalVerdict& goal : verdict.goals)
    if (goal.place.file == build_.compiled_as) goal.place.file = source;
  SpeedVerdict& speed = verdict.speed;
  if (speed.bound_place.file == build_.compiled_as) speed.bound_place.file = source;

  if (verdict.state == TaskState::kNotStarted) {
    settle(verdict, file, verdict.state, why_not_started(*request_.file, request_.source), "not started");
  } else if (verdict.state == TaskState::kMissing) {
    settle(verdict, file, verdict.state,
           fmt::format("{} does not define {} with the parameters that {} declares", source, file.name,
                       request_.file->contract),
           "the function is missing");
  } else if (verdict.partial.empty()) {
    if (clock_ == nullptr)
      compare_with_marks(find_marks(marks_, *request_.file, file, builder_.toolchain().name()), file, speed);
    else
      speed = speed_on_gpu(file, *task, options, verdict.cases);
    score_graded(request_, file, backend_.is_virtual(), verdict);
  }
  return std::nullopt;
}

}  // namespace

Expected<Build> build_submission(const GradeRequest& request, const Builder& builder, const Backend& backend) {
  const auto architecture = backend.architecture.empty() ? architecture_of_profile(profile_of(*request.file))
                                                         : Expected<std::string>(backend.architecture);
  if (!architecture) return architecture.failure();
  if (request.progress)
    request.progress(fmt::format("{} · compiling {}", request.file->id, request.source.filename().string()));
  return builder.build(*request.file, request.source, *architecture);
}

Expected<Verdict> grade(const GradeRequest& request, const Installation& installation, const Builder& builder,
                        const Backend& backend) {
  return Grading(request, installation, builder, backend).run();
}

}  // namespace lanewise
