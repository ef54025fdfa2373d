// What students learn of hidden cases.
#include "grader/server/shown_verdict.h"

#include <gtest/gtest.h>

#include "harness/report/html_report.h"
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
  finding.sentence = "writes outside";
  finding.case_name = "secret prime";
  TaskVerdict task;
  task.lab = task.task = "scan";
  task.state = TaskState::kGraded;
  task.cases = {open, hidden};
  task.findings = {finding};
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
  for (const std::string& text : {text_report(shown, style), html_report(shown, {})}) {
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
    EXPECT_EQ(text.find("3079"), std::string::npos);
    EXPECT_EQ(text.find("3078"), std::string::npos);
    EXPECT_NE(text.find("hidden case 1"), std::string::npos);
  }
  EXPECT_EQ(shown.points, 41);
  EXPECT_EQ(shown.tasks[0].cases[0].name, "one block");
  EXPECT_EQ(shown.tasks[0].cases[1].outcome, CaseOutcome::kWrong);
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
