// Sets of a few blocks, named by records of their reads.
#include "harness/vgpu/monitor/reader_sets.h"

#include <gtest/gtest.h>

namespace vgpu {
namespace {

AccessRecord by(std::uint32_t block, Epoch epoch) { return AccessRecord::of(block, 3, 7, epoch, 1, false); }

AccessRecord of_set(std::uint32_t number) { return by(0, 1).with(by(1, 1), 0).with_readers(number); }

TEST(ReaderSets, HoldEachBlockOnceWithItsLatestEpoch) {
  ReaderSets sets;
  const std::uint32_t two = sets.joined(by(9, 4), by(5, 2));
  EXPECT_EQ(sets.of(two), (ReaderSets::Readers{{5, 2}, {9, 4}}));
  const std::uint32_t again = sets.joined(of_set(two), by(5, 3));
  EXPECT_EQ(sets.of(again), (ReaderSets::Readers{{5, 3}, {9, 4}}));
  EXPECT_EQ(sets.joined(by(5, 2), of_set(two)), two) << "the same set has the same number";
  EXPECT_EQ(sets.of(sets.joined(of_set(two), of_set(again))), sets.of(again));
}

TEST(ReaderSets, OfTooManyBlocksAreUnknown) {
  ReaderSets sets;
  std::uint32_t number = sets.joined(by(0, 1), by(1, 1));
  for (std::uint32_t block = 2; block < ReaderSets::kMostBlocks; ++block) {
    number = sets.joined(of_set(number), by(block, 1));
    EXPECT_EQ(sets.of(number).size(), block + 1);
  }
  EXPECT_EQ(sets.joined(of_set(number), by(99, 1)), 0U);
  EXPECT_EQ(sets.joined(of_set(0), by(1, 1)), 0U) << "and remain so";
  EXPECT_TRUE(sets.of(0).empty());
}

TEST(ReaderSets, HaveNoMoreNumbersThanRecordsCanName) {
  ReaderSets sets;
  for (std::uint32_t n = 1; n <= AccessRecord::kReaderSets; ++n) ASSERT_EQ(sets.joined(by(0, n), by(1, 1)), n);
  EXPECT_EQ(sets.joined(by(0, 1), by(2, 1)), 0U);
  EXPECT_EQ(sets.joined(by(0, 5), by(1, 1)), 5U) << "what is known remains so";
}

}  // namespace
}  // namespace vgpu
