// The terminal's table: what is in it, that it fits, and that nothing of a student's reaches the terminal as it is.
#include "grader/overview/class_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "grader/overview/class_counts.h"
#include "grader/overview/sample_class_test.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/report/safe_text.h"

namespace lanewise::overview_test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TextStyle style_of(std::size_t width, bool utf8 = true, bool colour = false) {
  TextStyle style;
  style.width = width;
  style.utf8 = utf8;
  style.colour = colour;
  return style;
}

TEST(ClassSummary, SaysHowTheLabWentAndWhatIsMostCommon) {
  const std::string text = class_summary(small_class(), style_of(100), "/somewhere/out");
  EXPECT_TRUE(contains(text, "GPU Programming · 8 students · 1 lab\n")) << text;
  EXPECT_TRUE(contains(text, "6/7  67.83    57.5    100  |    ▄█▄  █|  3 × block sums not added\n")) << text;
  EXPECT_TRUE(contains(text, "1 attempt could not be graded\n  john · scan  scan.cu is not valid: it holds")) << text;
  EXPECT_TRUE(contains(text, "1 item set aside\n  notes.docx  It is no source: hand in scan.cu.\n")) << text;
  EXPECT_TRUE(contains(text, "To be looked at\n  Speed under review: grace\n  Nothing submitted: ken\n")) << text;
  EXPECT_TRUE(contains(text, "out/index.html\n")) << text;
}

TEST(ClassSummary, NobodyIsASummaryToo) {
  EXPECT_TRUE(contains(class_summary(class_without_students(), style_of(100)), "0/0      –       –    100"));
  EXPECT_TRUE(contains(class_summary(GradedClass(), style_of(100)), "0 students · 0 labs\n"));
}

// 60 is the narrowest and 120 the widest that style_for gives; at 80 most terminals stand.
TEST(ClassSummary, FitsTheTerminal) {
  for (const GradedClass& graded : {small_class(), large_class(40, 3), hostile_class()})
    for (const std::size_t width : {60, 80, 100, 120}) {
      std::istringstream lines(class_summary(graded, style_of(width)));
      for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), width) << line;
    }
}

TEST(ClassSummary, NarrowTerminalsStillSeeTheMisconception) {
  EXPECT_TRUE(contains(class_summary(small_class(), style_of(60)), "\n    3 × block sums not added\n"));
}

TEST(ClassSummary, PlainTerminalsGetAscii) {
  const std::string text = class_summary(small_class(), style_of(80, false), "out");
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
      << text;
  EXPECT_TRUE(contains(text, "|    =@=  @|")) << text;
}

TEST(ClassSummary, NothingOfAStudentsActsOnTheTerminal) {
  const std::string text = class_summary(hostile_class(), style_of(120));
  EXPECT_FALSE(contains(text, "\x1b")) << "an escape";
  EXPECT_FALSE(contains(text, "\xe2\x80\xae")) << "text that runs backwards";
  EXPECT_FALSE(contains(text, "\xff")) << "invalid UTF-8";
  EXPECT_TRUE(contains(text, "\\x1b[31m")) << text;
}

TEST(ClassSummary, SimilarPairsAndWhatWasNotComparedAreTold) {
  Similarity similarity;
  similarity.pairs.resize(2);
  similarity.pairs[0].lab = "scan";
  similarity.pairs[0].first = "alan";
  similarity.pairs[0].second = "barbara\x1b";
  similarity.more = 40;
  similarity.notes = {"/usr/bin/sim_c++ is not there"};
  const std::string text = class_summary(class_without_students(), style_of(100), {}, similarity);
  EXPECT_TRUE(contains(text,
                       "To be looked at\n"
                       "  Near-identical submissions: 2 groups (closest: alan and barbara\\x1b in scan)\n"
                       "  /usr/bin/sim_c++ is not there\n"))
      << text;
}

TEST(ClassSummary, ManyTroublesOfOneKindAreOneLineAndManyKindsAreCut) {
  GradedClass graded = class_without_students();
  for (int i = 0; i < 30; ++i) {
    graded.students.push_back(student_called(fmt::format("s{:02}", i)));
    graded.students.back().attempts = {
        ungraded_attempt("scan", i < 15 ? "the disk is full" : fmt::format("trouble {}", i))};
  }
  const std::string text = class_summary(graded, style_of(100));
  EXPECT_TRUE(contains(text,
                       "30 attempts could not be graded\n"
                       "  s00 · scan, s01 · scan, s02 · scan, s03 · scan and 11 more  the disk is full\n"))
      << text;
  EXPECT_TRUE(contains(text, "trouble 23\n  and 6 more\n")) << text;
}

TEST(ClassCounts, EverybodyIsCountedOnceALab) {
  const std::vector<LabCounts> labs = count_class(small_class());
  ASSERT_EQ(labs.size(), 1U);
  const LabCounts& lab = labs[0];
  EXPECT_EQ(lab.graded, (SharedBy{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(lab.not_graded, SharedBy{6});
  EXPECT_EQ(lab.missing, SharedBy{7});
  EXPECT_EQ(lab.late, SharedBy{1});
  ASSERT_EQ(lab.cases.size(), 2U);
  EXPECT_EQ(lab.cases[1].label, "block + 1 (n = 1025)");
  EXPECT_EQ(lab.cases[1].ran, 6U);
  EXPECT_EQ(lab.cases[1].failed, (SharedBy{1, 2, 3, 4}));
  ASSERT_EQ(lab.misconceptions.size(), 2U);
  EXPECT_EQ(lab.misconceptions[0].students, (SharedBy{1, 2, 3}));
  ASSERT_EQ(lab.findings.size(), 1U);
  EXPECT_EQ(lab.findings[0].students, SharedBy{4});
}

TEST(ClassCounts, OnlyTheAttemptThatCountsIsCounted) {
  GradedClass graded = class_without_students();
  graded.students = {student_called("ada")};
  graded.students[0].attempts = {graded_attempt("scan", scan_verdict(90)), graded_attempt("scan", scan_verdict(20))};
  graded.students[0].attempts[1].is_counted = false;
  EXPECT_EQ(count_class(graded)[0].mean, 90);
}

TEST(ClassCounts, DistributionTakesInWhatLiesBeyondItsEnds) {
  EXPECT_EQ(distribution({-1, 0, 9.9, 10, 99.9, 100, 120}, 100, 10),
            (std::vector<std::size_t>{3, 1, 0, 0, 0, 0, 0, 0, 0, 3}));
  EXPECT_EQ(distribution({0.7, 0.1 + 0.2}, 1, 10), (std::vector<std::size_t>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(distribution({0}, 0, 2), (std::vector<std::size_t>{1, 0}));
}

TEST(ClassCounts, UsingALibraryIsNotSaidToBeFraud) {
  GradedClass graded = small_class();
  TaskVerdict& library = graded.students[0].attempts[0].verdict->tasks[0];
  library.state = TaskState::kRefused;
  library.message = "it uses the library cub (<cub.cuh>), which this task does not allow";
  TaskVerdict& both = graded.students[1].attempts[0].verdict->tasks[0];
  both.state = TaskState::kRefused;
  both.message = library.message + "\nit calls 'fork', which a submission does not need";
  std::map<std::size_t, LookReason> reasons;
  for (const LookItem& item : to_be_looked_at(graded, {})) reasons[item.student] = item.reason;
  EXPECT_EQ(reasons.at(0), LookReason::kLibraryUsed);
  EXPECT_EQ(reasons.at(1), LookReason::kRefused);
}

// "reason: student, labs, sentence" for each
std::vector<std::string> looked_at(const GradedClass& graded, const std::vector<SimilarGroup>& groups = {}) {
  std::vector<std::string> lines;
  for (const LookItem& item : to_be_looked_at(graded, groups))
    lines.push_back(fmt::format("{}: {} [{}] {}{}", words_for(item.reason), graded.students[item.student].student.id,
                                fmt::join(item.labs, " "), item.sentence,
                                item.more > 0 ? fmt::format(" + {}", item.more) : ""));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(ToBeLookedAt, WhoCouldNotBeGradedComesFirstAndNothingThatIsRight) {
  GradedClass graded = class_without_students();
  const auto add = [&graded](const std::string& id, TaskState state, const std::string& message) {
    graded.students.push_back(student_called(id));
    graded.students.back().attempts = {graded_attempt("scan", scan_verdict(0))};
    TaskVerdict& task = graded.students.back().attempts[0].verdict->tasks[0];
    task.state = state;
    task.message = message;
  };
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder) << folder.sentence();
  std::ofstream(folder->path() / "scan.cu") << "";
  add("amara", TaskState::kGraded, "");
  add("empty", TaskState::kMissing, "scan.cu does not define inclusive_scan");
  graded.students.back().attempts[0].source = folder->path() / "scan.cu";
  add("jonas", TaskState::kRefused, "it calls 'fork'");
  add("mateo", TaskState::kMissing, "scan.cu does not define inclusive_scan");
  add("noah", TaskState::kNotStarted, "");
  add("tomasz", TaskState::kCompileError, "scan.cu(7): error: expected a \";\"\n  and more");
  add("vera", TaskState::kGraded, "");
  graded.students.back().student.is_enrolled = false;
  graded.students.back().attempts[0].came_from = "vera-new/scan.cu";
  graded.students.push_back(student_called("zoe"));
  graded.students.push_back(student_called("zora"));
  graded.students.back().attempts = {ungraded_attempt("scan", "the disk is full")};
  EXPECT_EQ(
      looked_at(graded),
      (Lines{"Not graded: zora [scan] the disk is full", "Not in the roster: vera [] submitted as vera-new/scan.cu",
             "Does not compile: tomasz [scan] scan.cu(7): error: expected a \";\"", "Empty file: empty [scan] ",
             "Function missing: mateo [scan] scan.cu does not define inclusive_scan",
             "Not started: noah [scan] the skeleton is unchanged", "Refused by the audit: jonas [scan] it calls 'fork'",
             "Nothing submitted: zoe [scan] "}));
}

TEST(ToBeLookedAt, OneReasonOfOneStudentIsOneItem) {
  GradedClass graded = large_class(3, 2);
  EXPECT_EQ(looked_at(graded), Lines{});
  for (GradedAttempt& attempt : graded.students[1].attempts)
    attempt.verdict->tasks[0].speed.review = "two clocks disagree";
  graded.students[0].attempts.pop_back();
  graded.students[2].attempts.clear();
  EXPECT_EQ(looked_at(graded, {{"lab0", {"student0000", "student0001"}, {0}}}),
            (Lines{"Speed under review: student0001 [lab0 lab1] two clocks disagree + 1",
                   "Near-identical: student0000 [lab0] to one other student's",
                   "Near-identical: student0001 [lab0] to one other student's",
                   "Nothing submitted: student0002 [lab0 lab1] ", "Labs missing: student0000 [lab1] "}));
}

TEST(ToBeLookedAt, AnAttemptThatCouldNotBeGradedIsNotHiddenByOneThatCounts) {
  GradedClass graded = large_class(1, 1);
  graded.students[0].attempts.insert(graded.students[0].attempts.begin(), ungraded_attempt("lab0", "it is no archive"));
  graded.students[0].attempts[0].is_counted = false;
  EXPECT_EQ(looked_at(graded), Lines{"Not graded: student0000 [lab0] it is no archive"});
}

TEST(ToBeLookedAt, PartOfALabMayBeLeftUndone) {
  GradedClass graded = large_class(1, 1);
  std::vector<TaskVerdict>& tasks = graded.students[0].attempts[0].verdict->tasks;
  tasks.push_back(tasks[0]);
  tasks[1].state = TaskState::kNotStarted;
  EXPECT_EQ(looked_at(graded), Lines{});
  tasks[0].state = TaskState::kNotStarted;
  EXPECT_EQ(looked_at(graded), Lines{"Not started: student0000 [lab0] the skeleton is unchanged"});
}

TEST(ToBeLookedAt, WithoutARosterNobodyIsMissingFromIt) {
  GradedClass graded = large_class(2, 1);
  for (GradedStudent& student : graded.students) student.student.is_enrolled = false;
  EXPECT_EQ(looked_at(graded), Lines{});
}

}  // namespace
}  // namespace lanewise::overview_test
