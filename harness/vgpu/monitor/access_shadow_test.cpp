// Tags of accesses and the memory that keeps them.
#include "harness/vgpu/monitor/access_shadow.h"

#include <gtest/gtest.h>

namespace vgpu {
namespace {

AccessRecord by_warp(std::uint32_t warp, Epoch epoch) { return AccessRecord::of(7, warp, 0, epoch, 3, false); }

TEST(AccessTable, TagsGiveBackRecordsWithTheLanesThatWerePutIn) {
  AccessTable table;
  const AccessTag tag = table.add(by_warp(2, 5));
  const AccessRecord record = table.record(tag | AccessRecord::set_of_lanes(8, 11));
  EXPECT_EQ(record.first_lane(), 8);
  EXPECT_EQ(record.lane_count(), 4);
  EXPECT_EQ(record.warp(), 2U);
  EXPECT_EQ(record.epoch(), 5U);
  EXPECT_TRUE(table.record(0).empty());
}

TEST(AccessTable, LaterLaunchesKnowNothingOfEarlierTags) {
  AccessTable table;
  const AccessTag before = table.add(by_warp(0, 1));
  ASSERT_TRUE(table.begin_launch());
  EXPECT_TRUE(table.record(before).empty());
  EXPECT_LT(before, table.first());
  EXPECT_GE(table.add(by_warp(0, 1)), table.first());
}

TEST(AccessTable, FoldsAlikeHaveOneTagUntilABlockAsksForNewerOnes) {
  AccessTable table;
  const AccessTag a = table.add(by_warp(0, 1)) | AccessRecord::set_of_lanes(4, 4);
  const AccessTag b = table.add(by_warp(1, 1)) | AccessRecord::set_of_lanes(9, 9);
  const AccessTag folded = table.fold(a, b, 0, 0);
  EXPECT_EQ(table.record(folded).by(), AccessRecord::By::kBlock);
  EXPECT_EQ(table.fold(a, b, 0, 0), folded);
  EXPECT_GT(table.fold(a, b, 0, table.next()), folded);
}

TEST(AccessTable, CollectingKeepsWhatIsNamedAndItsOrder) {
  AccessTable table(4);
  AccessShadow shadow;
  std::vector<AccessTag> cells;
  for (std::uint32_t n = 0; n < 8; ++n) {
    const AccessTag tag = table.add(by_warp(n, n + 1)) | AccessRecord::set_of_lanes(1, 1);
    if (n % 2 == 1) cells.push_back(tag);
  }
  AccessTag floor = cells[1], end = table.next();
  EXPECT_TRUE(table.is_full());
  const auto each_cell = [&](const auto& visit) {
    for (AccessTag& cell : cells) visit(cell);
  };
  const auto each_floor = [&](const auto& visit) { visit(floor), visit(end); };
  ASSERT_TRUE(table.collect(each_cell, each_floor));
  EXPECT_FALSE(table.is_full());
  for (std::uint32_t n = 0; n < 4; ++n) {
    EXPECT_EQ(table.record(cells[n]).warp(), 2 * n + 1);
    EXPECT_EQ(table.record(cells[n]).first_lane(), 1);
    EXPECT_EQ(cells[n] >= floor, n >= 1) << "what was before the floor still is";
  }
  EXPECT_EQ(end, table.next());
}

TEST(AccessTable, SaysWhenEveryNumberIsTaken) {
  AccessTable table(AccessTable::kMostRecords);
  AccessTag only = table.add(by_warp(0, 1));
  EXPECT_FALSE(table.collect([&](const auto& visit) { visit(only); }, [](const auto&) {}));
}

TEST(AccessShadow, PagesOfWordsBecomePagesOfBytesWithWhatTheyHeld) {
  AccessShadow shadow;
  const std::uint64_t address = 3 * AccessShadow::kPageBytes - 8;  // the last words of a page
  AccessShadow::View view = shadow.view(address, 4, true);
  view.reads[view.cell(address)] = 7;
  EXPECT_EQ(view.count(8), 2U);
  EXPECT_FALSE(view.holds(address + 8));
  view = shadow.view(address, 1, false);
  ASSERT_EQ(view.count(4), 4U);
  for (std::uint32_t n = 0; n < 4; ++n) EXPECT_EQ(view.reads[view.cell(address) + n], 7U);
  EXPECT_EQ(view.reads[view.cell(address) + 4], 0U);
  EXPECT_EQ(shadow.view(address + 4, 4, true).count(4), 4U);
  shadow.clear();
  EXPECT_EQ(shadow.view(address, 4, true).reads[shadow.view(address, 4, true).cell(address)], 0U);
}

TEST(AccessShadow, CostsWhatIsTouchedAndAtMostTwoBytesAByte) {
  AccessShadow shadow;
  constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;
  for (std::uint64_t at = 0; at < kGibibyte; at += kGibibyte / 16) shadow.view(at, 4, true);
  EXPECT_EQ(shadow.bytes(), 16 * AccessShadow::kPageBytes) << "read only: one byte a byte";
  for (std::uint64_t at = 0; at < kGibibyte; at += kGibibyte / 16) shadow.view(at, 8, false);
  EXPECT_EQ(shadow.bytes(), 32 * AccessShadow::kPageBytes);
}

}  // namespace
}  // namespace vgpu
