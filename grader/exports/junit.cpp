// Turns verdicts into suites, and suites into XML.
#include "grader/exports/junit.h"

#include <fmt/format.h>

#include <iterator>

#include "grader/exports/counted.h"
#include "harness/report/case_groups.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

enum class TestResult : std::uint8_t { kPassed, kFailed, kError, kSkipped };

struct Test {
  std::string name;
  double seconds = 0;
  TestResult result = TestResult::kPassed;
  std::string type;      ///< "crashed"
  std::string message;   ///< one line
  std::string evidence;  ///< the whole story
};

struct Suite {
  std::string student;
  std::string lab;
  std::string task;
  std::vector<Test> tests;
  std::string notes;  ///< points and findings

  int count(TestResult result) const {
    int count = 0;
    for (const Test& test : tests) count += test.result == result ? 1 : 0;
    return count;
  }
  double seconds() const {
    double seconds = 0;
    for (const Test& test : tests) seconds += test.seconds;
    return seconds;
  }
};

// safe_text leaves no control characters; two other characters remain that XML 1.0 does not allow (production Char).
std::string xml_text(std::string_view text) {
  std::string xml = html_text(text);
  for (const char* const forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (std::size_t at = xml.find(forbidden); at != std::string::npos; at = xml.find(forbidden, at))
      xml.replace(at, 3, "\xEF\xBF\xBD");
  return xml;
}

std::string xml_line(std::string_view text) { return xml_text(safe_line(text)); }

TestResult result_of(CaseOutcome outcome) {
  switch (outcome) {
    case CaseOutcome::kRight:
      return TestResult::kPassed;
    case CaseOutcome::kWrong:
      return TestResult::kFailed;
    case CaseOutcome::kLeftOut:
      return TestResult::kSkipped;
    default:
      return TestResult::kError;
  }
}

const char* type_of(CaseOutcome outcome) {
  switch (outcome) {
    case CaseOutcome::kRight:
    case CaseOutcome::kLeftOut:
      return "";
    case CaseOutcome::kWrong:
      return "wrong";
    case CaseOutcome::kCudaError:
      return "CUDA error";
    case CaseOutcome::kCrashed:
      return "crashed";
    case CaseOutcome::kExited:
      return "ended the program";
    case CaseOutcome::kTimedOut:
      return "time limit";
    case CaseOutcome::kNotRun:
      return "not run";
  }
  return "";
}

const char* type_of(TaskState state) {
  switch (state) {
    case TaskState::kNotStarted:
      return "not started";
    case TaskState::kMissing:
      return "the function is missing";
    case TaskState::kRefused:
      return "refused by the audit";
    case TaskState::kCompileError:
      return "does not compile";
    case TaskState::kGraded:
      break;
  }
  return "";
}

std::string evidence_of(const CaseVerdict& verdict) {
  std::string text = fmt::format("{}\n{} of {} points; {}", verdict.sentence, points_text(verdict.points),
                                 points_text(verdict.max_points), verdict.why);
  if (!verdict.hint.empty()) text += "\n" + verdict.hint;
  if (!verdict.judgement.rule.empty()) text += "\nrule: " + verdict.judgement.rule;
  for (const Mismatch& mismatch : verdict.judgement.first)
    text += fmt::format("\n{}[{}] is {}, expected {}", mismatch.output, fmt::join(mismatch.index, "]["), mismatch.got,
                        mismatch.expected);
  return text;
}

Suite suite_of(const std::string& student, const TaskVerdict& task) {
  Suite suite{student, task.lab, task.task, {}, {}};
  if (task.state != TaskState::kGraded) {
    suite.tests.push_back({"graded", 0, TestResult::kError, type_of(task.state), type_of(task.state), task.message});
  }
  for (const CaseVerdict& verdict : task.cases)
    suite.tests.push_back({case_label(verdict), verdict.seconds, result_of(verdict.outcome), type_of(verdict.outcome),
                           verdict.sentence, evidence_of(verdict)});
  for (const PartScore& part : task.parts) {
    suite.notes += part.scored ? fmt::format("{}: {}/{}, {}\n", part.name, points_text(part.points),
                                             points_text(part.max_points), part.evidence)
                               : fmt::format("{}: not scored, {}\n", part.name, part.evidence);
  }
  for (const Finding& finding : task.findings)
    suite.notes += fmt::format("{} {}:{}: {} (case {}, {} times)\n", finding.tool, finding.place.file,
                               finding.place.line, finding.sentence, finding.case_name, finding.count);
  return suite;
}

Suite suite_of_nothing(const std::string& student, const std::string& lab, const std::string& why) {
  Suite suite{student, lab, "all tasks", {}, {}};
  suite.tests.push_back({"graded", 0, TestResult::kError, "not graded", why, why});
  return suite;
}

std::vector<Suite> suites_of(const GradedClass& graded) {
  std::vector<Suite> suites;
  for (const GradedStudent& student : graded.students) {
    for (const GradedLab& lab : graded.labs) {
      const std::string& id = student.student.id;
      const GradedAttempt* const counted = counted_attempt(student, lab.id);
      if (counted == nullptr) {
        suites.push_back(suite_of_nothing(id, lab.id, why_not_counted(student, lab.id)));
        continue;
      }
      for (const TaskVerdict& task : counted->verdict->tasks) suites.push_back(suite_of(id, task));
    }
  }
  return suites;
}

void add_test(std::string& xml, const Suite& suite, const Test& test) {
  const auto out = std::back_inserter(xml);
  fmt::format_to(out, "    <testcase classname=\"{}.{}\" name=\"{}\" time=\"{:.3f}\"", xml_line(suite.lab),
                 xml_line(suite.task), xml_line(test.name), test.seconds);
  switch (test.result) {
    case TestResult::kPassed:
      xml += "/>\n";
      return;
    case TestResult::kSkipped:
      fmt::format_to(out, ">\n      <skipped message=\"{}\"/>\n    </testcase>\n", xml_line(test.message));
      return;
    case TestResult::kFailed:
    case TestResult::kError:
      const char* const element = test.result == TestResult::kFailed ? "failure" : "error";
      fmt::format_to(out, ">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n", element,
                     xml_line(test.type), xml_line(test.message), xml_text(test.evidence));
  }
}

}  // namespace

std::string junit_xml(const GradedClass& graded) {
  const std::vector<Suite> suites = suites_of(graded);
  std::size_t tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
  double seconds = 0;
  for (const Suite& suite : suites) {
    tests += suite.tests.size();
    failures += suite.count(TestResult::kFailed);
    errors += suite.count(TestResult::kError);
    skipped += suite.count(TestResult::kSkipped);
    seconds += suite.seconds();
  }
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  const auto out = std::back_inserter(xml);
  fmt::format_to(out,
                 "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
                 xml_line(graded.title.empty() ? "Lanewise" : graded.title), tests, failures, errors, skipped, seconds);
  for (const Suite& suite : suites) {
    fmt::format_to(out,
                   "  <testsuite name=\"{} · {} · {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
                   "time=\"{:.3f}\">\n",
                   xml_line(suite.student), xml_line(suite.lab), xml_line(suite.task), suite.tests.size(),
                   suite.count(TestResult::kFailed), suite.count(TestResult::kError), suite.count(TestResult::kSkipped),
                   suite.seconds());
    for (const Test& test : suite.tests) add_test(xml, suite, test);
    if (!suite.notes.empty()) fmt::format_to(out, "    <system-out>{}</system-out>\n", xml_text(suite.notes));
    xml += "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

}  // namespace lanewise
