// Reads lab.toml; every rule that a lab's author can break is checked here, and errors name the line.
#include "harness/lab/lab_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "harness/lab/contract.h"
#include "harness/lab/counters.h"
#include "harness/lab/toml_reader.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr double kLongestTimeLimit = 3600;  // seconds

double positive(const TomlTable& table, const char* key, double value) {
  if (!(value > 0)) table.fail(key, fmt::format("the key '{}' must be greater than 0", key));
  return value;
}

CaseFile read_grouped_case(const TomlTable& table) {
  table.allow_only({"name", "group", "make", "points", "why", "backend", "least_budget"});
  const std::string group = table.text("group");
  if (group != "check" && group != "grade" && group != "speed" && group != "race")
    table.fail("group", fmt::format("the group '{}' is unknown; a case's group is check, grade, speed or race", group));
  CaseFile result = read_case(table);
  result.group = group;
  return result;
}

// A case in the group check that runs on the virtual GPU.
void require_counted_case(const TomlTable& table, const char* key, const std::string& name,
                          const std::vector<CaseFile>& cases) {
  const auto is_meant = [&name](const CaseFile& each) { return each.name == name; };
  const auto meant = std::find_if(cases.begin(), cases.end(), is_meant);
  if (meant == cases.end()) table.fail(key, fmt::format("the task has no case named '{}'", name));
  if (meant->group != "check" || meant->backend == "gpu")
    table.fail(key, fmt::format("the case '{}' must be in the group check and run on the virtual GPU, which counts its "
                                "cost",
                                name));
}

std::vector<std::string> read_counters(const TomlTable& table) {
  std::vector<std::string> counters = table.texts_or_none("counters");
  if (counters.empty()) table.fail("counters", "the key 'counters' must name at least one counter");
  std::set<std::string> names;
  for (const std::string& counter : counters) {
    if (!find_counter(counter)) table.fail("counters", unknown_counter(counter));
    if (!names.insert(counter).second) table.fail("counters", fmt::format("the counter '{}' is named twice", counter));
  }
  return counters;
}

LadderFile read_ladder(const TomlTable& table, const std::vector<CaseFile>& cases) {
  table.allow_only({"case", "counters", "note", "losses", "by_size"});
  LadderFile ladder{table.text("case"), read_counters(table), table.text_or("note", ""), table.texts_or_none("losses"),
                    table.texts_or_none("by_size")};
  require_counted_case(table, "case", ladder.case_name, cases);
  return ladder;
}

ScalingFile read_scaling(const TomlTable& table, const std::vector<CaseFile>& cases) {
  table.allow_only({"case", "parameters", "values"});
  ScalingFile scaling;
  scaling.case_name = table.text("case");
  const auto meant = std::find_if(cases.begin(), cases.end(),
                                  [&scaling](const CaseFile& each) { return each.name == scaling.case_name; });
  if (meant == cases.end() || meant->group != "race")
    table.fail("case", fmt::format("the task has no case named '{}' in the group race", scaling.case_name));
  scaling.parameters = table.texts_or_none("parameters");
  if (scaling.parameters.empty())
    table.fail("parameters", "the key 'parameters' must name the parameters that take the values");
  for (const std::string& name : scaling.parameters)
    if (!meant->make.has(name))
      table.fail("parameters", fmt::format("the case '{}' has no parameter '{}'", scaling.case_name, name));
  const toml::array* const values = table.raw()["values"].as_array();
  if (values == nullptr || values->empty()) table.fail("values", "the key 'values' must be a list of whole numbers");
  for (const toml::node& node : *values) {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < 1) table.fail("values", "the key 'values' must be a list of whole numbers above 0");
    if (!scaling.values.empty() && *value <= scaling.values.back())
      table.fail("values", "the key 'values' must be in ascending order");
    scaling.values.push_back(*value);
  }
  return scaling;
}

FloorFile read_floor(const TomlTable& table) {
  table.allow_only({"unit", "work", "bytes", "instructions", "why"});
  FloorFile floor{table.text("unit"), positive(table, "work", table.number("work")), table.number_or("bytes", 0),
                  table.number_or("instructions", 0), table.text("why")};
  if (!(floor.bytes >= 0) || !(floor.instructions >= 0) || floor.bytes + floor.instructions == 0)
    table.fail("bytes", "a floor needs 'bytes' or 'instructions' above 0, and neither may be negative");
  return floor;
}

ClassesFile read_classes(const TomlTable& table, const std::vector<CaseFile>& cases) {
  table.allow_only({"title", "cases", "counters"});
  ClassesFile classes{table.text("title"), table.texts_or_none("cases"), read_counters(table)};
  if (classes.cases.size() < 2) table.fail("cases", "the key 'cases' must name at least two cases to compare");
  std::set<std::string> names;
  for (const std::string& name : classes.cases) {
    require_counted_case(table, "cases", name, cases);
    if (!names.insert(name).second) table.fail("cases", fmt::format("the case '{}' is named twice", name));
  }
  return classes;
}

/// The ladder's case and the first race case.
SpeedFile default_speed(const TaskFile& task) {
  SpeedFile speed;
  speed.modelled_case = task.ladder.case_name;
  const auto race =
      std::find_if(task.cases.begin(), task.cases.end(), [](const CaseFile& each) { return each.group == "race"; });
  if (race != task.cases.end()) speed.race_case = race->name;
  return speed;
}

SpeedFile read_speed(const TomlTable& table, const TaskFile& task) {
  table.allow_only({"modelled", "measured", "race", "time", "smaller", "lasting"});
  SpeedFile speed = default_speed(task);
  speed.modelled_case = table.text_or("modelled", speed.modelled_case);
  if (!speed.modelled_case.empty()) require_counted_case(table, "modelled", speed.modelled_case, task.cases);
  const std::string time = table.text_or("time", "at scale");
  if (time != "at scale" && time != "call") table.fail("time", "the key 'time' must be \"at scale\" or \"call\"");
  speed.is_whole_call = time == "call";
  const auto take_case = [&](const char* key, const char* group, std::string& name) {
    if (!table.has(key)) return;
    name = table.text(key);
    const auto is_meant = [&name](const CaseFile& each) { return each.name == name; };
    const auto meant = std::find_if(task.cases.begin(), task.cases.end(), is_meant);
    if (meant == task.cases.end()) table.fail(key, fmt::format("the task has no case named '{}'", name));
    if (meant->group != group) table.fail(key, fmt::format("the case '{}' must be in the group {}", name, group));
  };
  if (table.has("smaller")) {
    speed.smaller.name = speed.modelled_case + ", smaller";
    speed.smaller.group = "check";
    speed.smaller.make = read_parameters(table.table("smaller"));
    speed.smaller.line = table.line();
  }
  speed.lasting = table.number_or("lasting", speed.lasting);
  if (!(speed.lasting >= 1)) table.fail("lasting", "the key 'lasting' must be at least 1");
  take_case("measured", "speed", speed.measured_case);
  take_case("race", "race", speed.race_case);
  return speed;
}

GoalFile read_goal(const TomlTable& table, const TaskFile& task) {
  table.allow_only({"counter", "case", "at_most", "points", "hint", "after"});
  GoalFile goal;
  goal.counter = table.text("counter");
  if (!find_counter(goal.counter)) table.fail("counter", unknown_counter(goal.counter));
  goal.case_name = table.text_or("case", task.ladder.case_name);
  if (goal.case_name.empty()) table.fail("case", "the goal must name a case, because the task has no [task.ladder]");
  require_counted_case(table, "case", goal.case_name, task.cases);
  goal.at_most = table.number("at_most");
  goal.points = positive(table, "points", read_points(table, "points"));
  goal.hint = table.text_or("hint", "");
  goal.after = table.text_or("after", "");
  const auto is_meant = [&goal](const GoalFile& earlier) { return earlier.counter == goal.after; };
  if (!goal.after.empty() && std::none_of(task.goals.begin(), task.goals.end(), is_meant))
    table.fail("after", fmt::format("no earlier goal of the task is on '{}'", goal.after));
  return goal;
}

PartPoints read_part_points(const TomlTable& table) {
  table.allow_only({"correct", "fast", "efficient", "clean", "understood"});
  const auto points_or_none = [&table](const char* key) { return table.has(key) ? read_points(table, key) : 0; };
  PartPoints points;
  points.correct = positive(table, "correct", read_points(table, "correct"));
  points.fast = points_or_none("fast");
  points.efficient = points_or_none("efficient");
  points.clean = points_or_none("clean");
  points.understood = points_or_none("understood");
  return points;
}

// A file of the task's ladder in solutions/, and nothing outside it.
std::string read_step_name(const TomlTable& table, const char* key) {
  std::string name = table.text_or(key, "");
  if (fs::path(name).has_parent_path())
    table.fail(key, fmt::format("'{}' must be a step's file name without a folder", name));
  return name;
}

// Numbers, and names of numbers.
std::vector<std::string> read_factors(const TomlTable& table, const char* key, const std::string& each) {
  std::vector<std::string> factors;
  for (const toml::node& node : *table.raw()[key].as_array()) {
    if (const auto number = node.value_exact<std::int64_t>(); number && *number >= 0)
      factors.push_back(std::to_string(*number));
    else if (const auto text = node.value_exact<std::string>(); text && !text->empty())
      factors.push_back(*text);
    else
      table.fail(key, fmt::format("{} must be a number or the name of one", each));
  }
  return factors;
}

ArrayFile read_array(const TomlTable& table, const std::string& name) {
  table.allow_only({"shape", "values"});
  ArrayFile array;
  array.name = name;
  array.values = table.text_or("values", "");
  array.line = table.line();
  if (!table.raw()["shape"].is_array())
    table.fail("shape", fmt::format("the array '{}' needs a shape: a list of extents", name));
  array.shape = read_factors(table, "shape", fmt::format("an extent of '{}'", name));
  return array;
}

// "exact", { ulps = 1 }, { levels = 1 } or { sum_of = "x" }.
JudgeFile read_judge(const TomlTable& table) {
  using Kind = JudgeFile::Kind;
  const auto is_text = table.raw()["judge"].is_string();
  if (is_text && table.text("judge") == "exact") return {};
  if (is_text || !table.has("judge"))
    table.fail("judge", "the key 'judge' must be \"exact\", { ulps = N }, { levels = N } or { sum_of = \"ARRAY\" }");
  const TomlTable judge = table.table("judge");
  judge.allow_only({"ulps", "levels", "sum_of"});
  if (judge.raw().size() != 1) table.fail("judge", "a judge has one rule: ulps, levels or sum_of");
  if (judge.has("sum_of")) return {Kind::kSum, 0, judge.text("sum_of")};
  const char* const key = judge.has("ulps") ? "ulps" : "levels";
  const double at_most = judge.number(key);
  if (!(at_most >= 0) || at_most > 1e9 || at_most != static_cast<double>(static_cast<std::int64_t>(at_most)))
    judge.fail(key, fmt::format("the key '{}' must be a whole number", key));
  return {judge.has("ulps") ? Kind::kUlps : Kind::kLevels, static_cast<std::int64_t>(at_most), ""};
}

MisconceptionFile read_misconception(const TomlTable& table) {
  table.allow_only({"name", "hint", "function", "with", "unwritten", "seen_by"});
  MisconceptionFile mistake{table.text("name"), table.text("hint"), table.text("function")};
  mistake.line = table.line();
  if (table.has("with")) {
    const toml::array* const values = table.raw()["with"].as_array();
    if (values != nullptr)
      for (const toml::node& node : *values)
        if (const auto value = node.value_exact<std::int64_t>()) mistake.with.push_back(*value);
    if (values == nullptr || values->empty() || mistake.with.size() != values->size())
      table.fail("with", "the key 'with' must be a list of whole numbers");
  }
  if (!is_identifier(mistake.function))
    table.fail("function", fmt::format("'{}' is not the name of a function", mistake.function));
  const std::string unwritten = table.text_or("unwritten", "as passed");
  if (unwritten != "as passed" && unwritten != "device memory")
    table.fail("unwritten", "the key 'unwritten' must be \"as passed\" or \"device memory\"");
  mistake.is_on_device = unwritten == "device memory";
  mistake.seen_by = table.texts_or_none("seen_by");
  return mistake;
}

// What lab.cpp says of a task, where there is none.
void read_declaration(const TomlTable& table, TaskFile& task) {
  const std::string memory = table.text_or("memory", "device");
  if (memory != "device" && memory != "host") table.fail("memory", "the key 'memory' must be \"device\" or \"host\"");
  task.space = memory == "host" ? Space::kHost : Space::kDevice;
  const TomlTable arrays = table.table("arrays");
  for (const auto& [key, node] : arrays.raw()) {
    const std::string name(key.str());
    task.arrays.push_back(read_array(arrays.table(name.c_str()), name));
  }
  task.judge = read_judge(table);
  if (table.has("flops")) {
    const toml::array* const factors = table.raw()["flops"].as_array();
    if (factors == nullptr || factors->empty())
      table.fail("flops", "the key 'flops' must be a list of factors, such as [2, \"n\"]");
    task.flops = read_factors(table, "flops", "a factor of flops");
  }
  for (const TomlTable& each : table.tables("misconception")) task.misconceptions.push_back(read_misconception(each));
}

TaskFile read_task(const TomlTable& table, bool is_declared) {
  if (is_declared)
    table.allow_only({"name", "points", "baseline", "reference", "forbidden", "time_limit", "least_budget", "case",
                      "goal", "ladder", "scaling", "floor", "classes", "speed", "memory", "arrays", "judge", "flops",
                      "misconception"});
  else
    table.allow_only({"name", "points", "baseline", "reference", "forbidden", "time_limit", "least_budget", "case",
                      "goal", "ladder", "scaling", "floor", "classes", "speed"});
  TaskFile task;
  if (is_declared) read_declaration(table, task);
  task.line = table.line();
  task.name = table.text("name");
  task.points = read_part_points(table.table("points"));
  task.baseline = read_step_name(table, "baseline");
  task.reference = read_step_name(table, "reference");
  task.forbidden = table.texts_or_none("forbidden");
  task.time_limit_seconds = positive(table, "time_limit", table.number_or("time_limit", task.time_limit_seconds));
  if (task.time_limit_seconds > kLongestTimeLimit)
    table.fail("time_limit", fmt::format("must be at most {} seconds", kLongestTimeLimit));
  std::set<std::string> names;
  double check_points = 0;
  for (const TomlTable& case_table : table.tables("case")) {
    CaseFile found = read_grouped_case(case_table);
    if (table.has("least_budget") && !case_table.has("least_budget"))
      found.least_budget = positive(table, "least_budget", table.number("least_budget"));
    if (!names.insert(found.name).second)
      case_table.fail("name", fmt::format("the task '{}' has two cases named '{}'", task.name, found.name));
    if (found.group == "check") check_points += found.points;
    task.cases.push_back(std::move(found));
  }
  if (!(check_points > 0))
    table.fail("name", fmt::format("the task '{}' needs a case with points in the group check", task.name));
  if (table.has("ladder")) task.ladder = read_ladder(table.table("ladder"), task.cases);
  if (table.has("scaling")) task.scaling = read_scaling(table.table("scaling"), task.cases);
  if (table.has("floor")) task.floor = read_floor(table.table("floor"));
  if (table.has("classes")) task.classes = read_classes(table.table("classes"), task.cases);
  task.speed = table.has("speed") ? read_speed(table.table("speed"), task) : default_speed(task);
  for (const TomlTable& goal : table.tables("goal")) task.goals.push_back(read_goal(goal, task));
  if (!task.goals.empty() && !(task.points.efficient > 0)) table.fail("goal", "goals need points for 'efficient'");
  return task;
}

// With `kept_as`, a file may be missing as long as its copy of that name is there.
bool is_file_of_profile(const std::string& profile) { return fs::path(profile).extension() == ".toml"; }

std::string existing_file(const TomlTable& table, const char* key, const fs::path& folder,
                          const std::string& kept_as = {}) {
  std::string name = table.text(key);
  if (fs::path(name).has_parent_path()) table.fail(key, fmt::format("'{}' must be in the lab's own folder", name));
  if (!fs::is_regular_file(folder / name) && !fs::is_regular_file(folder / (name + kept_as)))
    table.fail(key, fmt::format("the file '{}' is not in {}", name, folder.string()));
  return name;
}

LabFile read(const fs::path& folder) {
  const fs::path file = folder / "lab.toml";
  const toml::table parsed = parse_toml_file(file);
  const TomlTable root(parsed, file.string());
  const TomlTable lab = root.table("lab");
  if (lab.has("oracle"))
    root.allow_only({"lab", "task", "misconception"});
  else
    root.allow_only({"lab", "task"});
  lab.allow_only({"title", "contract", "skeleton", "entry", "oracle", "profile", "order", "week", "hours", "lecture",
                  "prerequisites", "chapter"});

  LabFile result;
  result.folder = folder;
  result.id = folder.filename().string();
  result.title = lab.text("title");
  result.contract = existing_file(lab, "contract", folder);
  result.skeleton = existing_file(lab, "skeleton", folder, kSkeletonCopy);  // students may have deleted their own
  if (!lab.has("oracle") && !lab.has("entry"))
    lab.fail("oracle", "the key 'oracle' is missing (or 'entry', for a lab in C++)");
  if (lab.has("oracle") && lab.has("entry"))
    lab.fail("oracle", "a lab has an entry or an oracle: with an oracle here, the entry follows from the contract");
  (lab.has("oracle") ? result.oracle : result.entry) =
      existing_file(lab, lab.has("oracle") ? "oracle" : "entry", folder);
  result.profile = lab.text("profile");
  if (is_file_of_profile(result.profile)) existing_file(lab, "profile", folder);
  result.order = static_cast<int>(lab.number_or("order", 0));
  result.week = static_cast<int>(lab.number_or("week", 0));
  result.hours = static_cast<int>(lab.number_or("hours", 0));
  result.lecture = lab.text_or("lecture", "");
  result.prerequisites = lab.texts_or_none("prerequisites");
  result.chapter = lab.text_or("chapter", "");
  std::set<std::string> names;
  for (const TomlTable& task : root.tables("task")) {
    result.tasks.push_back(read_task(task, !result.oracle.empty()));
    if (!names.insert(result.tasks.back().name).second)
      task.fail("name", fmt::format("there are two tasks named '{}'", result.tasks.back().name));
  }
  if (result.tasks.empty()) root.fail("task", "a lab needs at least one [[task]]");
  for (const TomlTable& each : root.tables("misconception"))
    for (TaskFile& task : result.tasks) task.misconceptions.push_back(read_misconception(each));
  return result;
}

}  // namespace

Expected<LabFile> read_lab_file(const fs::path& folder) {
  try {
    return read(folder);
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

std::vector<std::string> code_files(const LabFile& lab) {
  std::vector<std::string> files = {lab.contract, lab.oracle.empty() ? lab.entry : lab.oracle, kHostHeader};
  if (is_file_of_profile(lab.profile)) files.push_back(lab.profile);
  return files;
}

std::string profile_of(const LabFile& lab) {
  if (!is_file_of_profile(lab.profile)) return lab.profile;
  std::ostringstream text;
  text << std::ifstream(lab.folder / lab.profile).rdbuf();
  return text.str();
}

std::vector<std::string> disagreements(const LabFile& file, const Lab& lab) {
  std::vector<std::string> sentences;
  const std::string path = (file.folder / "lab.toml").string();
  if (file.id != lab.id)
    sentences.push_back(
        fmt::format("{}: the folder is named '{}', but lab.cpp calls the lab '{}'", path, file.id, lab.id));
  for (const TaskFile& task : file.tasks)
    if (!find_task(lab, task.name))
      sentences.push_back(fmt::format("{}:{}: lab.cpp defines no task '{}'", path, task.line, task.name));
  for (const Task& task : lab.tasks) {
    const auto is_task = [&task](const TaskFile& other) { return other.name == task.name; };
    if (std::none_of(file.tasks.begin(), file.tasks.end(), is_task))
      sentences.push_back(
          fmt::format("{}: lab.cpp defines the task '{}', which has no [[task]] here", path, task.name));
    if (!task.make || !task.oracle || !task.judge)
      sentences.push_back(fmt::format("lab '{}': the task '{}' needs make, oracle and judge", lab.id, task.name));
  }
  return sentences;
}

const Task* find_task(const Lab& lab, const std::string& name) {
  for (const Task& task : lab.tasks)
    if (task.name == name) return &task;
  return nullptr;
}

}  // namespace lanewise
