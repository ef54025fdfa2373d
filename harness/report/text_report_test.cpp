// What stands in the report on the terminal, and what must never get there.
#include "harness/report/text_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "harness/report/case_groups.h"
#include "harness/report/safe_text.h"
#include "harness/report/sample_verdict_test.h"

namespace lanewise {
namespace {

bool report_has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(TextReport, LooksAsInTheHandout) {
  // The whole text, so that a change of the layout is a decision.
  TextStyle style;
  style.width = 90;
  EXPECT_EQ(text_report(sample_verdict(), style),
            R"(scan · inclusive_scan                       virtual GPU (H200 profile) · CUDA 13.0 · 1.2 s
  total      48.25/65
  fix first: This is what you get when a block's total is not added to the blocks
      after it.
  correct    41.25/55   1 of 3 cases right
    ✗ block + 1 (n = 1025)
      out[1024] is 1, expected 513; 1 of 1,025 wrong, the last element
    ✗ 1 other case fails the same way: a million
  clean          7/10   1 finding
    ✗ racecheck   scan.cu:3   read-write race   d_out[12]   1,234 times
      Another thread may already have overwritten the value.
      A barrier belongs between reading and writing.
      first seen in the case: one block
  printed    6 bytes
    | hello
  left out: photograph (n = 256): hubble.jpg was not found
  not scored: fast, efficient (this backend does not tell)

scan · exclusive_scan   not started
  does nothing as it stands in scan.cu: if you have written it, is the launch missing?
)");
}

TEST(TextReport, PartialChecksHaveNoPoints) {
  Verdict verdict = sample_verdict();
  verdict.tasks.resize(1);
  verdict.tasks[0].partial = "4 of 15 cases were run";
  const std::string text = text_report(verdict, {});
  EXPECT_TRUE(report_has(text, "\n  right         1/3\n    ✗ block + 1 (n = 1025)")) << text;
  EXPECT_TRUE(report_has(text, "✗ racecheck   scan.cu:3")) << text;
  EXPECT_TRUE(report_has(text, "\n  partial    4 of 15 cases were run: no points\n")) << text;
  for (const char* scored : {"41.25", "48.25", "\n  total", "not scored"})
    EXPECT_FALSE(report_has(text, scored)) << text;
}

TEST(TextReport, MissedGoalsNameTheirLineAndAWayOut) {
  TextStyle style;
  style.details = true;
  style.width = 90;
  const std::string text = text_report(sample_with_goals(), style);
  EXPECT_TRUE(report_has(text, R"(  efficient      2/10   1 of 3 goals met
    ✗ scan.cu:3   sectors per request, global loads: 8.00, goal ≤ 4.50; 32.00 here
      Let neighbouring threads read neighbouring elements.
      counted in the case: one block
    ✗ warp instructions: counts once the case 'block + 1' is right
)")) << text;
  EXPECT_FALSE(report_has(text, "barriers")) << text;
}

TEST(TextReport, ClassesOfCasesStandSideBySide) {
  TextStyle style;
  style.width = 90;
  const std::string text = text_report(sample_with_classes(), style);
  EXPECT_TRUE(report_has(text, R"(  What the length of rows costs
    active lanes: rows of 2 6 %, rows of 32 not counted
    sectors per request, global loads: rows of 2 31.20, rows of 32 not counted
)")) << text;
}

TEST(TextReport, SpeedWrapsBetweenItsFacts) {
  TextStyle style;
  style.details = true;
  style.width = 100;
  EXPECT_TRUE(report_has(text_report(sample_with_speed(), style),
                         R"(  fast        12.2/15   0.571 ± 0.004 ms on NVIDIA H200 · 6.1 × faster than naive
                        1.6 × the reference's time · 38 % of the bandwidth roof
                        bound by: shared memory, scan.cu:4 · next: ≤ 0.545 ms → 13
      timed in the case: large (n = 67108864), 38 samples, 2 more discarded: the clock was low;
      1,980 MHz, 41 °C, no throttling
)")) << text_report(sample_with_speed(), style);
  Verdict modelled = sample_with_speed();
  SpeedVerdict& speed = modelled.tasks[0].speed;
  speed.is_modelled = true;
  speed.clocks = "";
  speed.discarded = 0;
  EXPECT_TRUE(report_has(text_report(modelled, style), "\n      modelled in the case: large (n = 67108864)\n"));
}

TEST(TextReport, FullSpeedNeedsNoSecondLine) {
  Verdict verdict = sample_with_speed();
  verdict.tasks[0].parts[2].points = 15;
  EXPECT_FALSE(report_has(text_report(verdict, TextStyle{}), "timed in the case"));
}

// As many as 24 lines fit on a screen; four are left for what `check` adds: since when, the page, what comes next.
std::int64_t lines_in(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(TextReport, FitsOnAScreenWithoutDetails) {
  Verdict verdict = sample_with_goals();
  TaskVerdict& task = verdict.tasks[0];
  const CaseVerdict wrong = task.cases[1];
  for (int i = 0; i < 30; ++i) {
    task.cases.push_back(wrong);
    task.cases.back().misconception = task.cases.back().hint = std::string(static_cast<std::size_t>(i + 1), 'x');
    task.findings.push_back(task.findings[0]);
    task.findings.back().place.line = 10 + i;
    task.goals.push_back(task.goals[0]);
    task.output += "a line\n";
  }
  verdict.tasks[1] = task;
  verdict.tasks[1].task = "exclusive_scan";
  for (const std::size_t tasks : {1U, 2U}) {
    verdict.tasks.resize(tasks, verdict.tasks[0]);
    const std::string text = text_report(verdict, TextStyle{});
    EXPECT_LE(lines_in(text), 20) << text;
    EXPECT_TRUE(report_has(text, "fix first: This is what you get")) << text;
    EXPECT_TRUE(report_has(text, "✗ block + 1 (n = 1025)")) << "the first failure is shown";
  }
  TextStyle details;
  details.details = true;
  EXPECT_GT(lines_in(text_report(verdict, details)), 100);
}

TEST(TextReport, ScoreStandsBesideWhatHasChanged) {
  EarlierVerdict earlier{sample_verdict(), "14:02"};
  earlier.verdict.tasks[0].findings.clear();
  earlier.verdict.tasks[0].cases[0].outcome = CaseOutcome::kWrong;
  const std::string text = text_report(sample_verdict(), TextStyle{}, &earlier);
  EXPECT_TRUE(report_has(text,
                         "  total      48.25/65   since 14:02: fixed: one block; new: racecheck on d_out; 2 still "
                         "there\n"))
      << text;
}

TEST(TextReport, ARaceNamesBothLinesAndIsShownOnce) {
  Verdict verdict = sample_verdict();
  Finding& race = verdict.tasks[0].findings[0];
  race.kind = "read after write in line 5";
  Finding mirrored = race;
  mirrored.place.line = 5;
  mirrored.kind = "write after read in line 3";
  verdict.tasks[0].findings.push_back(mirrored);
  const std::string text = text_report(verdict, TextStyle{});
  EXPECT_TRUE(report_has(text, "✗ racecheck   scan.cu:3   read after write in line 5   d_out[12]   2,468 times"))
      << text;
  EXPECT_FALSE(report_has(text, "write after read")) << text;
}

TEST(TextReport, NextIsShortAndHasAPlace) {
  Verdict verdict = sample_verdict();
  EXPECT_EQ(next_line(verdict, TextStyle{}),
            "Next: inclusive_scan  This is what you get when a block's total is not added to the blocks after\n"
            "  it.\n");
  for (CaseVerdict& each : verdict.tasks[0].cases) each.misconception = each.hint = "";
  EXPECT_EQ(next_line(verdict, TextStyle{}), "Next: scan.cu:3  A barrier belongs between reading and writing.\n");
  verdict.tasks[0].findings[0].advice = std::string(300, 'x') + " \x1b[2J";
  const std::string text = next_line(verdict, TextStyle{});
  EXPECT_LE(lines_in(text), 2);
  EXPECT_FALSE(report_has(text, "\x1b"));
  verdict.tasks = {verdict.tasks[1]};
  EXPECT_EQ(next_line(verdict, TextStyle{}), "") << "not started";
}

TEST(TextReport, NextIsAMistakeOfALaterTaskRatherThanAnImprovementOfAnEarlierOne) {
  TaskVerdict improvable = sample_with_goals().tasks[0];
  improvable.cases.resize(1);
  improvable.findings.clear();
  improvable.goals.clear();
  Verdict verdict = sample_verdict();
  verdict.tasks = {improvable, verdict.tasks[0]};
  verdict.tasks[0].task = "earlier";
  EXPECT_EQ(next_line(verdict, TextStyle{}).rfind("Next: inclusive_scan  This is what you get", 0), 0U);
  verdict.tasks[1] = improvable;
  verdict.tasks[1].task = "later";
  EXPECT_EQ(next_line(verdict, TextStyle{}).rfind("Next: earlier  ", 0), 0U);
}

TEST(TextReport, PlainStyleHasNoEscapes) {
  EXPECT_FALSE(report_has(text_report(sample_verdict(), TextStyle{}), "\x1b"));
  TextStyle coloured;
  coloured.colour = true;
  EXPECT_TRUE(report_has(text_report(sample_verdict(), coloured), "\x1b[31m"));
}

TEST(TextReport, AsciiStyleIsAscii) {
  TextStyle ascii;
  ascii.utf8 = false;
  for (const char c : text_report(sample_with_speed(), ascii)) ASSERT_GE(c, 0);
  EXPECT_TRUE(report_has(text_report(sample_with_speed(), ascii), "0.571 +- 0.004 ms")) << "in words that can be read";
  EXPECT_TRUE(report_has(text_report(sample_with_speed(), ascii), "next: <= 0.545 ms -> 13"));
}

TEST(TextReport, NoLineIsWiderThanTheTerminal) {
  TextStyle narrow;
  narrow.width = 60;
  const std::string text = text_report(sample_with_speed(), narrow);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // Lines of facts (a finding's head) are not broken; sentences are.
    if (report_has(line, "racecheck")) continue;
    EXPECT_LE(columns_of(line), narrow.width) << line;
  }
}

TEST(TextReport, SubmissionCannotWriteToTheTerminal) {
  Verdict verdict = sample_verdict();
  TaskVerdict& task = verdict.tasks[0];
  const std::string attack = "\x1b]0;owned\x07\x1b[2J";
  task.output = attack + "\n";
  task.cases[1].sentence = attack;
  task.findings[0].kind = attack;
  task.findings[0].array = attack;
  task.findings[0].place.file = attack;
  verdict.environment.device = attack;
  task.speed = sample_speed();
  task.speed.clocks = task.speed.sizes = attack;
  task.parts[2] = {"fast", 1, 15, true, attack};
  verdict.tasks[1].state = TaskState::kCompileError;
  verdict.tasks[1].message = attack;
  EXPECT_FALSE(report_has(text_report(verdict, TextStyle{}), "\x1b"));
}

TEST(TextReport, CompileErrorOfAFileIsSaidOnce) {
  Verdict verdict = sample_verdict();
  for (TaskVerdict& task : verdict.tasks) {
    task.state = TaskState::kCompileError;
    task.message = "scan.cu(31): error: expected a \";\"";
  }
  const std::string text = text_report(verdict, TextStyle{});
  EXPECT_TRUE(report_has(text, "scan · inclusive_scan, exclusive_scan   does not compile\n  scan.cu(31)"));
  EXPECT_EQ(text.find("error:"), text.rfind("error:"));
}

TEST(TextReport, LineWithoutEndDoesNotFillTheScreen) {
  Verdict verdict = sample_verdict();
  verdict.tasks[0].output = std::string(20000, 'x');
  verdict.tasks[1].state = TaskState::kCompileError;
  verdict.tasks[1].message = std::string(20000, 'y');  // what a compiler quotes of a program named .cu
  std::istringstream lines(text_report(verdict, TextStyle{}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 5 * TextStyle{}.width);
}

TEST(TextReport, ManyFailuresAreSummedUp) {
  Verdict verdict = sample_verdict();
  TaskVerdict& task = verdict.tasks[0];
  task.cases.clear();
  for (int i = 0; i < 40; ++i) {
    CaseVerdict wrong;
    wrong.name = "case " + std::to_string(i);
    wrong.outcome = CaseOutcome::kWrong;
    wrong.sentence = "out[0] is " + std::string(static_cast<std::size_t>(i + 1), 'x');  // each a story of its own
    task.cases.push_back(wrong);
  }
  EXPECT_TRUE(report_has(text_report(verdict, TextStyle{}),
                         "✗ 38 more fail: case 2, case 3, case 4, case 5, case 6, case 7 and 32 more"))
      << text_report(verdict, TextStyle{});
  task.cases.resize(3);
  verdict.tasks.resize(1);
  for (CaseVerdict& wrong : task.cases) wrong.sentence += std::string(1500, ' ') + "and so on";  // no room for all
  EXPECT_TRUE(report_has(text_report(verdict, TextStyle{}), "✗ 1 more fails: case "))
      << text_report(verdict, TextStyle{});
}

TEST(TextReport, KnownVerdictIsOneLine) {
  EXPECT_EQ(unchanged_line(sample_verdict().tasks[0], "14:02", TextStyle{}),
            "scan · inclusive_scan   48.25/65   unchanged since 14:02\n");
}

TEST(CaseGroups, OneMistakeIsOneGroup) {
  const Verdict verdict = sample_verdict();
  const auto groups = group_failures(verdict.tasks[0].cases);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].shown->name, "block + 1");
  ASSERT_EQ(groups[0].same.size(), 1U);
  EXPECT_EQ(groups[0].same[0]->name, "a million");
}

TEST(CaseGroups, NumbersDoNotMakeAnotherStory) {
  std::vector<CaseVerdict> cases(6);
  for (CaseVerdict& verdict : cases) verdict.outcome = CaseOutcome::kWrong;
  cases[0].sentence = "c[31] is -1.5e-07, expected 2; 1 of 1,025 wrong, the last element";
  cases[1].sentence = "c[4095] is 3, expected -0.25; 12 of 4096 wrong, the last element";
  cases[2].sentence = "c[4095] is 3, expected -0.25; 12 of 4096 wrong, from 12 to the end";
  cases[3].sentence = "c[0] was never written, expected 1";
  cases[4].sentence = "c[0] was never written, expected 7.";
  cases[5].sentence = "c[0] is nan, expected 7.";
  const auto groups = group_failures(cases);
  ASSERT_EQ(groups.size(), 5U);
  EXPECT_EQ(groups[0].same, std::vector<const CaseVerdict*>{&cases[1]});
}

}  // namespace
}  // namespace lanewise
