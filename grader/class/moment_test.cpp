// Moments whose seconds are known from elsewhere (GNU date).
#include "grader/class/moment.h"

#include <gtest/gtest.h>

namespace lanewise::class_test {
namespace {

std::int64_t seconds(const char* text) {
  const auto moment = parse_iso_moment(text);
  return moment ? moment->seconds : -1;
}

TEST(Moment, KnownSeconds) {
  EXPECT_EQ(seconds("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(seconds("2000-02-29T12:00:00Z"), 951'825'600);  // a leap day of a leap century
  EXPECT_EQ(seconds("2026-11-22T19:40:00Z"), 1'795'376'400);
  EXPECT_EQ(seconds("2100-03-01T00:00:00Z"), 4'107'542'400);  // after a leap day that was not
}

TEST(Moment, OffsetsAreTakenOff) {
  EXPECT_EQ(seconds("2026-11-22T20:40:00+01:00"), seconds("2026-11-22T19:40:00Z"));
  EXPECT_EQ(seconds("2026-11-22 14:10-0530"), seconds("2026-11-22T19:40:00Z"));
  EXPECT_EQ(seconds("2026-11-22 19:40:00.999 +00:00"), seconds("2026-11-22T19:40:00Z"));
}

TEST(Moment, ItIsSaidWhetherThereIsAnOffset) {
  EXPECT_FALSE(parse_iso_moment("2026-11-22T19:40")->has_offset);
  EXPECT_TRUE(parse_iso_moment("2026-11-22T19:40Z")->has_offset);
}

TEST(Moment, WhatIsNoDateIsNone) {
  for (const char* text :
       {"", "yesterday", "2026-11-22", "2026-13-01T00:00Z", "2026-02-29T00:00Z", "2026-11-31T00:00Z",
        "2026-11-22T24:00Z", "2026-11-22T19:60Z", "2026-11-22T19:40Zulu", "22.11.2026 19:40", "0000-11-22T19:40Z"}) {
    EXPECT_FALSE(parse_iso_moment(text)) << text;
  }
}

}  // namespace
}  // namespace lanewise::class_test
