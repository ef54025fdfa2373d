// Both sources are there, what they share leads from one to the other, and neither becomes markup.
#include "grader/overview/pair_page.h"

#include <gtest/gtest.h>

#include "grader/overview/sample_class_test.h"

namespace lanewise::overview_test {
namespace {

bool pair_has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

SimilarPair sample_pair() {
  SimilarPair pair;
  pair.lab = "scan";
  pair.first = "ada";
  pair.second = "mallory";
  pair.first_percent = 99.5;
  pair.second_percent = 93.8;
  pair.runs = {{1, 2, 3, 3, 30}, {2, 3, 1, 1, 25}};
  return pair;
}

TEST(PairPage, RunsLeadToTheOtherSide) {
  const std::string page =
      pair_page(sample_pair(), {"Ada Lovelace", "ada", "one\r\ntwo\nthree\n"}, {"", "mallory", "a\nb\nc\n"});
  for (const char* part :
       {"scan: Ada Lovelace and mallory", "../students/ada/index.html", "../students/mallory/index.html",
        "../index.html", "2 matching passages", ">100 % shared<", ">94 % shared<",
        "<span class=\"line c0\"><span class=\"nr\">1</span><span class=\"go\"><a id=\"a1\" href=\"#b1\" ",
        "aria-label=\"passage 1 on the other side\">1</a> </span>one</span>", "<a id=\"a2\" href=\"#b2\"",
        "<a id=\"b1\" href=\"#a1\"", "<a id=\"b2\" href=\"#a2\"",
        "<span class=\"line\"><span class=\"nr\">2</span><span class=\"go\"></span>b</span>"})
    EXPECT_TRUE(pair_has(page, part)) << part;
}

TEST(PairPage, WhatComesFromStudentsIsNoMarkup) {
  const std::string page = pair_page(sample_pair(), {hostile_text(), "ada", hostile_text()}, {"", "m", hostile_text()});
  for (const char* part : {"<script", "\x1b", "\xe2\x80\xae", "\xff", "http:", "src="})
    EXPECT_FALSE(pair_has(page, part)) << part;
}

// The largest source that is graded has a mebibyte: of newlines, or all on one line.
TEST(PairPage, SourcesBeyondAllMeasureAreCutAndItIsSaid) {
  SimilarPair pair = sample_pair();
  pair.runs.push_back({900'000, 1'000'000, 1, 1, 40});
  const std::string page =
      pair_page(pair, {"", "ada", std::string(1 << 20, '\n')}, {"", "mallory", std::string(1 << 20, 'x')});
  EXPECT_LT(page.size(), 1U << 20);
  EXPECT_TRUE(pair_has(page, "And 1,043,576 more lines."));
}

}  // namespace
}  // namespace lanewise::overview_test
