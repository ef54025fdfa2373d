// A class with something of everything, for the tests of the exports; and programs that are not ours, run on files.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "grader/class/graded_class.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/report/sample_verdict_test.h"

namespace lanewise {

inline GradedAttempt sample_attempt(const std::string& lab, double points) {
  GradedAttempt attempt;
  attempt.lab = lab;
  attempt.source = "/copies/1/" + lab + ".cu";
  attempt.came_from = "all/" + lab + ".cu";
  attempt.submitted = 1795376400;  // 2026-11-22 19:40 UTC
  attempt.verdict = sample_verdict();
  attempt.score.points = points;
  attempt.score.out_of = 100;
  attempt.is_counted = true;
  return attempt;
}

inline GradedStudent sample_student(const std::string& id, const std::string& name) {
  GradedStudent student;
  student.student.id = id;
  student.student.name = name;
  return student;
}

/// Two labs. Ada has both, and two attempts at scan; Bob's only attempt could not be graded; Cleo handed in nothing.
inline GradedClass sample_class() {
  GradedClass graded;
  graded.title = "GPU programming";
  graded.cases = "grade";
  graded.seed = 77;
  graded.backend = "virtual GPU (NVIDIA H200 profile)";
  graded.labs = {{"scan", "Prefix sum", 120}, {"vecadd", "Vector addition", 75}};

  GradedStudent ada = sample_student("ada", "Lovelace, Ada");
  ada.student.login = "al1815";
  ada.student.number = "4711";
  ada.student.email = "ada@example.org";
  ada.student.section = "A";
  ada.student.is_enrolled = true;
  GradedAttempt first = sample_attempt("scan", 12);
  first.is_counted = false;
  GradedAttempt second = sample_attempt("scan", 43.76);
  second.score.days_late = 2;
  second.score.explanation = "48.3 of 120 become 54.7 of 100; 2 days late: -10.9";
  ada.attempts = {first, second, sample_attempt("vecadd", 102.5)};

  GradedStudent bob = sample_student("bob", "Bob");
  GradedAttempt trouble = sample_attempt("scan", 0);
  trouble.verdict.reset();
  trouble.is_counted = false;
  trouble.trouble = "the virtual GPU was killed: out of memory";
  bob.attempts = {trouble};

  GradedStudent cleo = sample_student("cleo", "");
  cleo.student.is_enrolled = true;
  graded.students = {ada, bob, cleo};
  return graded;
}

/// The sample's verdict with a hidden case that is wrong, and a finding in it.
inline Verdict sample_with_hidden_case() {
  Verdict verdict = sample_verdict();
  TaskVerdict& task = verdict.tasks.front();
  CaseVerdict hidden = task.cases.at(1);
  hidden.name = "secret shape";
  hidden.group = "grade";
  hidden.sizes = "n = 31337";
  hidden.misconception.clear();
  hidden.sentence = "out[31336] is 1, expected 2; 1 of 31,337 wrong, the last element";
  task.cases.push_back(hidden);
  Finding finding = task.findings.front();
  finding.case_name = hidden.name;
  finding.sentence = "Reads element 31337 of 31337.";
  task.findings.push_back(finding);
  return verdict;
}

/// What `command` printed on standard output, and its exit code; -1 if it did not end by itself.
inline std::pair<std::string, int> run_command(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"", -1};
  std::string output;
  char buffer[4096];
  for (std::size_t bytes = 0; (bytes = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, bytes);
  const int status = pclose(pipe);
  return {output, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

inline bool is_installed(const std::string& program) {
  return run_command("command -v " + program + " > /dev/null").second == 0;
}

/// The records of a CSV file as sqlite3 reads them, all as text; not an array if it could not.
inline nlohmann::json read_by_sqlite(const std::string& csv, std::size_t columns) {
  const auto folder = TemporaryFolder::create();
  if (!folder) return folder.sentence();
  const std::string file = (folder->path() / "table.csv").string();
  std::ofstream(file, std::ios::binary) << csv;
  std::string names;
  for (std::size_t i = 0; i < columns; ++i) names += fmt::format("{}c{} TEXT", i == 0 ? "" : ", ", i);
  const auto [output, code] = run_command(fmt::format(
      "sqlite3 -json :memory: 'CREATE TABLE t({})' '.import --csv {} t' 'SELECT * FROM t' 2>&1", names, file));
  auto rows = nlohmann::json::parse(output, nullptr, false);
  return code == 0 && rows.is_array() ? rows : nlohmann::json(output);
}

/// What a spreadsheet program writes that has opened this CSV file with its defaults and saves it; "" if it could not.
inline std::string saved_by_a_spreadsheet(const std::string& csv) {
  const auto folder = TemporaryFolder::create();
  if (!folder) return "";
  const std::string file = (folder->path() / "table.csv").string();
  const std::string saved = (folder->path() / "saved.csv").string();
  std::ofstream(file, std::ios::binary) << csv;
  if (run_command(fmt::format("ssconvert {} {} 2>&1", file, saved)).second != 0) return "";
  std::ifstream stream(saved, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace lanewise
