// What somebody meant who typed something else.
#include "harness/lab/nearest_name.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

const std::vector<std::string> kLabs = {"bfs", "histogram", "scan", "sort"};

TEST(NearestName, IsAFewLettersAway) {
  for (const char* name : {"scna", "scn", "can", "scanner", "SCAN", "sacn"})
    EXPECT_EQ(nearest_name(name, kLabs), "scan") << name;
  EXPECT_EQ(nearest_name("sorted", kLabs), "sort");
}

TEST(NearestName, MayBeABeginning) { EXPECT_EQ(nearest_name("hist", kLabs), "histogram"); }

TEST(NearestName, NothingIsNearWhatIsAnotherWord) {
  for (const char* name : {"", "x", "matmul", "vecadd"}) EXPECT_EQ(nearest_name(name, kLabs), "") << name;
  EXPECT_EQ(nearest_name("scan", {}), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 's'), kLabs), "") << "and nobody waits for it";
}

TEST(NearestName, TheSentenceNamesItOrLeadsElsewhere) {
  EXPECT_EQ(unknown_name("lab", "scna", kLabs, "the labs are few"), "there is no lab 'scna'; did you mean 'scan'?");
  EXPECT_EQ(unknown_name("lab", "x", kLabs, "the labs are few"), "there is no lab 'x'; the labs are few");
}

}  // namespace
}  // namespace lanewise
