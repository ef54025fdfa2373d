// Which submissions race: from the opening to the end, and so many a day.
#include "grader/board/admission.h"

#include <gtest/gtest.h>

namespace lanewise::board_test {
namespace {

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kMidnight = 20'000 * 24 * kHour;  // in UTC

std::vector<bool> admitted(const Competition& competition, const std::vector<AttemptDate>& attempts) {
  std::vector<bool> admitted;
  for (const std::string& reason : reasons_to_leave_out(competition, attempts)) admitted.push_back(reason.empty());
  return admitted;
}

TEST(Admission, WithoutDatesAndLimitsEverythingRaces) {
  EXPECT_EQ(admitted({}, {{"ada", "scan", 1}, {"ada", "scan", 2}, {"ada", "scan", 0}}),
            (std::vector<bool>{true, true, true}));
}

TEST(Admission, TheMomentsOfOpeningAndEndAreIn) {
  Competition competition;
  competition.opens = 100;
  competition.ends = 200;
  EXPECT_EQ(
      admitted(
          competition,
          {{"ada", "scan", 99}, {"ada", "scan", 100}, {"ada", "scan", 200}, {"ada", "scan", 201}, {"ada", "scan", 0}}),
      (std::vector<bool>{false, true, true, false, true}))
      << "without a date, nobody can say that it was late";
}

TEST(Admission, TheFirstOfADayCountForEachStudentAndLab) {
  Competition competition;
  competition.entries_a_day = 2;
  const std::vector<AttemptDate> attempts = {{"ada", "scan", kMidnight},
                                             {"ada", "scan", kMidnight + 1},
                                             {"ada", "scan", kMidnight + 24 * kHour - 1},
                                             {"ada", "scan", kMidnight + 24 * kHour},
                                             {"ada", "sort", kMidnight + 2},
                                             {"bob", "scan", kMidnight + 2}};
  EXPECT_EQ(admitted(competition, attempts), (std::vector<bool>{true, true, false, true, true, true}));
  EXPECT_EQ(reasons_to_leave_out(competition, attempts)[2], "number 3 of that day; the limit is 2");
}

TEST(Admission, ADayBeginsAtMidnightWhereTheCompetitionTakesPlace) {
  Competition competition;
  competition.entries_a_day = 1;
  const std::vector<AttemptDate> attempts = {{"ada", "scan", kMidnight - kHour - 1},
                                             {"ada", "scan", kMidnight - kHour}};
  EXPECT_EQ(admitted(competition, attempts), (std::vector<bool>{true, false})) << "11 p.m. of one day";
  competition.day_begins = -kHour;  // +01:00
  EXPECT_EQ(admitted(competition, attempts), (std::vector<bool>{true, true})) << "midnight is between them";
}

TEST(Admission, WhatIsOutsideTheDatesUsesUpNoDay) {
  Competition competition;
  competition.opens = kMidnight + kHour;
  competition.entries_a_day = 1;
  EXPECT_EQ(admitted(competition, {{"ada", "scan", kMidnight}, {"ada", "scan", kMidnight + kHour}}),
            (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace lanewise::board_test
