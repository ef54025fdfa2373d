// Checks every case against the labs, so that a misspelt name does not go unnoticed.
#include "grader/grading/secrets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <sstream>

#include "harness/lab/toml_reader.h"
#include "harness/runner/problems.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

const LabSelection* find_lab(const std::vector<LabSelection>& labs, const std::string& id) {
  const auto found =
      std::find_if(labs.begin(), labs.end(), [&id](const LabSelection& lab) { return lab.file.id == id; });
  return found == labs.end() ? nullptr : &*found;
}

const TaskFile* find_task_file(const LabFile& lab, const std::string& name) {
  const auto found =
      std::find_if(lab.tasks.begin(), lab.tasks.end(), [&name](const TaskFile& task) { return task.name == name; });
  return found == lab.tasks.end() ? nullptr : &*found;
}

bool has_case(const std::vector<CaseFile>& cases, const std::string& name) {
  return std::any_of(cases.begin(), cases.end(), [&name](const CaseFile& each) { return each.name == name; });
}

void require_that_it_can_be_made(const TomlTable& table, const LabSelection& lab, const CaseFile& hidden,
                                 const std::string& task, std::uint64_t seed) {
  try {
    const auto made = find_task(*lab.lab, task)->make(hidden.make, case_seed(seed, lab.file.id, task, hidden.name));
    if (const auto* const missing = std::get_if<MissingData>(&made))
      table.fail("make", fmt::format("the case '{}' cannot be generated: {}", hidden.name, missing->sentence));
  } catch (const TomlMistake&) {
    throw;
  } catch (const std::exception& error) {
    table.fail("make", fmt::format("the case '{}' cannot be generated: {}", hidden.name, error.what()));
  }
}

Secrets read(const fs::path& file, const std::vector<LabSelection>& labs) {
  const toml::table parsed = parse_toml_file(file);
  const TomlTable root(parsed, file.string());
  root.allow_only({"seed", "case"});
  Secrets secrets;
  const auto seed = root.raw()["seed"].value_exact<std::int64_t>();
  if (!seed || *seed < 0) root.fail("seed", "the key 'seed' must be a whole number from 0 to 9223372036854775807");
  secrets.seed = static_cast<std::uint64_t>(*seed);
  for (const TomlTable& table : root.tables("case")) {
    table.allow_only({"lab", "task", "name", "make", "points", "why", "backend", "least_budget"});
    const LabSelection* const lab = find_lab(labs, table.text("lab"));
    if (lab == nullptr) table.fail("lab", fmt::format("there is no lab '{}'", table.text("lab")));
    const TaskFile* const task = find_task_file(lab->file, table.text("task"));
    if (task == nullptr)
      table.fail("task", fmt::format("the lab {} has no task '{}'", lab->file.id, table.text("task")));
    CaseFile hidden = read_case(table);
    hidden.group = "grade";
    std::vector<CaseFile>& cases = secrets.cases[{lab->file.id, task->name}];
    if (has_case(cases, hidden.name) || has_case(task->cases, hidden.name))
      table.fail("name", fmt::format("the task {} already has a case named '{}'", task->name, hidden.name));
    require_that_it_can_be_made(table, *lab, hidden, task->name, secrets.seed);
    cases.push_back(std::move(hidden));
  }
  return secrets;
}

}  // namespace

Expected<Secrets> read_secrets(const fs::path& file, const std::vector<LabSelection>& labs) {
  try {
    return read(file, labs);
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

std::uint64_t drawn_seed() {
  std::random_device source;
  return std::uniform_int_distribution<std::uint64_t>(1, INT64_MAX)(source);
}

Expected<std::string> secrets_of_lab(const fs::path& file, const std::string& lab) {
  try {
    const toml::table parsed = parse_toml_file(file);
    toml::table kept;
    if (const toml::node* const seed = parsed.get("seed")) kept.insert("seed", *seed);
    toml::array cases;
    for (const TomlTable& table : TomlTable(parsed, file.string()).tables("case"))
      if (table.text("lab") == lab) cases.push_back(table.raw());
    if (!cases.empty()) kept.insert("case", std::move(cases));
    std::ostringstream text;
    text << kept << "\n";
    return text.str();
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

void add_hidden_cases(const Secrets& secrets, std::vector<LabSelection>& labs) {
  for (LabSelection& lab : labs)
    for (TaskFile& task : lab.file.tasks) {
      const auto hidden = secrets.cases.find({lab.file.id, task.name});
      if (hidden == secrets.cases.end()) continue;
      task.cases.insert(task.cases.end(), hidden->second.begin(), hidden->second.end());
    }
}

}  // namespace lanewise
