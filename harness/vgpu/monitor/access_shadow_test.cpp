// Tags of accesses and the memory that keeps them.
#include "harness/vgpu/monitor/access_shadow.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

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

/// As when a thread reads byte n of an array: by the lane, under the record of its warp.
AccessTag tag_of_thread(std::uint64_t n) {
  return static_cast<AccessTag>(1 + n / kLanes) << AccessTable::kLanesBits |
         AccessRecord::set_of_lanes(static_cast<int>(n % kLanes), static_cast<int>(n % kLanes));
}

TEST(AccessShadow, CostsTwoBytesAByteOfManyBytesToo) {
  constexpr std::uint64_t kBytes = std::uint64_t{4} << 20, kSlack = std::uint64_t{256} << 10;
  const struct {
    const char* what;
    std::uint64_t bytes_a_thread;  ///< each written by an instruction of its own
  } rows[] = {{"a byte a thread", 1}, {"colours", 3}, {"characters of 2 bytes", 2}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    const auto expected = [&](std::uint64_t at) {
      return tag_of_thread(at / row.bytes_a_thread) + static_cast<AccessTag>(at % row.bytes_a_thread << 25);
    };
    AccessShadow shadow(kSlack);
    for (std::uint64_t at = 0; at < kBytes; ++at) {
      AccessShadow::View view = shadow.view(at, 1, true);
      view.reads[view.cell(at)] = expected(at);
      view = shadow.view(at, 1, false);
      view.writes[view.cell(at)] = expected(at);
    }
    EXPECT_LE(shadow.bytes(), 2 * kBytes + kSlack);
    for (std::uint64_t at = 0; at < kBytes; at += 911) {  // 911 is prime: every page, many places
      const AccessShadow::View view = shadow.view(at, 1, at % 2 == 0);
      ASSERT_EQ(view.reads[view.cell(at)], expected(at)) << at;
      ASSERT_EQ(view.writes[view.cell(at)], expected(at)) << at;
    }
    EXPECT_TRUE(shadow.is_tight());
    EXPECT_FALSE(shadow.has_forgotten());
    EXPECT_LE(shadow.bytes(), 2 * kBytes + kSlack) << "coming back changes nothing";
  }
}

TEST(AccessShadow, ForgetsRatherThanTakeMoreInWhateverOrderBytesCome) {
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 20, kSlack = std::uint64_t{64} << 10;
  constexpr std::uint64_t kPrime = 7919;  // coprime to kBytes: every byte comes once, each in another page
  AccessShadow shadow(kSlack);
  std::set<std::uint64_t> pages;
  const auto tag = [](std::uint64_t n) { return static_cast<AccessTag>(n + 1) << AccessTable::kLanesBits; };
  for (std::uint64_t n = 0; n < kBytes; ++n) {
    const std::uint64_t at = n * kPrime % kBytes;
    pages.insert(at / AccessShadow::kPageBytes);
    const AccessShadow::View view = shadow.view(at, 1, n % 3 == 0);
    AccessTag& cell = (n % 3 == 0 ? view.reads : view.writes)[view.cell(at)];
    ASSERT_EQ(cell, 0U) << "nobody was here before";
    cell = tag(n);
    ASSERT_LE(shadow.bytes(), 2 * AccessShadow::kPageBytes * pages.size() + kSlack);
  }
  EXPECT_TRUE(shadow.has_forgotten());
  std::uint64_t known = 0;
  for (std::uint64_t n = kBytes; n-- > 0;) {  // the latest first: looking makes others go
    const std::uint64_t at = n * kPrime % kBytes;
    const AccessShadow::View view = shadow.view(at, 1, n % 3 == 0);
    const AccessTag cell = (n % 3 == 0 ? view.reads : view.writes)[view.cell(at)];
    if (cell == 0) continue;
    ASSERT_EQ(cell, tag(n)) << "what is still known is right";
    ++known;
  }
  EXPECT_GT(known, 0U);
}

TEST(PackedTags, GiveBackWhatWasPacked) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<AccessTag> tags, unpacked(4096);
    while (tags.size() < unpacked.size()) {  // runs of several kinds, one after the other
      const std::uint32_t period = 1 + random() % 9, length = 1 + random() % 200, kind = random() % 4;
      const std::size_t begin = tags.size();
      for (std::uint32_t n = 0; n < length && tags.size() < unpacked.size(); ++n) {
        if (kind == 0) tags.push_back(random() >> 1);
        if (kind == 1) tags.push_back(0);
        if (kind >= 2 && n < period) tags.push_back(random() >> 1);
        if (kind >= 2 && n >= period) tags.push_back(tags[begin + n - period] + (kind == 3 ? 1 : 0));
      }
    }
    PackedTags packed;
    packed.pack(tags.data(), 4096, 1 << 16);
    packed.unpack(unpacked.data());
    ASSERT_EQ(unpacked, tags) << round;
  }
}

TEST(PackedTags, RecordsMayBeNumberedAnewWhilePacked) {
  std::vector<AccessTag> tags(4096), unpacked(4096);
  for (std::uint32_t n = 0; n < 4096; ++n) tags[n] = n < 100 ? 0 : tag_of_thread(n);
  PackedTags packed;
  packed.pack(tags.data(), 4096, 1024);
  ASSERT_FALSE(packed.empty());
  packed.each([](AccessTag& tag) {
    if (tag != 0) tag -= 3u << AccessTable::kLanesBits;
  });
  packed.unpack(unpacked.data());
  for (std::uint32_t n = 0; n < 4096; ++n)
    ASSERT_EQ(unpacked[n], n < 100 ? 0 : tags[n] - (3u << AccessTable::kLanesBits)) << n;
}

TEST(PackedTags, AreGivenUpWhereTheySaveTooLittle) {
  std::mt19937 random(2);
  std::vector<AccessTag> tags(4096);
  for (AccessTag& tag : tags) tag = random() >> 1;
  PackedTags packed;
  packed.pack(tags.data(), 4096, 1024);
  EXPECT_TRUE(packed.empty());
}

}  // namespace
}  // namespace vgpu
