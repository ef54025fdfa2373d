#include "harness/runner/problems.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(CaseSeed, DependsOnAllThatNamesACase) {
  const std::uint64_t seed = case_seed(1, "lab", "task", "case");
  EXPECT_EQ(seed, case_seed(1, "lab", "task", "case"));
  EXPECT_NE(seed, case_seed(2, "lab", "task", "case"));
  EXPECT_NE(seed, case_seed(1, "lab", "task", "case 2"));
  EXPECT_NE(seed, case_seed(1, "lab", "other", "case"));
}

}  // namespace
}  // namespace lanewise
