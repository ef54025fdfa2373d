// What an editor reads: one line a problem, at its place, with nothing that a terminal or the editor would misread.
#include "harness/report/editor_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "harness/lab/text_lines.h"
#include "harness/report/sample_verdict_test.h"

namespace lanewise {
namespace {

const char* const kSource =
    "// inclusive_scan( is called below\nvoid my_inclusive_scan(int);\n\n\nvoid inclusive_scan(int* d) {\n";

std::vector<std::string> lines_for(const Verdict& verdict) {
  return lines_of(editor_lines(verdict, "labs/scan/scan.cu", kSource));
}

bool has_line(const std::vector<std::string>& lines, const std::string& beginning) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.rfind(beginning, 0) == 0; });
}

TEST(EditorLines, AllHaveTheFormOfACompilersErrors) {
  const std::regex form("labs/scan/scan\\.cu:[1-9][0-9]*:1: (error|warning): .+");
  Verdict verdict = sample_verdict();
  GoalVerdict& goal = verdict.tasks[0].goals.emplace_back();
  goal.is_measured = true;
  goal.sentence = "8.00 sectors per request; the goal is 4.50";
  const auto lines = lines_for(verdict);
  EXPECT_TRUE(has_line(lines, "labs/scan/scan.cu:5:1: warning: 8.00 sectors per request"));
  ASSERT_EQ(lines.size(), 3U) << "a finding, two cases that fail the same way, a goal";
  for (const std::string& line : lines) EXPECT_TRUE(std::regex_match(line, form)) << line;
}

TEST(EditorLines, AFindingIsAtItsLineWithItsAdviceAndItsTool) {
  EXPECT_TRUE(has_line(lines_for(sample_verdict()),
                       "labs/scan/scan.cu:3:1: error: Another thread may already have overwritten the value. "
                       "A barrier belongs between reading and writing. [racecheck]"));
}

TEST(EditorLines, ACaseWithoutALineIsAtTheFunctionOfItsTask) {
  EXPECT_TRUE(has_line(lines_for(sample_verdict()), "labs/scan/scan.cu:5:1: error: block + 1 (n = 1025): out[1024]"));
  EXPECT_NE(editor_lines(sample_verdict(), "x.cu", "").find("x.cu:1:1: error: block + 1"), std::string::npos);
}

TEST(EditorLines, APlaceInAnotherFileIsBesideTheSubmission) {
  Verdict verdict = sample_verdict();
  verdict.tasks[0].findings[0].place = {"mine.cuh", 7};
  EXPECT_TRUE(has_line(lines_for(verdict), "labs/scan/mine.cuh:7:1: error: "));
}

TEST(EditorLines, TasksShareTheCompileErrorOfTheirFile) {
  Verdict verdict = sample_verdict();
  TaskVerdict& task = verdict.tasks[0];
  task.state = TaskState::kCompileError;
  task.message = "scan.cu(31): error: expected a \";\"";
  verdict.tasks = {task, task};
  EXPECT_EQ(lines_for(verdict), std::vector<std::string>{"labs/scan/scan.cu:31:1: error: expected a \";\""});
}

TEST(EditorLines, WhatIsNotStartedHasNoProblems) {
  Verdict verdict = sample_verdict();
  verdict.tasks[0].state = TaskState::kNotStarted;
  EXPECT_EQ(editor_lines(verdict, "x.cu", kSource), "");
}

TEST(EditorLines, NothingFromTheSubmissionReachesTheTerminalAsACommand) {
  Verdict verdict = sample_verdict();
  verdict.tasks[0].findings[0].sentence = "\x1b[2J\nx.cu:1:1: error: made up";
  for (const std::string& line : lines_for(verdict)) {
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
    EXPECT_NE(line.rfind("x.cu:1:1:", 0), 0U) << "a line of its own";
  }
}

}  // namespace
}  // namespace lanewise
