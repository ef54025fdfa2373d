// How accesses fall into sectors and banks: the shapes a course talks about, by hand, and many others beside a plain
// reckoning with sets.
#include "harness/vgpu/monitor/access_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

namespace vgpu {
namespace {

/// An access with addresses of its own; whether the halves are rows or single places is looked at as the machine does.
struct Access {
  std::uint64_t at[kLanes];
  MemoryAccess event{};

  Access(std::uint32_t bytes, const std::function<std::uint64_t(int lane)>& address, Mask lanes = kAllLanes,
         bool with_shape = true) {
    for (int lane = 0; lane < kLanes; ++lane) at[lane] = address((lanes >> lane & 1) != 0 ? lane : first(lanes));
    event.wide = at;
    event.bytes = bytes;
    event.lanes = lanes;
    event.lowest = *std::min_element(at, at + kLanes);
    event.highest = *std::max_element(at, at + kLanes);
    event.aligned = true;
    for (int half = 0; with_shape && lanes == kAllLanes && half < 2; ++half) {
      bool row = true, one = true;
      for (int n = 0; n < 16; ++n) {
        row = row && at[half * 16 + n] == at[half * 16] + n * std::uint64_t{bytes};
        one = one && at[half * 16 + n] == at[half * 16];
      }
      event.contiguous = static_cast<std::uint8_t>(event.contiguous | (row ? 1 : 0) << half);
      event.uniform = static_cast<std::uint8_t>(event.uniform | (one ? 1 : 0) << half);
    }
  }
  Access(const Access&) = delete;

  static int first(Mask lanes) { return __builtin_ctz(lanes); }
};

std::uint32_t sectors(const Access& access) { return Footprint(access.event).sectors(); }
std::uint32_t ideal_sectors(const Access& access) { return Footprint(access.event).ideal_sectors(); }

TEST(Sectors, OfAStrideAreThoseItSteppedOn) {
  for (std::uint64_t stride = 1; stride <= 33; ++stride) {
    const Access access(4, [&](int lane) { return 4096 + 4 * stride * static_cast<std::uint64_t>(lane); });
    const std::uint64_t expected = stride < 8 ? 31 * stride / 8 + 1 : 32;  // eight floats make a sector
    EXPECT_EQ(sectors(access), expected) << stride;
    EXPECT_EQ(ideal_sectors(access), 4u) << stride;
  }
}

TEST(Sectors, AnOffsetThatIsNoSectorCostsOneMore) {
  for (std::uint64_t offset = 0; offset <= 33; ++offset) {
    const Access access(4, [&](int lane) { return 4096 + 4 * (offset + static_cast<std::uint64_t>(lane)); });
    EXPECT_EQ(sectors(access), offset % 8 == 0 ? 4u : 5u) << offset;
    EXPECT_EQ(ideal_sectors(access), 4u) << offset;
  }
}

TEST(Sectors, GrowWithTheBytesOfALane) {
  for (const std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const Access side_by_side(bytes, [&](int lane) { return 1 << 20 | bytes * static_cast<std::uint32_t>(lane); });
    EXPECT_EQ(sectors(side_by_side), bytes) << bytes;  // 32 lanes of so many bytes, in sectors of 32
    EXPECT_EQ(ideal_sectors(side_by_side), bytes);
    const Access all_at_once(bytes, [&](int) { return 1 << 20; });
    EXPECT_EQ(sectors(all_at_once), 1u) << bytes;
    EXPECT_EQ(ideal_sectors(all_at_once), 1u);
  }
}

TEST(Sectors, OfSomeLanesAreTheirs) {
  for (std::uint32_t lanes = 1; lanes <= 32; ++lanes) {
    const auto row = [](int lane) { return 512 + 4 * static_cast<std::uint64_t>(lane); };
    EXPECT_EQ(sectors(Access(4, row, first_lanes(lanes))), (lanes + 7) / 8) << lanes;
    EXPECT_EQ(sectors(Access(4, row, ~first_lanes(32 - lanes))), (lanes + 7) / 8) << lanes;
  }
}

TEST(Sectors, EveryByteCountsOnceForTheIdeal) {
  const Access pairs(4, [](int lane) { return 4u * static_cast<std::uint32_t>(lane / 2); });
  EXPECT_EQ(sectors(pairs), 2u);
  EXPECT_EQ(ideal_sectors(pairs), 2u);
  const Access far_pairs(4, [](int lane) { return 128u * static_cast<std::uint32_t>(lane / 2); });
  EXPECT_EQ(sectors(far_pairs), 16u);
  EXPECT_EQ(ideal_sectors(far_pairs), 2u);
}

TEST(Sectors, OfTwoRowsOfATileAreThoseOfBoth) {
  for (const std::uint64_t pitch : {64u, 1024u, 1040u, 32u, 0u}) {  // bytes from a row of 16 floats to the next
    const auto tile = [&](int lane) {
      return 4096 + pitch * static_cast<std::uint64_t>(lane / 16) + 4u * (lane % 16u);
    };
    const std::uint32_t expected = pitch == 0 ? 2 : pitch == 32 ? 3 : pitch == 1040 ? 5 : 4;
    EXPECT_EQ(sectors(Access(4, tile)), expected) << pitch;
    EXPECT_EQ(sectors(Access(4, tile, kAllLanes, false)), expected) << pitch;
  }
}

std::string spelled(const BankUse& use) { return std::to_string(use.wavefronts) + " of " + std::to_string(use.ideal); }

TEST(Banks, OfAStrideConflictByItsCommonFactorWith32) {
  for (std::uint32_t stride = 1; stride <= 33; ++stride) {
    const Access access(4, [&](int lane) { return 1024 + 4 * stride * static_cast<std::uint32_t>(lane); });
    EXPECT_EQ(spelled(bank_use(access.event)), std::to_string(std::gcd(stride, 32u)) + " of 1") << stride;
  }
}

TEST(Banks, PaddingAndSwizzlesFreeAColumn) {
  const auto column = [](std::uint32_t pitch, bool swizzled) {
    return [=](int lane) {
      const auto row = static_cast<std::uint32_t>(lane);
      return std::uint64_t{4 * (row * pitch + (swizzled ? 5 ^ row : 5))};
    };
  };
  EXPECT_EQ(spelled(bank_use(Access(4, column(32, false)).event)), "32 of 1");
  EXPECT_EQ(spelled(bank_use(Access(4, column(33, false)).event)), "1 of 1");
  EXPECT_EQ(spelled(bank_use(Access(4, column(32, true)).event)), "1 of 1");
}

TEST(Banks, ASharedWordIsReadOnce) {
  for (std::uint32_t words = 1; words <= 32; words *= 2) {  // lanes spread over so many words of one bank
    const Access access(4, [&](int lane) { return 128 * (static_cast<std::uint32_t>(lane) % words); });
    EXPECT_EQ(spelled(bank_use(access.event)), std::to_string(words) + " of 1");
  }
  EXPECT_EQ(spelled(bank_use(Access(1, [](int lane) { return 64u + static_cast<std::uint32_t>(lane); }).event)),
            "1 of 1");
}

TEST(Banks, WideAccessesAreServedInParts) {
  const auto at = [](std::uint32_t bytes) {
    return [=](int lane) { return bytes * static_cast<std::uint64_t>(lane); };
  };
  EXPECT_EQ(spelled(bank_use(Access(8, at(8)).event)), "2 of 2");
  EXPECT_EQ(spelled(bank_use(Access(16, at(16)).event)), "4 of 4");
  EXPECT_EQ(spelled(bank_use(Access(8, at(16)).event)), "4 of 2");  // every other pair of banks
  EXPECT_EQ(spelled(bank_use(Access(16, at(32)).event)), "8 of 4");
  EXPECT_EQ(spelled(bank_use(Access(16, at(128)).event)), "32 of 4");
  EXPECT_EQ(spelled(bank_use(Access(16, at(16), 0xFF).event)), "1 of 1") << "a quarter of a warp";
}

TEST(Banks, LanesInPairsAreServedTwiceAsManyAtATime) {
  EXPECT_EQ(spelled(bank_use(Access(8, [](int) { return 256; }).event)), "1 of 1");
  EXPECT_EQ(spelled(bank_use(Access(16, [](int) { return 256; }).event)), "2 of 2");
  const auto neighbours = [](int lane) { return 16u * static_cast<std::uint32_t>(lane / 2); };
  EXPECT_EQ(spelled(bank_use(Access(16, neighbours).event)), "2 of 2");
  const auto two_apart = [](int lane) { return 16u * static_cast<std::uint32_t>(lane / 4 * 2 + lane % 2); };
  EXPECT_EQ(spelled(bank_use(Access(16, two_apart).event)), "2 of 2");
  const auto four_apart = [](int lane) { return 16u * static_cast<std::uint32_t>(lane / 8 * 4 + lane % 4); };
  EXPECT_EQ(spelled(bank_use(Access(16, four_apart).event)), "4 of 4");
}

TEST(Banks, OnlyLoadsArePairedAndWhatIsNeededIsTheBytesOfTheLanesAtWork) {
  // As programs/counter_wide.cu has it of an H200: the lanes at work, side by side in memory.
  const struct {
    AccessKind kind;
    std::uint32_t bytes;
    Mask lanes;
    const char* use;
  } rows[] = {
      {AccessKind::kStore, 8, 0x0000ffff, "1 of 1"},  {AccessKind::kStore, 8, 0xffff0000, "1 of 1"},
      {AccessKind::kStore, 8, 0x80000001, "2 of 1"},  {AccessKind::kStore, 8, 0x00ff00ff, "2 of 1"},
      {AccessKind::kStore, 8, 0x000fffff, "2 of 2"},  {AccessKind::kStore, 8, 0x55555555, "2 of 1"},
      {AccessKind::kStore, 16, 0x80000001, "2 of 1"}, {AccessKind::kStore, 16, 0x01010101, "4 of 1"},
      {AccessKind::kLoad, 8, 0x80000001, "1 of 1"},   {AccessKind::kLoad, 8, 0x55555555, "1 of 1"},
      {AccessKind::kLoad, 16, 0x01010101, "2 of 1"},
  };
  for (const auto& row : rows) {
    const auto place = [&](int lane) {
      return std::uint64_t{row.bytes} * static_cast<unsigned>(__builtin_popcount(row.lanes & first_lanes(lane)));
    };
    Access access(row.bytes, place, row.lanes);
    access.event.kind = row.kind;
    EXPECT_EQ(spelled(bank_use(access.event)), row.use) << row.bytes << " bytes, lanes " << std::hex << row.lanes;
  }
}

TEST(Contention, IsOfTheLanesThatShareAnAddress) {
  for (std::uint32_t lanes = 1; lanes <= 32; ++lanes) {
    const Access access(4, [&](int lane) { return 4 * (static_cast<std::uint32_t>(lane) / lanes); });
    const Contention contention = contention_of(access.event);
    EXPECT_EQ(contention.depth, lanes);
    std::uint32_t sectors = 0;  // eight addresses make a sector, of which the first has as many lanes as any
    for (std::uint32_t first = 0; first < 32; first += 8 * lanes) sectors += std::min(lanes, 32 - first);
    EXPECT_EQ(contention.sectors, sectors) << lanes;
  }
}

TEST(AtomicWavefronts, AreOfTheLanesThatShareABank) {
  const auto wavefronts = [](auto&& address, AtomicTurns turns = AtomicTurns::kEachLane) {
    return atomic_wavefronts(Access(4, address).event, turns);
  };
  EXPECT_EQ(wavefronts([](int lane) { return 4u * static_cast<std::uint32_t>(lane); }), 1u);
  EXPECT_EQ(wavefronts([](int) { return 64u; }), 32u);
  EXPECT_EQ(wavefronts([](int lane) { return 128u * static_cast<std::uint32_t>(lane); }), 32u) << "one bank";
  EXPECT_EQ(wavefronts([](int lane) { return 8u * static_cast<std::uint32_t>(lane); }), 2u);
  EXPECT_EQ(wavefronts([](int) { return 64u; }, AtomicTurns::kTwiceEachLane), 64u);
  EXPECT_EQ(wavefronts([](int) { return 64u; }, AtomicTurns::kEachWord), 1u);
  EXPECT_EQ(wavefronts([](int lane) { return 128u * static_cast<std::uint32_t>(lane / 4); }, AtomicTurns::kEachWord),
            8u);
}

/// Nsight Compute on an H200, 2026-11-22: sectors of one atomicAdd() of a warp.
TEST(Contention, SectorsAreThoseOfAnH200) {
  const auto shared_by = [](std::uint32_t lanes, std::uint32_t bytes) {
    return [=](int lane) { return std::uint64_t{bytes * (static_cast<std::uint32_t>(lane) / lanes)}; };
  };
  const struct {
    std::uint32_t lanes, bytes, sectors;
  } rows[] = {{1, 4, 4}, {2, 4, 4}, {4, 4, 4}, {8, 4, 8}, {16, 4, 16}, {32, 4, 32}, {1, 8, 8}, {4, 8, 8}};
  for (const auto& row : rows)
    EXPECT_EQ(contention_of(Access(row.bytes, shared_by(row.lanes, row.bytes)).event).sectors, row.sectors)
        << row.lanes << " lanes, " << row.bytes << " bytes";
  // Lanes 3 and 22 want two words of one sector. They have it together, unless a lane before 22 in another line waits
  // for what looks like 22's word.
  const auto meeting = [](std::uint64_t word, std::uint64_t line_of_20) {
    return [=](int lane) -> std::uint64_t {
      if (lane == 3) return 0;
      if (lane == 22) return 4 * word;
      return lane == 20 ? line_of_20 * 128 + 16 : (1024 + static_cast<std::uint64_t>(lane) * 4096) * 4;
    };
  };
  EXPECT_EQ(contention_of(Access(4, meeting(1, 2615)).event).sectors, 31u);
  EXPECT_EQ(contention_of(Access(4, meeting(4, 2615)).event).sectors, 32u);
  EXPECT_EQ(contention_of(Access(4, meeting(4, 2614)).event).sectors, 31u) << "told apart by the line";
}

TEST(LocalMemory, LanesWithTheSameIndexHaveTheirWordsSideBySide) {
  EXPECT_EQ(local_sectors(Access(4, [](int) { return 8; }).event), 4u);
  EXPECT_EQ(local_sectors(Access(
                              4, [](int) { return 8; }, 0xFF)
                              .event),
            1u);
  EXPECT_EQ(local_sectors(Access(1, [](int) { return 9; }).event), 4u);
  EXPECT_EQ(local_sectors(Access(16, [](int) { return 16; }).event), 16u);
  EXPECT_EQ(local_sectors(Access(4, [](int lane) { return 4 * lane; }).event), 32u);
}

/// Most words that lanes of one group ask of one bank.
std::size_t wavefronts_by_sets(const MemoryAccess& access, int first, int count) {
  std::map<std::uint64_t, std::set<std::uint64_t>> words_of;
  for (int lane = first; lane < first + count; ++lane)
    for (std::uint32_t byte = 0; (access.lanes >> lane & 1) != 0 && byte < access.bytes; byte += 4) {
      const std::uint64_t word = (access.address(lane) + byte) / 4;
      words_of[word % 32].insert(word);
    }
  std::size_t most = 0;
  for (const auto& [bank, words] : words_of) most = std::max(most, words.size());
  return most;
}

/// Each half of the warp is a row, one place, or anything: what is recognised quickly must come to the same.
TEST(Shapes, ComeToWhatSetsComeTo) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  for (int round = 0; round < 4000; ++round) {
    const std::uint32_t bytes = 1u << below(3), spread = 1u << (4 + below(8));
    std::uint64_t at[kLanes];
    for (int half = 0; half < 2; ++half) {
      const std::uint64_t begin = below(spread) * std::uint64_t{bytes};
      const std::uint32_t kind = below(3);
      for (int n = 0; n < 16; ++n)
        at[half * 16 + n] = kind == 0   ? begin + static_cast<std::uint64_t>(n) * bytes
                            : kind == 1 ? begin
                                        : below(spread) * std::uint64_t{bytes};
    }
    const Mask lanes = below(2) == 0 ? kAllLanes : random() | 1u;
    const Access access(
        bytes, [&](int lane) { return at[lane]; }, lanes);
    std::set<std::uint64_t> touched_sectors, touched_bytes;
    for (int lane = 0; lane < kLanes; ++lane)
      for (std::uint32_t byte = 0; (lanes >> lane & 1) != 0 && byte < bytes; ++byte) {
        touched_sectors.insert((at[lane] + byte) / 32);
        touched_bytes.insert(at[lane] + byte);
      }
    ASSERT_EQ(sectors(access), touched_sectors.size()) << "round " << round;
    ASSERT_EQ(ideal_sectors(access), (touched_bytes.size() + 31) / 32) << "round " << round;
    ASSERT_EQ(bank_use(access.event).wavefronts, wavefronts_by_sets(access.event, 0, 32)) << "round " << round;
  }
}

TEST(AccessShape, LanesWithDifferentAddressesAreNotCombinedWhateverTheTextShows) {
  EXPECT_TRUE(is_combined(Access(4, [](int) { return 64u; }).event, AtomicTurns::kOnce));
  EXPECT_FALSE(is_combined(Access(4, [](int lane) { return lane == 31 ? 68u : 64u; }).event, AtomicTurns::kOnce));
}

}  // namespace
}  // namespace vgpu
