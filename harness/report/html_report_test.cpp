// The page is whole, and nothing of a submission's becomes markup.
#include "harness/report/html_report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "harness/report/sample_verdict_test.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

fs::path temporary_folder() {
  fs::path folder = fs::temp_directory_path() / ("lanewise_html_report_test_" + std::to_string(getpid()));
  fs::create_directories(folder / "case");
  return folder;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

int times(const std::string& part, const std::string& text) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

/// The page has one of its own, at its end.
int scripts_in(const std::string& page) { return times("<script", page); }

TEST(HtmlReport, SaysWhatTheVerdictSays) {
  const std::string page = html_report(sample_verdict(), {"", "one\ntwo\nthree <bad>\nfour\nfive\nsix\n", "scan.cu"});
  for (const char* part : {"48.25 of 120 points", "out[1024] is 1, expected 513", "block&#39;s total", "racecheck",
                           "Not started", "hubble.jpg was not found", "virtual GPU (H200 profile)"})
    EXPECT_TRUE(contains(page, part)) << part;
}

TEST(HtmlReport, WhatToDoFirstComesBeforeTheEvidence) {
  Verdict verdict = sample_verdict();
  for (CaseVerdict& each : verdict.tasks[0].cases) each.misconception = each.hint = "";
  const std::string page = html_report(verdict, {"", "one\ntwo\nthree <bad>\nfour\n", "scan.cu"});
  const std::size_t first =
      page.find("<h3>Fix first</h3>\n<p>Another thread may already have overwritten the value.</p>");
  ASSERT_NE(first, std::string::npos);
  EXPECT_LT(first, page.find("What went wrong"));
  EXPECT_LT(
      page.find(
          "<a href=\"#scan-inclusive_scan-line3\">scan.cu:3</a></p>\n<pre class=\"culprit\">three &lt;bad&gt;</pre>",
          first),
      page.find("What went wrong"));
  verdict.tasks[0].findings[0].sentence = "<script>";
  EXPECT_EQ(scripts_in(html_report(verdict, {"", "", "scan.cu"})), 1);
}

TEST(HtmlReport, BothLinesOfARaceAreShown) {
  Verdict verdict = sample_verdict();
  Finding& race = verdict.tasks[0].findings[0];
  race.kind = "read after write in line 9";
  Finding mirrored = race;
  mirrored.place.line = 9;
  mirrored.kind = "write after read in line 3";
  verdict.tasks[0].findings.push_back(mirrored);
  const std::string page = html_report(verdict, {"", "1\n2\nthree\n4\n5\n6\n7\n8\nnine\n", "scan.cu"});
  EXPECT_TRUE(contains(page, "<mark id=\"scan-inclusive_scan-line3\">    3  three</mark>"));
  EXPECT_TRUE(contains(page, "<mark id=\"scan-inclusive_scan-line9\">    9  nine</mark>"));
  EXPECT_TRUE(contains(page, "2,468 times"));
}

TEST(HtmlReport, WrittenAnswersShowWhatAHumanMadeOfThem) {
  Verdict verdict = sample_verdict();
  verdict.tasks[0].marks = {{"why", Marked::Result::kByHand, 1, 3, "Why?", "<b>because", "too <i>short"},
                            {"how", Marked::Result::kWaiting, 0, 3, "How?", "so", ""}};
  const std::string page = html_report(verdict, {"", "", "scan.cu"});
  EXPECT_TRUE(contains(page, "<pre>&lt;b&gt;because</pre>\n<p><strong>1 of 3 · too &lt;i&gt;short</strong></p>"));
  EXPECT_TRUE(contains(page, "<pre>so</pre>\n<p><strong>awaits marking</strong></p>"));
}

TEST(HtmlReport, ClassesOfCasesAreATable) {
  const std::string page = html_report(sample_with_classes(), {"", "", "scan.cu"});
  EXPECT_TRUE(contains(page, "<h3>What the length of rows costs</h3>"));
  EXPECT_TRUE(
      contains(page, "<tr><td>rows of 2</td><td class=\"points\">6 %</td><td class=\"points\">31.20</td></tr>"));
  EXPECT_TRUE(contains(page, "<tr><td>rows of 32</td><td class=\"points\">–</td><td class=\"points\">–</td></tr>"));
}

TEST(HtmlReport, CodeIsShownOnceWithEverythingThatIsSaidOfItAtItsLine) {
  Verdict verdict = sample_with_goals();  // a finding and a missed goal, both at line 3
  TaskVerdict& task = verdict.tasks[0];
  task.speed = sample_speed();  // bound by line 4
  Finding another = task.findings[0];
  another.tool = "memcheck";
  another.place.line = 5;
  task.findings.push_back(another);
  const std::string source = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";
  const std::string page = html_report(verdict, {"", source, "scan.cu"});
  for (const char* line :
       {"    1  one\n", "    2  two\n", "    3  three<", "    4  four<", "    5  five<", "    6  six\n"})
    EXPECT_EQ(times(line, page), 1) << line;
  EXPECT_FALSE(contains(page, "    8  eight"));
  std::size_t at = 0;
  for (const char* part : {"    3  three<", "<strong>racecheck", "goal ≤ 4.50", "    4  four<", "Bound by <strong>",
                           "    5  five<", "<strong>memcheck"}) {
    at = page.find(part, at);
    EXPECT_NE(at, std::string::npos) << part;
  }
}

TEST(HtmlReport, WhatOnlyWaitsIsNoMistake) {
  Verdict verdict = sample_with_goals();
  verdict.tasks[0].speed = sample_speed();
  verdict.tasks[0].speed.review = "faster than its roof";
  const std::string page = html_report(verdict, {"", "one\ntwo\nthree\nfour\n", "scan.cu"});
  EXPECT_TRUE(
      contains(page, "<h3>Goals that wait</h3>\n<div class=\"finding waiting\">\n<p>warp instructions: counts once"));
  EXPECT_TRUE(contains(page, "<div class=\"finding waiting\"><p>Under review: faster"));
  EXPECT_TRUE(contains(page, "<div class=\"finding\">\n<p><strong>racecheck"));
}

TEST(HtmlReport, MissedGoalsShowTheirLine) {
  const std::string page = html_report(sample_with_goals(), {"", "one\ntwo\nthree\nfour\n", "scan.cu"});
  EXPECT_TRUE(contains(html_report(sample_with_goals(), {"", "", "scan.cu"}), "<h3>Missed goals</h3>"))
      << "where there is no line to put them at";
  EXPECT_TRUE(contains(page, "global loads: 8.00, goal ≤ 4.50; 32.00 here</p>\n<p class=\"hint\">Let neighbouring"));
  EXPECT_TRUE(contains(page, "counts once the case &#39;block + 1&#39; is right"));
  EXPECT_FALSE(contains(page, "barriers (warps)")) << "it is met";
  EXPECT_FALSE(contains(html_report(sample_verdict(), {"", "", "scan.cu"}), "Missed goals"));
}

TEST(HtmlReport, SpeedIsAPictureAndALine) {
  const std::string page = html_report(sample_with_speed(), {"", "one\ntwo\nthree\nfour\n", "scan.cu"});
  EXPECT_TRUE(contains(page, "<h3>Time</h3>\n<figure class=\"speed\"><svg "));
  EXPECT_TRUE(contains(page, "the median of 38 samples"));
  EXPECT_TRUE(contains(
      page,
      "<mark id=\"scan-inclusive_scan-line4\" class=\"better\">    4  four</mark>\n</pre>\n<div class=\"finding "
      "better\"><p>Bound by <strong>shared memory</strong>, mainly here.</p>"));
  EXPECT_FALSE(contains(page, "odelled"));
  EXPECT_FALSE(contains(html_report(sample_verdict(), {"", "", "scan.cu"}), "class=\"speed\""));
}

TEST(HtmlReport, AModelledTimeIsSaidToBeModelled) {
  Verdict verdict = sample_with_speed();
  verdict.tasks[0].speed.is_modelled = true;
  verdict.tasks[0].speed.review = "<b>";
  const std::string page = html_report(verdict, {"", "", "scan.cu"});
  EXPECT_TRUE(contains(page, "<h3>Modelled time</h3>"));
  EXPECT_TRUE(contains(page, "Modelled, not measured:"));
  EXPECT_TRUE(contains(page, "Under review: &lt;b&gt;"));
}

TEST(HtmlReport, FindingShowsItsLineAmongItsNeighbours) {
  const std::string page = html_report(sample_verdict(), {"", "one\ntwo\nthree <bad>\nfour\nfive\nsix\n", "scan.cu"});
  EXPECT_TRUE(contains(
      page,
      "    1  one\n    2  two\n<mark id=\"scan-inclusive_scan-line3\">    3  three &lt;bad&gt;</mark>\n</pre>\n<div "));
  EXPECT_TRUE(contains(page, "</div>\n<pre>    4  four\n    5  five\n</pre>"));
}

TEST(HtmlReport, LineThatIsNotThereIsOnlyNamed) {
  EXPECT_TRUE(contains(html_report(sample_verdict(), {"", "one\n", "scan.cu"}), "scan.cu:3"));
}

TEST(HtmlReport, SubmissionCannotAddMarkup) {
  Verdict verdict = sample_verdict();
  const std::string attack = "\"><script>alert('1')</script>\" onload=\"x";
  const fs::path folder = temporary_folder();
  const std::string picture = "\" onload=\"x <script>.png";
  std::ofstream(folder / picture) << "any bytes";
  verdict.submission = attack;
  verdict.source_hash = attack;
  verdict.environment = {attack, attack, attack, attack, attack};
  TaskVerdict& task = verdict.tasks[0];
  task.output = attack;
  for (CaseVerdict& a_case : task.cases) {
    a_case.name = a_case.sizes = a_case.why = a_case.sentence = a_case.hint = attack;
    a_case.pictures = {attack, picture};
  }
  Finding& finding = task.findings[0];
  finding.tool = finding.kind = finding.kernel = finding.array = finding.sentence = finding.advice = attack;
  finding.case_name = finding.place.file = attack;
  verdict.tasks[1].message = attack;
  const std::string page = html_report(verdict, {folder, attack, attack});
  EXPECT_TRUE(contains(page, "&quot; onload=&quot;x &lt;script&gt;\" src=\"data:"));
  for (const char* markup : {"\" onload", "'1'"}) EXPECT_FALSE(contains(page, markup)) << markup;
  EXPECT_EQ(scripts_in(page), 1);
  EXPECT_EQ(times("</script", page), 1);
  fs::remove_all(folder);
}

TEST(HtmlReport, FooterSaysWhereItRanAndThatNothingDid) {
  Verdict verdict = sample_verdict();
  EXPECT_TRUE(contains(html_report(verdict, {}),
                       "Ran on virtual GPU (H200 profile) (vgpu), CUDA runtime 13.0; compiled with nvcc 13.0.88."));
  verdict.environment = {"vgpu", "", "", "", "nvcc 13.0.88"};  // as after a compile error
  EXPECT_TRUE(contains(html_report(verdict, {}), ">Nothing was run; compiled with nvcc 13.0.88."));
}

TEST(HtmlReport, NeedsNoOtherFile) {
  const fs::path folder = temporary_folder();
  std::ofstream(folder / "case" / "got.png") << "any bytes";
  Verdict verdict = sample_verdict();
  verdict.tasks[0].cases[1].pictures = {"case/got.png"};
  const std::string page = html_report(verdict, {folder, "", "scan.cu"});
  EXPECT_TRUE(contains(page, "src=\"data:image/png;base64,YW55IGJ5dGVz\""));  // as base64(1) encodes it
  for (const char* reference : {"http:", "https:", "src=\"/", "url(", "@import"})
    EXPECT_FALSE(contains(page.substr(0, page.find("<script")), reference)) << reference;
  EXPECT_TRUE(contains(page, "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace lanewise
