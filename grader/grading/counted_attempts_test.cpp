// Best or latest, and nothing without a verdict before something with one.
#include "grader/grading/counted_attempts.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

GradedAttempt attempt(const std::string& name, const std::string& lab, double points, std::int64_t submitted) {
  GradedAttempt made;
  made.came_from = name;
  made.lab = lab;
  made.score.points = points;
  made.submitted = submitted;
  if (points >= 0) made.verdict.emplace();
  return made;
}

// "scan: b, c, [a]": by lab, the one that counts in brackets.
std::string order(CountedAttempt how, const std::vector<GradedAttempt>& attempts) {
  GradedStudent student;
  student.attempts = attempts;
  choose_counted(how, student);
  std::string text;
  std::string lab;
  for (const GradedAttempt& each : student.attempts) {
    if (each.lab != lab) text += (lab.empty() ? "" : "; ") + each.lab + ":";
    lab = each.lab;
    text += " " + (each.is_counted ? "[" + each.came_from + "]" : each.came_from);
  }
  return text;
}

TEST(CountedAttempts, BestCountsAndOfEqualOnesTheEarliest) {
  EXPECT_EQ(order(CountedAttempt::kBest, {attempt("a", "scan", 40, 1), attempt("b", "scan", 70, 2),
                                          attempt("c", "scan", 70, 3), attempt("d", "scan", 10, 4)}),
            "scan: a c d [b]");
}

TEST(CountedAttempts, LatestCountsAndWithoutTimesTheLastInOrder) {
  EXPECT_EQ(order(CountedAttempt::kLatest,
                  {attempt("a", "scan", 90, 5), attempt("b", "scan", 10, 9), attempt("c", "scan", 50, 7)}),
            "scan: a c [b]");
  EXPECT_EQ(order(CountedAttempt::kLatest, {attempt("a", "scan", 90, 0), attempt("b", "scan", 10, 0)}), "scan: a [b]");
}

TEST(CountedAttempts, OneWithoutAVerdictCountsOnlyWhereThereIsNoOther) {
  constexpr double kNoVerdict = -1;
  for (const CountedAttempt how : {CountedAttempt::kBest, CountedAttempt::kLatest}) {
    EXPECT_EQ(order(how, {attempt("a", "scan", 0, 1), attempt("b", "scan", kNoVerdict, 2)}), "scan: b [a]");
    EXPECT_EQ(order(how, {attempt("a", "scan", kNoVerdict, 1)}), "scan: [a]");
  }
}

TEST(CountedAttempts, EachLabHasItsOwn) {
  EXPECT_EQ(order(CountedAttempt::kBest, {attempt("a", "scan", 5, 1), attempt("b", "merge", 3, 1),
                                          attempt("c", "merge", 9, 2), attempt("d", "scan", 1, 2)}),
            "merge: b [c]; scan: d [a]");
  EXPECT_EQ(order(CountedAttempt::kBest, {}), "");
}

}  // namespace
}  // namespace lanewise
