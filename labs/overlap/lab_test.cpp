// The keys and rings of the lab overlap, what becomes of them, and where they are.
#include <gtest/gtest.h>

#include <set>

#include "labs/overlap/test_arrays.h"

namespace lanewise::overlap_test {
namespace {

TEST(OverlapMake, GivesOneArrayItsLengthAndOneOutput) {
  for (const char* name : {"stretch", "evolve"})
    for (const std::int64_t n : {0, 1, 33, 1000}) {
      const Problem problem = made(name, n, 2);
      ASSERT_EQ(problem.inputs.size(), 1u);
      ASSERT_EQ(problem.outputs.size(), 1u);
      EXPECT_EQ(problem.inputs[0].shape, std::vector<std::int64_t>{n});
      EXPECT_EQ(problem.outputs[0].shape, std::vector<std::int64_t>{n});
      EXPECT_EQ(problem.inputs[0].dtype, DType::kUint32);
    }
}

TEST(OverlapMake, KeysAreOnTheHostAndRingsOnTheDevice) {
  EXPECT_EQ(made("stretch", 1, 1).space, Space::kHost);
  EXPECT_EQ(made("evolve", 1, 1).space, Space::kDevice);
}

TEST(OverlapMake, KeysDifferAndFillTheirRange) {
  const Words keys = words_of(made("stretch", 10'000, 1).inputs[0]);
  EXPECT_GT(std::set<std::uint32_t>(keys.begin(), keys.end()).size(), 9'980U);
  EXPECT_LT(*std::min_element(keys.begin(), keys.end()), 0x00400000U);
  EXPECT_GT(*std::max_element(keys.begin(), keys.end()), 0xFFC00000U);
}

std::uint32_t stretched(std::uint32_t x, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    x = (x ^ (x >> 15)) * 0x9E3779B1u + 0x7F4A7C15u;
    x = x ^ (x >> 13);
  }
  return x;
}

TEST(OverlapOracle, StretchesByHand) {
  EXPECT_EQ(right("stretch", problem_of("stretch", {0}, 1)), Words{0x7F4A7C15u ^ 0x3FA53u}) << "the term, mixed once";
  EXPECT_EQ(right("stretch", problem_of("stretch", {0, 7, 0xFFFFFFFFu}, 0)), (Words{0, 7, 0xFFFFFFFFu}));
}

// Keys are stretched 64 at a time.
TEST(OverlapOracle, StretchesEveryKeyByItself) {
  for (const std::int64_t n : {1, 63, 64, 65, 200}) {
    const Problem problem = made("stretch", n, 5);
    Words expected = words_of(problem.inputs[0]);
    for (std::uint32_t& x : expected) x = stretched(x, 5);
    EXPECT_EQ(right("stretch", problem), expected) << n;
  }
}

TEST(OverlapOracle, EvolvesByHand) {
  // (left ^ (own >> 3)) + 5 * right
  EXPECT_EQ(right("evolve", problem_of("evolve", {8, 16, 24}, 1)),
            (Words{(24 ^ 1) + 80, (8 ^ 2) + 120, (16 ^ 3) + 40}));
  EXPECT_EQ(right("evolve", problem_of("evolve", {8}, 1)), Words{(8 ^ 1) + 40}) << "its own neighbour on both sides";
  EXPECT_EQ(right("evolve", problem_of("evolve", {8, 16}, 0)), (Words{8, 16}));
  EXPECT_EQ(right("evolve", problem_of("evolve", {8, 16, 24}, 2)),
            right("evolve", problem_of("evolve", right("evolve", problem_of("evolve", {8, 16, 24}, 1)), 1)));
}

TEST(OverlapWork, IsFiveOperationsARoundAndEveryWordOnce) {
  const Work work = task_called("stretch").work(made("stretch", 1000, 7));
  EXPECT_EQ(work.bytes, 8'000);
  EXPECT_EQ(work.flops, 35'000);
}

}  // namespace
}  // namespace lanewise::overlap_test
