// Nobody is first, last or behind the same neighbour more often than others.
#include "harness/measure/interleaver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace lanewise::measure {
namespace {

TEST(Interleaver, EveryRoundHasEveryEntryOnce) {
  for (std::size_t entries = 1; entries <= 6; ++entries) {
    Interleaver interleaver(std::vector<std::size_t>(entries, 1), 5);
    for (int round = 0; round < 20; ++round) {
      const std::vector<std::size_t> order = interleaver.next_round();
      EXPECT_EQ(order.size(), entries);
      EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), entries);
    }
  }
}

TEST(Interleaver, OverACycleEveryoneFollowsEveryoneEquallyOften) {
  for (std::size_t entries = 2; entries <= 7; ++entries) {
    Interleaver interleaver(std::vector<std::size_t>(entries, 1), 11);
    std::map<std::pair<std::size_t, std::size_t>, int> follows;
    for (std::size_t round = interleaver.rounds_of_a_cycle(); round > 0; --round) {
      const std::vector<std::size_t> order = interleaver.next_round();
      for (std::size_t i = 1; i < entries; ++i) ++follows[{order[i - 1], order[i]}];
    }
    EXPECT_EQ(follows.size(), entries * (entries - 1)) << entries;
    for (const auto& [pair, times] : follows) EXPECT_EQ(times, follows.begin()->second) << entries;
  }
}

TEST(Interleaver, OverACycleEveryoneIsFirstEquallyOften) {
  Interleaver interleaver({1, 1, 1, 1}, 3);
  std::multiset<std::size_t> first;
  for (int round = 0; round < 4; ++round) first.insert(interleaver.next_round().front());
  EXPECT_EQ(first, (std::multiset<std::size_t>{0, 1, 2, 3}));
}

TEST(Interleaver, SeedDecidesTheOrder) {
  const auto orders = [](std::uint64_t seed) {
    Interleaver interleaver({1, 1, 1, 1}, seed);
    std::vector<std::vector<std::size_t>> rounds;
    for (int round = 0; round < 12; ++round) rounds.push_back(interleaver.next_round());
    return rounds;
  };
  EXPECT_EQ(orders(1), orders(1));
  EXPECT_NE(orders(1), orders(2));
}

TEST(Interleaver, ExpensiveEntryTakesPartInFewerRounds) {
  Interleaver interleaver({1, 5}, 1);
  std::vector<std::size_t> sizes;
  for (int round = 0; round < 11; ++round) sizes.push_back(interleaver.next_round().size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2}));
}

TEST(Interleaver, WithoutEntriesRoundsAreEmpty) { EXPECT_TRUE(Interleaver({}, 1).next_round().empty()); }

TEST(Interleaver, StrideKeepsTheCostOfAnExpensiveEntryAtBay) {
  EXPECT_EQ(stride_of(1, 1), 1U);
  EXPECT_EQ(stride_of(4, 1), 1U);
  EXPECT_EQ(stride_of(12, 1), 3U);
  EXPECT_EQ(stride_of(1e9, 1), 16U);
  EXPECT_EQ(stride_of(1, 0), 1U);
}

}  // namespace
}  // namespace lanewise::measure
