// Verdict to JSON and back, field by field.
#include "harness/report/json_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/report/case_groups.h"
#include "harness/report/mark_text.h"
#include "harness/report/safe_text.h"

namespace lanewise {

using Json = nlohmann::ordered_json;

NLOHMANN_JSON_SERIALIZE_ENUM(CaseOutcome, {{CaseOutcome::kNotRun, "not_run"},  // first: the default for unknown values
                                           {CaseOutcome::kRight, "right"},
                                           {CaseOutcome::kWrong, "wrong"},
                                           {CaseOutcome::kCudaError, "cuda_error"},
                                           {CaseOutcome::kCrashed, "crashed"},
                                           {CaseOutcome::kExited, "exited"},
                                           {CaseOutcome::kTimedOut, "timed_out"},
                                           {CaseOutcome::kLeftOut, "left_out"}})

NLOHMANN_JSON_SERIALIZE_ENUM(TaskState, {{TaskState::kNotStarted, "not_started"},
                                         {TaskState::kMissing, "missing"},
                                         {TaskState::kRefused, "refused"},
                                         {TaskState::kCompileError, "compile_error"},
                                         {TaskState::kGraded, "graded"}})

NLOHMANN_JSON_SERIALIZE_ENUM(Marked::Result, {{Marked::Result::kUnanswered, "unanswered"},
                                              {Marked::Result::kRight, "right"},
                                              {Marked::Result::kWrong, "wrong"},
                                              {Marked::Result::kWaiting, "waiting"},
                                              {Marked::Result::kByHand, "by_hand"}})

namespace {

// One list of fields per struct serves both directions: `visit(key, field)` for each.
template <class Visit, class T>
void fields_of_mismatch(T& mismatch, const Visit& visit) {
  visit("output", mismatch.output);
  visit("flat_index", mismatch.flat_index);
  visit("index", mismatch.index);
  visit("expected", mismatch.expected);
  visit("got", mismatch.got);
}

template <class Visit, class T>
void fields_of_judgement(T& judgement, const Visit& visit) {
  visit("right", judgement.right);
  visit("compared", judgement.compared);
  visit("wrong", judgement.wrong);
  visit("first", judgement.first);
  visit("rule", judgement.rule);
  visit("region", judgement.region);
}

template <class Visit, class T>
void fields_of_place(T& place, const Visit& visit) {
  visit("file", place.file);
  visit("line", place.line);
}

template <class Visit, class T>
void fields_of_finding(T& finding, const Visit& visit) {
  visit("tool", finding.tool);
  visit("kind", finding.kind);
  visit("kernel", finding.kernel);
  visit("place", finding.place);
  visit("block", finding.block);
  visit("thread", finding.thread);
  visit("array", finding.array);
  visit("index", finding.index);
  visit("element", finding.element);
  visit("sentence", finding.sentence);
  visit("advice", finding.advice);
  visit("count", finding.count);
  visit("case_name", finding.case_name);
}

template <class Visit, class T>
void fields_of_case(T& verdict, const Visit& visit) {
  visit("name", verdict.name);
  visit("group", verdict.group);
  visit("sizes", verdict.sizes);
  visit("why", verdict.why);
  visit("points", verdict.points);
  visit("max_points", verdict.max_points);
  visit("outcome", verdict.outcome);
  visit("sentence", verdict.sentence);
  visit("place", verdict.place);
  visit("judgement", verdict.judgement);
  visit("misconception", verdict.misconception);
  visit("hint", verdict.hint);
  visit("pictures", verdict.pictures);
  visit("seconds", verdict.seconds);
}

template <class Visit, class T>
void fields_of_part(T& part, const Visit& visit) {
  visit("name", part.name);
  visit("points", part.points);
  visit("max_points", part.max_points);
  visit("scored", part.scored);
  visit("evidence", part.evidence);
}

template <class Visit, class T>
void fields_of_goal(T& goal, const Visit& visit) {
  visit("counter", goal.counter);
  visit("heading", goal.heading);
  visit("case_name", goal.case_name);
  visit("value", goal.value);
  visit("goal", goal.goal);
  visit("is_measured", goal.is_measured);
  visit("is_left_out", goal.is_left_out);
  visit("is_met", goal.is_met);
  visit("points", goal.points);
  visit("max_points", goal.max_points);
  visit("place", goal.place);
  visit("sentence", goal.sentence);
  visit("hint", goal.hint);
}

template <class Visit, class T>
void fields_of_class(T& row, const Visit& visit) {
  visit("case_name", row.case_name);
  visit("values", row.values);
}

template <class Visit, class T>
void fields_of_classes(T& classes, const Visit& visit) {
  visit("title", classes.title);
  visit("headings", classes.headings);
  visit("rows", classes.rows);
}

template <class Visit, class T>
void fields_of_time(T& time, const Visit& visit) {
  visit("milliseconds", time.milliseconds);
  visit("low", time.low);
  visit("high", time.high);
}

template <class Visit, class T>
void fields_of_speed(T& speed, const Visit& visit) {
  visit("is_known", speed.is_known);
  visit("is_gradable", speed.is_gradable);
  visit("is_modelled", speed.is_modelled);
  visit("is_at_scale", speed.is_at_scale);
  visit("case_name", speed.case_name);
  visit("sizes", speed.sizes);
  visit("device", speed.device);
  visit("time", speed.time);
  visit("ratio", speed.ratio);
  visit("baseline", speed.baseline);
  visit("reference", speed.reference);
  visit("peer", speed.peer);
  visit("peer_ratio", speed.peer_ratio);
  visit("lasting", speed.lasting);
  visit("lasting_kernel", speed.lasting_kernel);
  visit("roof", speed.roof);
  visit("roof_fraction", speed.roof_fraction);
  visit("bound_by", speed.bound_by);
  visit("bound_place", speed.bound_place);
  visit("next_milliseconds", speed.next_milliseconds);
  visit("next_points", speed.next_points);
  visit("samples", speed.samples);
  visit("discarded", speed.discarded);
  visit("clocks", speed.clocks);
  visit("review", speed.review);
  visit("sentence", speed.sentence);
}

template <class Visit, class T>
void fields_of_mark(T& mark, const Visit& visit) {
  visit("id", mark.id);
  visit("result", mark.result);
  visit("points", mark.points);
  visit("max_points", mark.max_points);
  visit("text", mark.text);
  visit("answer", mark.answer);
  visit("remark", mark.remark);
}

template <class Visit, class T>
void fields_of_task(T& task, const Visit& visit) {
  visit("lab", task.lab);
  visit("task", task.task);
  visit("state", task.state);
  visit("message", task.message);
  visit("parts", task.parts);
  visit("cases", task.cases);
  visit("findings", task.findings);
  visit("goals", task.goals);
  visit("classes", task.classes);
  visit("speed", task.speed);
  visit("marks", task.marks);
  visit("output", task.output);
  visit("output_bytes", task.output_bytes);
  visit("points", task.points);
  visit("max_points", task.max_points);
}

template <class Visit, class T>
void fields_of_environment(T& environment, const Visit& visit) {
  visit("backend", environment.backend);
  visit("device", environment.device);
  visit("runtime_version", environment.runtime_version);
  visit("driver_version", environment.driver_version);
  visit("compiler", environment.compiler);
}

template <class Visit, class T>
void fields_of_verdict(T& verdict, const Visit& visit) {
  visit("schema_version", verdict.schema_version);
  visit("submission", verdict.submission);
  visit("source_hash", verdict.source_hash);
  visit("seed", verdict.seed);
  visit("environment", verdict.environment);
  visit("tasks", verdict.tasks);
  visit("points", verdict.points);
  visit("max_points", verdict.max_points);
  visit("seconds", verdict.seconds);
}

}  // namespace

// nlohmann finds both functions through the struct's namespace.
// NOLINTNEXTLINE(bugprone-macro-parentheses): a type in parentheses is no type
#define LANEWISE_JSON(Struct, fields)                                                     \
  static void to_json(Json& json, const Struct& value) {                                  \
    json = Json::object();                                                                \
    fields(value, [&json](const char* key, const auto& field) { json[key] = field; });    \
  }                                                                                       \
  static void from_json(const Json& json, Struct& value) {                                \
    fields(value, [&json](const char* key, auto& field) { json.at(key).get_to(field); }); \
  }

LANEWISE_JSON(Mismatch, fields_of_mismatch)
LANEWISE_JSON(Judgement, fields_of_judgement)
LANEWISE_JSON(SourcePlace, fields_of_place)
LANEWISE_JSON(Finding, fields_of_finding)
LANEWISE_JSON(CaseVerdict, fields_of_case)
LANEWISE_JSON(PartScore, fields_of_part)
LANEWISE_JSON(GoalVerdict, fields_of_goal)
using ClassRow = ClassTable::Row;
LANEWISE_JSON(ClassRow, fields_of_class)
LANEWISE_JSON(ClassTable, fields_of_classes)
LANEWISE_JSON(TimeEstimate, fields_of_time)
LANEWISE_JSON(SpeedVerdict, fields_of_speed)
LANEWISE_JSON(Marked, fields_of_mark)
LANEWISE_JSON(TaskVerdict, fields_of_task)
LANEWISE_JSON(Environment, fields_of_environment)
LANEWISE_JSON(Verdict, fields_of_verdict)
#undef LANEWISE_JSON

namespace {

// Students do not see the inputs of these cases, only the points.
bool is_hidden(const CaseVerdict& verdict) { return verdict.group == "grade"; }

bool is_hidden(const TaskVerdict& task, const Finding& finding) {
  return std::any_of(task.cases.begin(), task.cases.end(), [&finding](const CaseVerdict& verdict) {
    return is_hidden(verdict) && verdict.name == finding.case_name;
  });
}

std::vector<CaseVerdict> cases_of(const TaskVerdict& task, bool hidden) {
  std::vector<CaseVerdict> cases;
  std::copy_if(task.cases.begin(), task.cases.end(), std::back_inserter(cases),
               [hidden](const CaseVerdict& verdict) { return is_hidden(verdict) == hidden; });
  return cases;
}

std::string failures_text(const std::vector<CaseVerdict>& cases) {
  std::string text;
  for (const CaseGroup& group : group_failures(cases)) {
    text += fmt::format("\n{}: {}", case_label(*group.shown), group.shown->sentence);
    if (!group.shown->hint.empty()) text += "\n  " + group.shown->hint;
    if (!group.same.empty()) text += fmt::format("\n  (and {} other cases)", group.same.size());
  }
  return text;
}

std::string finding_text(const Finding& finding, const std::string& sentence) {
  return fmt::format("\n{} {}:{}: {}", finding.tool, finding.place.file, finding.place.line, sentence);
}

// What a student sees below a part on Gradescope.
std::string part_output(const TaskVerdict& task, const PartScore& part) {
  std::string text = part.evidence;
  if (part.name == "correct" && !task.message.empty()) text += "\n" + task.message;
  if (part.name == "correct") text += failures_text(cases_of(task, false));
  if (part.name == "clean")
    for (const Finding& finding : task.findings)
      text += finding_text(finding, is_hidden(task, finding) ? "in a hidden case" : finding.sentence);
  if (part.name == "understood")
    for (const Marked& mark : task.marks)
      if (!mark.text.empty()) text += fmt::format("\n{}: {}", mark.id, mark_text(mark));
  if (part.name == "efficient") {
    for (const GoalVerdict& goal : task.goals) {
      if (goal.is_met || goal.is_left_out) continue;
      if (goal.place.line > 0) text += fmt::format("\n{}:{}: {}", goal.place.file, goal.place.line, goal.sentence);
      if (goal.place.line <= 0) text += "\n" + goal.sentence;
      if (goal.is_measured && !goal.hint.empty()) text += "\n  " + goal.hint;
    }
  }
  return safe_text(text);
}

// Without points, which are in the part "correct".
std::optional<Json> hidden_test(const TaskVerdict& task) {
  std::vector<CaseVerdict> cases = cases_of(task, true);
  const auto is_left_out = [](const CaseVerdict& verdict) { return verdict.outcome == CaseOutcome::kLeftOut; };
  cases.erase(std::remove_if(cases.begin(), cases.end(), is_left_out), cases.end());
  if (cases.empty()) return std::nullopt;
  const auto right = std::count_if(cases.begin(), cases.end(),
                                   [](const CaseVerdict& verdict) { return verdict.outcome == CaseOutcome::kRight; });
  const bool is_all = right == static_cast<std::ptrdiff_t>(cases.size());
  std::string text = fmt::format("{} of {} hidden cases right", right, cases.size()) + failures_text(cases);
  for (const Finding& finding : task.findings)
    if (is_hidden(task, finding)) text += finding_text(finding, finding.sentence);
  return Json{{"name", fmt::format("{} · {} · hidden cases", task.lab, task.task)},
              {"status", is_all ? "passed" : "failed"},
              {"output", safe_text(text)},
              {"visibility", "hidden"}};
}

Json tests_of(const Verdict& verdict) {
  Json tests = Json::array();
  for (const TaskVerdict& task : verdict.tasks) {
    for (const PartScore& part : task.parts) {
      if (!part.scored) continue;
      tests.push_back({{"name", fmt::format("{} · {} · {}", task.lab, task.task, part.name)},
                       {"score", part.points},
                       {"max_score", part.max_points},
                       {"status", part.points >= part.max_points ? "passed" : "failed"},
                       {"output", part_output(task, part)},
                       {"visibility", "visible"}});
    }
    if (auto hidden = hidden_test(task)) tests.push_back(std::move(*hidden));
  }
  return tests;
}

Json test_of(const Ungraded& ungraded) {
  return {{"name", fmt::format("{} · not graded", ungraded.lab)},
          {"status", "failed"},
          {"output", safe_text("This could not be graded: " + ungraded.sentence)},
          {"visibility", "visible"}};
}

// A time under review does not count yet.
Json leaderboard_of(const Verdict& verdict) {
  Json entries = Json::array();
  for (const TaskVerdict& task : verdict.tasks) {
    const SpeedVerdict& speed = task.speed;
    if (!speed.is_known || !speed.review.empty()) continue;
    entries.push_back({{"name", safe_line(fmt::format("{} · {}, {} ms", task.lab, task.task,
                                                      speed.is_modelled ? "modelled" : "measured"))},
                       {"value", speed.time.milliseconds},
                       {"order", "asc"}});
  }
  return entries;
}

std::string course_output(const std::vector<CourseLine>& course) {
  std::string text;
  for (const CourseLine& line : course)
    text += fmt::format("{}{}: {} of {}{}", text.empty() ? "" : "\n", line.lab, points_text(line.points),
                        points_text(line.out_of), line.explanation.empty() ? "" : "; " + line.explanation);
  return safe_text(text);
}

}  // namespace

std::string json_report(const std::vector<Verdict>& verdicts, const std::vector<Ungraded>& ungraded,
                        const std::vector<CourseLine>& course) {
  double points = 0;
  double seconds = 0;
  Json tests = Json::array();
  Json leaderboard = Json::array();
  for (const Verdict& verdict : verdicts) {
    points += verdict.points;
    seconds += verdict.seconds;
    for (Json& test : tests_of(verdict)) tests.push_back(std::move(test));
    for (Json& entry : leaderboard_of(verdict)) leaderboard.push_back(std::move(entry));
  }
  Json not_graded = Json::array();
  for (const Ungraded& one : ungraded) {
    tests.push_back(test_of(one));
    not_graded.push_back({{"lab", one.lab}, {"sentence", one.sentence}});
  }
  Json data = {{"schema_version", kVerdictSchemaVersion}, {"verdicts", verdicts}, {"ungraded", not_graded}};
  if (!course.empty()) {
    points = 0;
    Json lines = Json::array();
    for (const CourseLine& line : course) {
      points += line.points;
      lines.push_back({{"lab", line.lab},
                       {"points", line.points},
                       {"out_of", line.out_of},
                       {"explanation", safe_line(line.explanation)}});
    }
    data["course"] = std::move(lines);
  }
  // What students wrote is shown as plain text: none of it becomes a link or markup.
  Json report = {{"score", points}, {"execution_time", seconds}};
  if (!course.empty()) report["output"] = course_output(course);
  report["output_format"] = report["test_output_format"] = report["test_name_format"] = "text";
  report["visibility"] = "visible";
  // The output of grading names hidden cases.
  report["stdout_visibility"] = "hidden";
  report["tests"] = std::move(tests);
  report["leaderboard"] = std::move(leaderboard);
  report["extra_data"] = std::move(data);
  // What a submission printed need not be UTF-8.
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Expected<std::vector<Verdict>> read_json_report(const std::string& json) {
  try {
    const Json report = Json::parse(json);
    const Json& data = report.at("extra_data");
    if (data.at("schema_version") != kVerdictSchemaVersion)
      return Failure{"the results were written by another version of lanewise"};
    return data.at("verdicts").get<std::vector<Verdict>>();
  } catch (const nlohmann::json::exception& error) {
    return Failure{fmt::format("the results cannot be read: {}", error.what())};
  }
}

}  // namespace lanewise
