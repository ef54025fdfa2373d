// The page says what the class says, stays small, and nothing of a student's becomes markup.
#include "grader/overview/overview_page.h"

#include <gtest/gtest.h>

#include "grader/exports/csv.h"
#include "grader/overview/sample_class_test.h"

namespace lanewise::overview_test {
namespace {

bool overview_has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

SimilarPair pair_of(const std::string& first, const std::string& second) {
  SimilarPair pair;
  pair.lab = "scan";
  pair.first = first;
  pair.second = second;
  pair.first_percent = 97;
  pair.second_percent = 91;
  return pair;
}

TEST(OverviewPage, SaysWhatTheClassSays) {
  Similarity similarity;
  similarity.pairs = {pair_of("alan", "barbara")};
  similarity.more = 2;
  similarity.notes = {"alan, scan: too long to be compared."};
  const std::string page = overview_page(small_class(), similarity);
  for (const char* part : {"<h1>GPU Programming</h1>",
                           "<strong class=\"score\">6 of 7 submissions graded</strong> · 8 students · 1 lab",
                           "cases: grade · seed 42",
                           "mean 67.83/100",
                           "6 graded, 1 not graded, 1 submitted nothing, 1 late",
                           "3 students: block sums not added",
                           "<td>block + 1 (n = 1025)</td><td class=\"number bad\">4 of 6</td>",
                           "<td>racecheck</td><td>read-write race</td><td class=\"number\">1</td>",
                           "<svg viewBox=",
                           "mean 67.83 of 100, median 57.5",
                           "2 d late",
                           "not graded</td>",
                           "Not graded: 1 · Speed under review: 1 · Near-identical: 2 · Nothing submitted: 1",
                           "John Backus</a></td><td>Not graded</td>",
                           "<a href=\"students/john/index.html#scan\">scan</a>",
                           "ask for it again</td>",
                           "<code>notes.docx</code>",
                           "two clocks disagree",
                           "href=\"similar/01.html\"",
                           "<strong>scan: 2 students</strong>, sharing 97 %",
                           "2 pairs less similar were not compared in detail.",
                           "<summary>Cases: 1 of 2 failed by somebody</summary>",
                           "too long to be compared",
                           "<a href=\"students/ada/index.html\">Ada Lovelace</a>"})
    EXPECT_TRUE(overview_has(page, part)) << part;
}

TEST(OverviewPage, BeginsWithWhoAndWhatIsToBeLookedAt) {
  Similarity similarity;
  similarity.pairs = {pair_of("alan", "barbara")};
  const std::string page = overview_page(small_class(), similarity);
  std::size_t before = 0;
  for (const char* id : {"look-at", "similar", "set-aside", "students", "lab-1"}) {
    const std::size_t at = page.find(fmt::format("<section id=\"{}\">", id));
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_LT(before, at) << id;
    before = at;
  }
  EXPECT_EQ(count_in(page, "<details open"), 0U);
  EXPECT_LT(page.find("<details>"), page.find("<th>case</th>"));
}

TEST(OverviewPage, NothingToBeLookedAtIsOneLine) {
  const std::string page = overview_page(large_class(3, 2), {});
  EXPECT_TRUE(overview_has(page, "<h2><span>To be looked at</span></h2>\n<p>Nobody: all that was submitted is graded"));
  EXPECT_FALSE(overview_has(page, "Filter what"));
}

// 36 pairs of one clique, and one of two others.
TEST(OverviewPage, ACliqueIsOneGroupWithItsPairsFoldedAndItsProbableSource) {
  GradedClass graded = large_class(11, 1);
  Similarity similarity;
  for (int i = 0; i < 9; ++i)
    for (int j = i + 1; j < 9; ++j) {
      similarity.pairs.push_back(pair_of(fmt::format("student{:04}", i), fmt::format("student{:04}", j)));
      similarity.pairs.back().first_percent = 99.6 - static_cast<double>(similarity.pairs.size());
      similarity.pairs.back().second_percent = 20;
    }
  similarity.pairs.push_back(pair_of("student0009", "student0010"));
  for (SimilarPair& pair : similarity.pairs) pair.lab = "lab0";
  const std::string without_times = overview_page(graded, similarity);
  EXPECT_FALSE(overview_has(without_times, "Probable source"));
  for (std::size_t i = 0; i < 11; ++i) graded.students[i].attempts[0].submitted = 1795376400 - (i == 4 ? 60 : 0);
  const std::string page = overview_page(graded, similarity);
  EXPECT_EQ(count_in(page, "<div class=\"group\">"), 2U);
  EXPECT_TRUE(overview_has(page, "<strong>lab0: 9 students</strong>, sharing 64 to 99 %"))
      << page.substr(page.find("class=\"group"), 300);
  EXPECT_TRUE(overview_has(page, "<summary>36 pairs</summary>"));
  EXPECT_EQ(count_in(page, ">side by side</a>"), 37U);
  EXPECT_EQ(count_in(page, "Probable source"), 1U) << "of the pair, both came at the same time";
  EXPECT_TRUE(
      overview_has(page, "Probable source, by time of submission: <a href=\"students/student0004/index.html\">"));
  EXPECT_TRUE(overview_has(page, "to those of 8 other students"));
}

TEST(OverviewPage, PointsAreThoseOfTheGradebook) {
  GradedClass graded = large_class(4, 2);
  const double points[] = {43.73, 0.125, 66.666666, 99.996};
  for (std::size_t i = 0; i < 4; ++i) graded.students[i].attempts[1].score.points = points[i];
  const std::string page = overview_page(graded, {});
  for (const double each : points)
    EXPECT_TRUE(
        overview_has(page, fmt::format("<td class=\"number\" data-value=\"{0}\">{0}</td>", csv_number(each).text)))
        << each;
}

TEST(OverviewPage, OnlyAClassWithARosterHasStrangers) {
  GradedClass graded = large_class(2, 1);
  graded.students[1].student.is_enrolled = false;
  EXPECT_EQ(count_in(overview_page(graded, {}), "<span class=\"mark\">not in the roster</span>"), 1U);
  graded.students[0].student.is_enrolled = false;
  EXPECT_EQ(count_in(overview_page(graded, {}), "not in the roster"), 0U);
}

TEST(OverviewPage, EveryLinkWithinThePageLeadsSomewhere) {
  const std::string page = overview_page(large_class(6, 3), {});
  EXPECT_EQ(count_in(page, "<a href=\"#lab-2-mistake-1\">"), 2U) << "in the table of labs and at the case";
  for (std::size_t at = page.find("href=\"#"); at != std::string::npos; at = page.find("href=\"#", at + 1)) {
    const std::size_t begin = at + 7;
    const std::string id = page.substr(begin, page.find('"', begin) - begin);
    EXPECT_EQ(count_in(page, " id=\"" + id + "\""), 1U) << id;
  }
}

TEST(OverviewPage, NobodyAndOneAreClassesToo) {
  const std::string none = overview_page(class_without_students(), {});
  EXPECT_TRUE(overview_has(none, "There are none.")) << none;
  EXPECT_TRUE(overview_has(none, "Nobody's work has been graded yet."));
  EXPECT_TRUE(overview_has(overview_page(GradedClass(), {}), "<h1>The class</h1>"));
  EXPECT_TRUE(overview_has(overview_page(large_class(1, 1), {}), "1 student · 1 lab"));
}

// A lecture for a whole year, with as many labs as this course has.
TEST(OverviewPage, FiveHundredStudentsStayBelowTwoMebibytes) {
  GradedClass graded = large_class(500, 10);
  Similarity similarity;
  for (std::size_t i = 0; i < 500; ++i) {
    if (i > 0) similarity.pairs.push_back(pair_of("student0000", fmt::format("student{:04}", i)));
    graded.set_aside.push_back({std::string(4096, 'w'), std::string(4096, 'y')});
    graded.students[i].attempts.push_back(ungraded_attempt("lab0", std::string(4096, 't') + std::to_string(i)));
    graded.students[i].attempts.back().is_counted = false;
    graded.students[i].attempts[0].verdict->tasks[0].speed.review = std::string(4096, 'r');
    graded.students[i].student.name += std::string(4096, 'n');
  }
  for (SimilarPair& pair : similarity.pairs) pair.lab = "lab0";
  const std::string page = overview_page(graded, similarity);
  EXPECT_LT(page.size(), 2U << 20);
  EXPECT_EQ(count_in(page, "<td class=\"mono\">student"), 500U) << "nobody is left out of the table";
  EXPECT_EQ(count_in(page, "<p class=\"dim\">And 299 more"), 1U) << "groups";
  EXPECT_EQ(count_in(page, "<p class=\"dim\">And 300 more"), 1U) << "what was set aside";
  EXPECT_TRUE(overview_has(page, "<p class=\"dim\">And 1,300 more.")) << "not graded, under review, near-identical";
}

TEST(OverviewPage, NothingOfAStudentsIsMarkup) {
  Similarity similarity;
  similarity.pairs = {pair_of(hostile_text(), hostile_text())};
  similarity.notes = {hostile_text()};
  const std::string page = overview_page(hostile_class(), similarity);
  EXPECT_EQ(count_in(page, "<script"), 1U) << "ours";
  EXPECT_FALSE(overview_has(page, "alert('1')"));
  EXPECT_TRUE(overview_has(page, "&lt;script&gt;alert(&#39;1&#39;)"));
  for (const char* part : {"\x1b", "\xe2\x80\xae", "\xff"}) EXPECT_FALSE(overview_has(page, part));
}

TEST(OverviewPage, NeedsNoOtherFile) {
  const std::string page = overview_page(small_class(), {});
  for (const char* reference : {"http:", "https:", "src=\"", "url("}) EXPECT_FALSE(overview_has(page, reference));
}

}  // namespace
}  // namespace lanewise::overview_test
