// Reads competition.toml and the CSV of points for clarity.
#include "grader/board/competition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "grader/class/csv.h"
#include "harness/lab/nearest_name.h"
#include "harness/lab/toml_reader.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr double kLargestWeight = 1e6;
constexpr int kMostEntriesADay = 1000;
constexpr int kMostFinalists = 32;  // each has a process and arrays on the device

double weight(const TomlTable& table, const char* key) {
  const double value = table.number_or(key, 0);
  if (!(value >= 0 && value <= kLargestWeight))
    table.fail(key, fmt::format("the key '{}' must be a number from 0 to {:g}", key, kLargestWeight));
  return value;
}

Weights read_weights(const TomlTable& table) {
  table.allow_only({"time", "correctness", "clarity"});
  const Weights weights{weight(table, "time"), weight(table, "correctness"), weight(table, "clarity")};
  if (!(weights.time > 0)) table.fail("time", "the key 'time' must be above 0: a competition is about time");
  return weights;
}

const LabSelection& lab_of(const TomlTable& table, const std::vector<LabSelection>& labs) {
  const std::string id = table.text("lab");
  std::vector<std::string> known;
  for (const LabSelection& lab : labs) {
    if (lab.file.id == id) return lab;
    known.push_back(lab.file.id);
  }
  table.fail("lab", unknown_name("lab", id, known, fmt::format("the labs are {}", fmt::join(known, ", "))));
}

const TaskFile& task_of(const TomlTable& table, const LabFile& lab) {
  std::vector<std::string> known;
  for (const TaskFile& task : lab.tasks) known.push_back(task.name);
  if (!table.has("task")) {
    if (lab.tasks.size() == 1) return lab.tasks.front();
    table.fail("task", fmt::format("the lab {} has several tasks: the key 'task' must be one of {}", lab.id,
                                   fmt::join(known, ", ")));
  }
  const std::string name = table.text("task");
  for (const TaskFile& task : lab.tasks)
    if (task.name == name) return task;
  table.fail("task", fmt::format("the lab {} has no task '{}'; it has {}", lab.id, name, fmt::join(known, ", ")));
}

CompetitionTask read_task(const TomlTable& table, const std::vector<LabSelection>& labs) {
  table.allow_only({"lab", "task", "cases"});
  const LabFile& lab = lab_of(table, labs).file;
  const TaskFile& file = task_of(table, lab);
  CompetitionTask task{lab.id, file.name, {}, file.speed.modelled_case};
  std::vector<std::string> known;
  for (const CaseFile& each : file.cases)
    if (each.group == "race") known.push_back(each.name);
  task.race_cases = table.has("cases") ? table.texts_or_none("cases") : known;
  for (const std::string& name : task.race_cases) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      table.fail("cases",
                 fmt::format("'{}' is not a race case of {}; it has '{}'", name, file.name, fmt::join(known, "', '")));
    if (std::count(task.race_cases.begin(), task.race_cases.end(), name) > 1)
      table.fail("cases", fmt::format("the case '{}' is named twice", name));
  }
  if (table.has("cases") && task.race_cases.empty()) table.fail("cases", "the key 'cases' must name at least one case");
  return task;
}

std::string small_word(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::map<std::string, double> clarity_of(const CsvTable& table, const std::string& name) {
  std::map<std::string, double> shares;
  const auto fail = [&name](const CsvRow& row, const std::string& sentence) {
    throw TomlMistake(fmt::format("{}:{}: {}", name, row.line, sentence));
  };
  if (table.rows.empty()) throw TomlMistake(name + ": there is no heading row; write id,points");
  const CsvRow& heading = table.rows.front();
  const auto column = [&](const char* word) {
    for (std::size_t i = 0; i < heading.cells.size(); ++i)
      if (small_word(heading.cells[i]) == word) return i;
    fail(heading, fmt::format("there is no column '{}'; write id,points", word));
    return std::size_t{0};
  };
  const std::size_t ids = column("id");
  const std::size_t points = column("points");
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    const CsvRow& row = table.rows[i];
    if (row.cells.size() <= std::max(ids, points)) fail(row, "the row has fewer cells than the heading");
    const std::string text = small_word(row.cells[points]);
    if (text.empty()) continue;  // not yet given
    double value = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !(value >= 0 && value <= kMostClarity))
      fail(row, fmt::format("'{}' is not a number from 0 to {:g}", safe_line(text), kMostClarity));
    if (!shares.emplace(row.cells[ids], value / kMostClarity).second)
      fail(row, fmt::format("'{}' already has points", safe_line(row.cells[ids])));
  }
  return shares;
}

int whole_number(const TomlTable& table, const char* key, int least, int most) {
  const double value = table.number(key);
  if (!(value >= least && value <= most) || value != static_cast<int>(value))
    table.fail(key, fmt::format("the key '{}' must be a whole number from {} to {}", key, least, most));
  return static_cast<int>(value);
}

void read_dates(const TomlTable& root, Competition& competition) {
  for (const auto& [key, moment] : {std::pair("opens", &competition.opens), std::pair("ends", &competition.ends),
                                    std::pair("freeze", &competition.freeze), std::pair("reveal", &competition.reveal)})
    if (root.has(key)) *moment = read_moment(root, key);
  const auto require_order = [&root](const char* early, std::int64_t first, const char* late, std::int64_t second) {
    if (root.has(early) && root.has(late) && first >= second)
      root.fail(late, fmt::format("the key '{}' must be later than '{}'", late, early));
  };
  require_order("opens", competition.opens, "ends", competition.ends);
  require_order("opens", competition.opens, "freeze", competition.freeze);
  require_order("freeze", competition.freeze, "ends", competition.ends);
  require_order("freeze", competition.freeze, "reveal", competition.reveal);
  if (root.has("reveal") && !root.has("freeze"))
    root.fail("reveal", "the key 'reveal' ends a freeze, so the key 'freeze' must say when that begins");
  if (root.has("freeze") && !root.has("reveal")) competition.reveal = competition.ends;
  if (!root.has("entries_a_day")) return;
  competition.entries_a_day = whole_number(root, "entries_a_day", 1, kMostEntriesADay);
  const char* const zone = root.has("ends") ? "ends" : "opens";
  if (!root.has(zone))
    root.fail("entries_a_day",
              "the key 'entries_a_day' needs 'opens' or 'ends', whose time zone says when a day begins");
  competition.day_begins = -60 * root.raw().get(zone)->value_exact<toml::date_time>()->offset->minutes;
}

void read_machine(const TomlTable& root, const std::vector<LabSelection>& labs, Competition& competition) {
  competition.device = root.text_or("device", "");
  competition.profile = root.text_or("profile", "");
  if (root.has("device") && root.has("profile"))
    root.fail("profile",
              "there is a 'device' to race on, so nothing is modelled on a 'profile'; leave one of them out");
  for (const LabSelection& lab : labs)
    for (const CompetitionTask& task : competition.tasks)
      if (task.lab == lab.file.id && root.has("profile") && lab.file.profile != competition.profile)
        root.fail("profile", fmt::format("the times of {} are modelled on the profile {}, not on '{}'", lab.file.id,
                                         lab.file.profile, competition.profile));
  if (root.has("final")) competition.finalists = whole_number(root, "final", 2, kMostFinalists);
}

std::vector<GhostFile> read_ghosts(const TomlTable& root, const fs::path& folder) {
  std::vector<GhostFile> ghosts;
  for (const TomlTable& table : root.tables("ghost")) {
    table.allow_only({"name", "file"});
    GhostFile ghost{table.text("name"), folder / table.text("file")};
    std::error_code error;
    if (!fs::is_regular_file(ghost.file, error))
      table.fail("file", fmt::format("there is no file {}; it is the standings.json of an earlier competition",
                                     ghost.file.string()));
    for (const GhostFile& other : ghosts)
      if (other.name == ghost.name) table.fail("name", fmt::format("there are two ghosts named '{}'", ghost.name));
    ghosts.push_back(std::move(ghost));
  }
  return ghosts;
}

Competition competition_of(const TomlTable& root, const fs::path& folder, const std::vector<LabSelection>& labs) {
  root.allow_only({"title", "count", "opens", "ends", "entries_a_day", "freeze", "reveal", "device", "profile", "final",
                   "clarity", "weights", "task", "ghost"});
  Competition competition;
  competition.title = root.text("title");
  const std::string counted = root.text_or("count", "latest");
  if (counted == "best")
    competition.counted = CountedAttempt::kBest;
  else if (counted != "latest")
    root.fail("count", fmt::format("'{}' cannot be counted; the key 'count' must be \"best\" or \"latest\"", counted));
  read_dates(root, competition);
  if (root.has("weights")) competition.weights = read_weights(root.table("weights"));
  for (const TomlTable& table : root.tables("task")) {
    CompetitionTask task = read_task(table, labs);
    for (const CompetitionTask& other : competition.tasks)
      if (other.lab == task.lab && other.task == task.task)
        table.fail("lab", fmt::format("the task {} is named twice", task.task));
    competition.tasks.push_back(std::move(task));
  }
  if (competition.tasks.empty()) root.fail("task", "there is no [[task]] to compete in");
  read_machine(root, labs, competition);
  competition.ghosts = read_ghosts(root, folder);
  if (root.has("clarity")) {
    const fs::path file = folder / root.text("clarity");
    const auto table = read_csv(file);
    if (!table) root.fail("clarity", table.sentence());
    competition.clarity = clarity_of(*table, file.string());
  }
  if (competition.weights.clarity > 0 && !root.has("clarity"))
    root.fail("weights", "clarity has a weight: the key 'clarity' must name a CSV with columns id and points");
  return competition;
}

}  // namespace

Expected<Competition> read_competition(const fs::path& file, const std::vector<LabSelection>& labs) {
  try {
    const toml::table parsed = parse_toml_file(file);
    return competition_of(TomlTable(parsed, file.string()), file.parent_path(), labs);
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

}  // namespace lanewise
