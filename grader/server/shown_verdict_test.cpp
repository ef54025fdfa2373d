// What students learn of hidden cases.
#include "grader/server/shown_verdict.h"

#include <gtest/gtest.h>

#include "harness/report/html_report.h"
#include "harness/report/json_report.h"
#include "harness/report/text_report.h"

namespace lanewise::shown_verdict_test {
namespace {

Verdict verdict_with_hidden_case() {
  CaseVerdict open;
  open.name = "one block";
  open.group = "check";
  open.outcome = CaseOutcome::kRight;
  CaseVerdict hidden;
  hidden.name = "secret prime";
  hidden.sizes = "n = 3079";
  hidden.why = "no block size divides secret 3079";
  hidden.sentence = "c[3078] is wrong";
  hidden.hint = "secret hint";
  hidden.group = "grade";
  hidden.outcome = CaseOutcome::kWrong;
  hidden.max_points = 4;
  Finding finding;
  finding.tool = "memcheck";
  finding.kind = "out-of-bounds write";
  finding.kernel = "secret_kernel";
  finding.place = {"scan.cu", 12};
  finding.block = {3079, 0, 0};
  finding.thread = {3078, 0, 0};
  finding.array = "out";
  finding.index = 3079;
  finding.element = "out[3079]";
  finding.sentence = "writes out[3079], just past its 3,079 elements";
  finding.advice = "check against 3079";
  finding.count = 3079;
  finding.case_name = "secret prime";
  Finding again = finding;
  again.index = 3078;
  again.array = "temporary";
  Finding seen_in_all = finding;
  seen_in_all.sentence = "reads past the end";
  seen_in_all.array = "in";
  seen_in_all.index = 256;
  seen_in_all.element = seen_in_all.advice = seen_in_all.kernel = "";
  seen_in_all.block = seen_in_all.thread = {};
  seen_in_all.case_name = "one block";
  GoalVerdict goal;
  goal.counter = "sectors.global_load";
  goal.heading = "sectors, global loads";
  goal.case_name = "secret prime";
  goal.value = "3079";
  goal.goal = "≤ 3078";
  goal.sentence = "3079 sectors, 3078 would do";
  goal.hint = "secret hint";
  goal.is_measured = true;
  TaskVerdict task;
  task.lab = task.task = "scan";
  task.state = TaskState::kGraded;
  task.cases = {open, hidden};
  task.findings = {finding, again, seen_in_all};
  task.goals = {goal};
  task.classes = {"by size", {"sectors"}, {{"one block", {"8"}}, {"secret prime", {"3079"}}}};
  task.speed.is_known = true;
  task.speed.time = {1, 1, 1};
  task.speed.baseline = task.speed.reference = 2;
  task.speed.case_name = "secret prime";
  task.speed.sizes = "n = 3079";
  task.speed.sentence = "the case 'secret prime' was not counted";
  task.parts = {{"fast", 0, 4, true, task.speed.sentence}};
  task.output = "n is 3079";
  task.output_bytes = task.output.size();
  Verdict verdict;
  verdict.seed = 3079;
  verdict.tasks = {task};
  verdict.points = 41;
  verdict.max_points = 75;
  return verdict;
}

Secrets the_secret() {
  CaseFile secret;
  secret.name = "secret prime";
  Secrets secrets;
  secrets.cases[{"scan", "scan"}] = {secret};
  return secrets;
}

TEST(ShownVerdict, TellsNothingOfAHiddenCaseButItsOutcome) {
  const Verdict shown = shown_verdict(verdict_with_hidden_case(), ServerTerms{}, the_secret());
  TextStyle style;
  style.details = true;
  for (const std::string& text : {text_report(shown, style), html_report(shown, {}), json_report({shown})}) {
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
    EXPECT_EQ(text.find("3079"), std::string::npos);
    EXPECT_EQ(text.find("3078"), std::string::npos);
    EXPECT_EQ(text.find("3,07"), std::string::npos);
    EXPECT_NE(text.find("hidden case 1"), std::string::npos);
  }
  EXPECT_EQ(shown.points, 41);
  EXPECT_EQ(shown.tasks[0].cases[0].name, "one block");
  EXPECT_EQ(shown.tasks[0].cases[1].outcome, CaseOutcome::kWrong);
}

TEST(ShownVerdict, AFindingOfAHiddenCaseHasOnlyItsToolKindAndLine) {
  const Verdict shown = shown_verdict(verdict_with_hidden_case(), ServerTerms{}, the_secret());
  const std::vector<Finding>& findings = shown.tasks[0].findings;
  ASSERT_EQ(findings.size(), 2U) << "equal ones are one";
  EXPECT_EQ(findings[0].tool, "memcheck");
  EXPECT_EQ(findings[0].kind, "out-of-bounds write");
  EXPECT_EQ(findings[0].place.line, 12);
  EXPECT_EQ(findings[0].sentence, "in a hidden case");
  EXPECT_EQ(findings[1].array, "in") << "a public case's";
  EXPECT_EQ(findings[1].index, 256);
  EXPECT_EQ(findings[1].count, 1) << "counted in hidden cases, too";
}

TEST(ShownVerdict, NoHiddenCaseIsNamedWhileItRuns) {
  EXPECT_EQ(shown_progress("scan · scan · secret prime", "scan", ServerTerms{}, the_secret()), "scan · a hidden case");
  EXPECT_EQ(shown_progress("scan · scan · one block", "scan", ServerTerms{}, the_secret()), "scan · scan · one block");
}

TEST(ShownVerdict, ShowsThemIfTheCourseDoes) {
  ServerTerms terms;
  terms.shows_hidden_cases = true;
  const Verdict shown = shown_verdict(verdict_with_hidden_case(), terms, the_secret());
  EXPECT_EQ(shown.tasks[0].cases[1].name, "secret prime");
  EXPECT_EQ(shown.seed, 0U) << "the seed stays a secret";
}

TEST(ShownVerdict, ShowsCasesThatAreInTheLabsFile) {
  const Verdict shown = shown_verdict(verdict_with_hidden_case(), ServerTerms{}, Secrets{});
  EXPECT_EQ(shown.tasks[0].cases[1].hint, "secret hint") << "everybody can read them there";
  EXPECT_EQ(shown.tasks[0].output, "n is 3079");
}

}  // namespace
}  // namespace lanewise::shown_verdict_test
