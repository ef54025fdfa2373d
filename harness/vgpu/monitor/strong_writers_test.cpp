// Who has changed a word, one by one and at the limits.
#include "harness/vgpu/monitor/strong_writers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace vgpu {
namespace {

AccessRecord by(std::uint32_t block, std::uint32_t warp, int lane, Epoch epoch) {
  return AccessRecord::of(block, warp, lane, epoch, 5, true);
}

TEST(StrongWriters, KeepEachLaneWithItsLatestEpoch) {
  StrongWriters writers;
  writers.add(64, by(0, 0, 3, 1), by(1, 0, 0, 2), 1);
  writers.add(64, AccessRecord(by(0, 0, 3, 1)).with(by(1, 0, 0, 2), 1), by(0, 0, 4, 1), 2);
  writers.add(64, AccessRecord(by(0, 0, 3, 1)).with(by(1, 0, 0, 2), 2), by(0, 0, 3, 7), 3);
  const StrongWriters::OfWord* const word = writers.at(64);
  ASSERT_NE(word, nullptr);
  EXPECT_TRUE(word->earlier.empty());
  ASSERT_EQ(word->latest.size(), 3U);
  EXPECT_EQ(word->latest[0].lanes, Mask{1} << 4) << "what lane 3 did in epoch 1 is over for whom its later access is";
  EXPECT_EQ(word->latest[1].block, 1U);
  EXPECT_EQ(word->latest[2].epoch, 7U);
  EXPECT_EQ(word->latest[2].lanes, Mask{1} << 3);
  EXPECT_EQ(writers.at(60), nullptr);
  writers.forget(64);
  EXPECT_EQ(writers.at(64), nullptr);
}

TEST(StrongWriters, BeginAnewBehindASingleAccess) {
  StrongWriters writers;
  writers.add(64, by(0, 0, 0, 1), by(1, 0, 0, 1), 1);
  writers.add(64, by(2, 0, 0, 1), by(3, 0, 0, 1), 2);
  ASSERT_EQ(writers.at(64)->latest.size(), 2U);
  EXPECT_EQ(writers.at(64)->latest[0].block, 2U);
}

TEST(StrongWriters, FoldTheEarliestBeyondTheirLimit) {
  StrongWriters writers;
  AccessRecord all = by(0, 0, 0, 1);
  for (std::uint32_t block = 1; block < StrongWriters::kMostWriters + 2; ++block) {
    writers.add(64, all, by(block, 0, 0, 1), block);
    all = all.with(by(block, 0, 0, 1), block);
  }
  const StrongWriters::OfWord& word = *writers.at(64);
  EXPECT_EQ(word.latest.size(), StrongWriters::kMostWriters);
  EXPECT_EQ(word.latest.front().block, 2U);
  EXPECT_EQ(word.earlier.by(), AccessRecord::By::kGrid) << "blocks 0 and 1";
  EXPECT_EQ(word.earlier.time(), StrongWriters::kMostWriters + 1);
}

TEST(StrongWriters, KnowNoMoreWordsThanTheyHaveRoomFor) {
  StrongWriters writers;
  for (std::uint64_t word = 0; word <= StrongWriters::kMostWords; ++word)
    writers.add(4 * word, by(0, 0, 0, 1), by(1, 0, 0, 1), 1);
  EXPECT_NE(writers.at(4 * (StrongWriters::kMostWords - 1)), nullptr);
  EXPECT_EQ(writers.at(4 * StrongWriters::kMostWords), nullptr);
  const AccessRecord folded = by(0, 0, 0, 1).with(by(1, 0, 0, 1), 1);
  writers.forget(0);
  writers.add(4 * StrongWriters::kMostWords, folded, by(2, 0, 0, 1), 2);
  EXPECT_EQ(writers.at(4 * StrongWriters::kMostWords)->earlier, folded) << "who they are nobody has kept";
}

TEST(WordTable, HoldsWhatAMapHolds) {
  WordTable<int> table;
  std::map<std::uint64_t, int> map;
  std::mt19937_64 random(1);
  for (int n = 0; n < 100000; ++n) {
    const std::uint64_t word = random() % 8 * 3 * 4096 + random() % 64 * 4;
    if (n % 10000 == 0) {
      table.clear();
      map.clear();
    } else if (random() % 3 == 0) {
      table.erase(word);
      map.erase(word);
    } else {
      map[word] = table[word] = n;
    }
    const std::uint64_t other = random() % 8 * 3 * 4096 + random() % 64 * 4;
    const auto known = map.find(other);
    ASSERT_EQ(table.find(other) != nullptr, known != map.end()) << n;
    if (known != map.end()) {
      ASSERT_EQ(*table.find(other), known->second) << n;
    }
    ASSERT_EQ(table.size(), map.size()) << n;
  }
}

TEST(SmallVector, HoldsWhatAVectorHoldsBeyondItsOwnRoomToo) {
  SmallVector<int, 2> small;
  std::vector<int> all;
  std::mt19937 random(1);
  for (int n = 0; n < 2000; ++n) {
    const std::size_t at = random() % (all.size() + 1);
    if (at < all.size() && random() % 3 == 0) {
      small.erase(small.begin() + at);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      small.insert(small.begin() + at, n);
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), n);
    }
    SmallVector<int, 2> moved = std::move(small);
    small = std::move(moved);
    ASSERT_TRUE(std::equal(small.begin(), small.end(), all.begin(), all.end())) << n;
  }
}

}  // namespace
}  // namespace vgpu
