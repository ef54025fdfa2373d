// The XML is of the form that grader/exports/junit.xsd gives, whatever students wrote; xmllint is the judge.
#include "grader/exports/junit.h"

#include <gtest/gtest.h>

#include <fstream>

#include "grader/exports/sample_class_test.h"
#include "grader/workplace/temporary_folder.h"

namespace lanewise::exports_test {
namespace {

// What xmllint says against it; "" if nothing.
std::string against_junit_schema(const std::string& xml) {
  const auto folder = TemporaryFolder::create();
  if (!folder) return folder.sentence();
  const std::string file = (folder->path() / "junit.xml").string();
  std::ofstream(file, std::ios::binary) << xml;
  const auto [output, code] =
      run_command("xmllint --noout --schema '" LANEWISE_EXPORTS_FOLDER "/junit.xsd' " + file + " 2>&1");
  return code == 0 ? "" : output;
}

// The value of an XPath expression, as xmllint finds it.
std::string xpath(const std::string& xml, const std::string& expression) {
  const auto folder = TemporaryFolder::create();
  if (!folder) return folder.sentence();
  const std::string file = (folder->path() / "junit.xml").string();
  std::ofstream(file, std::ios::binary) << xml;
  std::string value = run_command("xmllint --xpath \"" + expression + "\" " + file + " 2>&1").first;
  while (!value.empty() && value.back() == '\n') value.pop_back();
  return value;
}

class JunitXml : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_installed("xmllint")) GTEST_SKIP() << "xmllint is not there; scripts/prepare.sh test installs it";
  }
};

TEST_F(JunitXml, ClassHasASuiteForEachStudentAndTask) {
  const std::string xml = junit_xml(sample_class());
  EXPECT_EQ(against_junit_schema(xml), "");
  // Ada's two labs have two tasks each; Bob and Cleo have two labs each that were not graded.
  EXPECT_EQ(xpath(xml, "count(/testsuites/testsuite)"), "8");
  EXPECT_EQ(xpath(xml, "string(/testsuites/testsuite[1]/@name)"), "ada · scan · inclusive_scan");
  EXPECT_EQ(xpath(xml, "string(/testsuites/testsuite[1]/testcase[2]/@name)"), "block + 1 (n = 1025)");
  EXPECT_EQ(xpath(xml, "string(/testsuites/testsuite[1]/testcase[2]/failure/@message)"),
            "out[1024] is 1, expected 513; 1 of 1,025 wrong, the last element");
  EXPECT_EQ(xpath(xml, "string(/testsuites/testsuite[1]/testcase[4]/skipped/@message)"), "hubble.jpg was not found");
  EXPECT_EQ(xpath(xml, "string(/testsuites/testsuite[2]/testcase[1]/error/@type)"), "not started");
  EXPECT_EQ(xpath(xml, "string(/testsuites/testsuite[5]/testcase[1]/error/@message)"),
            "the virtual GPU was killed: out of memory");
}

TEST_F(JunitXml, TotalsAreThoseOfTheTests) {
  const std::string xml = junit_xml(sample_class());
  for (const auto& [attribute, element] : {std::pair("failures", "failure"), std::pair("errors", "error"),
                                           std::pair("skipped", "skipped"), std::pair("tests", "testcase")}) {
    EXPECT_EQ(xpath(xml, std::string("string(/testsuites/@") + attribute + ")"),
              xpath(xml, std::string("count(//") + element + ")"));
    EXPECT_EQ(xpath(xml, std::string("string(/testsuites/@") + attribute + ")"),
              xpath(xml, std::string("sum(/testsuites/testsuite/@") + attribute + ")"));
  }
}

TEST_F(JunitXml, AFailureCarriesItsEvidence) {
  const std::string text = xpath(junit_xml(sample_class()), "string(/testsuites/testsuite[1]/testcase[2]/failure)");
  EXPECT_NE(text.find("0 of 4 points; the second block holds one element"), std::string::npos) << text;
  EXPECT_NE(text.find("not added to the blocks after it."), std::string::npos) << text;
  EXPECT_NE(text.find("out[1024] is 1, expected 513"), std::string::npos) << text;
}

TEST_F(JunitXml, EveryOutcomeHasAForm) {
  GradedClass graded = sample_class();
  std::vector<CaseVerdict>& cases = graded.students.front().attempts.at(1).verdict->tasks.front().cases;
  const CaseVerdict pattern = cases.at(1);
  cases.clear();
  for (const CaseOutcome outcome :
       {CaseOutcome::kRight, CaseOutcome::kWrong, CaseOutcome::kCudaError, CaseOutcome::kCrashed, CaseOutcome::kExited,
        CaseOutcome::kTimedOut, CaseOutcome::kNotRun, CaseOutcome::kLeftOut}) {
    cases.push_back(pattern);
    cases.back().outcome = outcome;
  }
  const std::string xml = junit_xml(graded);
  EXPECT_EQ(against_junit_schema(xml), "");
  EXPECT_EQ(xpath(xml, "count(/testsuites/testsuite[1]/testcase/error)"), "5");
  EXPECT_EQ(xpath(xml, "count(/testsuites/testsuite[1]/testcase/failure)"), "1");
  EXPECT_EQ(xpath(xml, "count(/testsuites/testsuite[1]/testcase/skipped)"), "1");
}

TEST_F(JunitXml, WhatXmlForbidsIsReplaced) {
  GradedClass graded = sample_class();
  graded.title = "]]><!-- & \"'";
  Verdict& verdict = *graded.students.front().attempts.at(1).verdict;
  CaseVerdict& wrong = verdict.tasks.front().cases.at(1);
  wrong.sentence = std::string("<x y=\"1\"/>&amp;\0\x01\x1b\x7f\xff\xed\xa0\x80", 23);
  wrong.sentence += "\xEF\xBF\xBE\xEF\xBF\xBF\xC2\x85\xE2\x80\xAE ]]> \n\t";
  wrong.hint = wrong.sizes = verdict.tasks.front().findings.front().sentence = wrong.sentence;
  graded.students.at(1).attempts.front().trouble = wrong.sentence;
  const std::string xml = junit_xml(graded);
  EXPECT_EQ(against_junit_schema(xml), "");
  EXPECT_EQ(xpath(xml, "string(/testsuites/@name)"), graded.title);
  EXPECT_EQ(xpath(xml, "string(/testsuites/testsuite[1]/testcase[2]/failure/@message)"),
            "<x y=\"1\"/>&amp;\\x00\\x01\\x1b\\x7f\\xff\\xed\\xa0\\x80\xEF\xBF\xBD\xEF\xBF\xBD\\x85\\u202e ]]>   ");
}

TEST_F(JunitXml, AClassOfNobodyIsXml) {
  GradedClass graded;
  EXPECT_EQ(against_junit_schema(junit_xml(graded)), "");
}

}  // namespace
}  // namespace lanewise::exports_test
