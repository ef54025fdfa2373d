// Sets of blocks, named by records of their reads.
#include "harness/vgpu/monitor/reader_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>

namespace vgpu {
namespace {

AccessRecord by(std::uint32_t block, Epoch epoch) { return AccessRecord::of(block, 3, 7, epoch, 1, false); }

AccessRecord of_set(std::uint32_t number) { return by(0, 1).with(by(1, 1), 0).with_readers(number); }

/// The blocks of the set, each with its latest epoch.
std::map<std::uint32_t, Epoch> readers(const ReaderSets& sets, std::uint32_t number) {
  std::map<std::uint32_t, Epoch> all;
  sets.all_of(number, [&](std::uint32_t block, Epoch epoch) {
    all[block] = std::max(all[block], epoch);
    return true;
  });
  return all;
}

TEST(ReaderSets, HoldEachBlockWithItsLatestEpoch) {
  ReaderSets sets;
  const std::uint32_t two = sets.joined(by(9, 4), by(5, 2));
  EXPECT_EQ(readers(sets, two), (std::map<std::uint32_t, Epoch>{{5, 2}, {9, 4}}));
  const std::uint32_t again = sets.joined(of_set(two), by(5, 3));
  EXPECT_EQ(readers(sets, again), (std::map<std::uint32_t, Epoch>{{5, 3}, {9, 4}}));
  EXPECT_EQ(sets.joined(of_set(two), by(5, 1)), two) << "nothing new";
  EXPECT_EQ(sets.joined(by(5, 2), of_set(two)), two);
  EXPECT_EQ(sets.joined(of_set(again), of_set(two)), again);
  EXPECT_EQ(readers(sets, sets.joined(of_set(two), of_set(again))), readers(sets, again));
  EXPECT_EQ(sets.joined(by(9, 4), by(5, 2)), two) << "made in the same way, it has the same number";
}

TEST(ReaderSets, AnswerNoAsSoonAsTheTestDoes) {
  ReaderSets sets;
  const std::uint32_t two = sets.joined(by(9, 4), by(5, 2));
  EXPECT_TRUE(sets.all_of(two, [](std::uint32_t block, Epoch) { return block < 10; }));
  EXPECT_FALSE(sets.all_of(two, [](std::uint32_t block, Epoch) { return block < 9; }));
  EXPECT_FALSE(sets.all_of(0, [](std::uint32_t, Epoch) { return true; })) << "of whom nothing is known";
}

TEST(ReaderSets, OfTooManyReadsAreUnknown) {
  ReaderSets sets;
  std::uint32_t number = sets.joined(by(0, 1), by(1, 1));
  for (std::uint32_t block = 2; block < ReaderSets::kMostReads; ++block)
    number = sets.joined(of_set(number), by(block, 1));
  EXPECT_EQ(readers(sets, number).size(), ReaderSets::kMostReads);
  EXPECT_EQ(sets.joined(of_set(number), by(9999, 1)), 0U);
  EXPECT_EQ(sets.joined(of_set(0), by(1, 1)), 0U) << "and remain so";
  EXPECT_EQ(sets.joined(by(1, 1), of_set(0)), 0U);
}

TEST(ReaderSets, HaveNoMoreNumbersThanRecordsCanName) {
  ReaderSets sets;
  // Each of these sets makes one of its first block alone, too.
  std::uint32_t last = 0;
  for (std::uint32_t n = 1; n <= AccessRecord::kReaderSets / 2; ++n) last = sets.joined(by(0, n), by(1, 1));
  EXPECT_GE(last + 1, AccessRecord::kReaderSets);
  EXPECT_EQ(sets.joined(by(0, 1), by(2, 1)) != 0 && sets.joined(by(0, 2), by(2, 1)) != 0, false);
  EXPECT_EQ(readers(sets, sets.joined(by(0, 5), by(1, 1))), (std::map<std::uint32_t, Epoch>{{0, 5}, {1, 1}}))
      << "what is known remains so";
}

TEST(ReaderSets, GrowByWhatIsNewWhateverTheOrderBlocksComeIn) {
  ReaderSets sets;
  std::mt19937 random(1);
  std::map<std::uint32_t, std::map<std::uint32_t, Epoch>> known;  // by number: what is in the set
  std::uint32_t number = sets.joined(by(0, 1), by(1, 1));
  known[number] = {{0, 1}, {1, 1}};
  for (int n = 0; n < 5000; ++n) {
    const auto from = std::next(known.begin(), static_cast<std::ptrdiff_t>(random() % known.size()));
    const std::uint32_t block = random() % 150;
    const Epoch epoch = 1 + random() % 3;
    std::map<std::uint32_t, Epoch> expected = from->second;
    const bool is_new = expected[block] < epoch;
    expected[block] = std::max(expected[block], epoch);
    number = sets.joined(of_set(from->first), by(block, epoch));
    ASSERT_EQ(number != from->first, is_new) << n;
    ASSERT_EQ(readers(sets, number), expected) << n;
    known[number] = expected;
  }
}

}  // namespace
}  // namespace vgpu
