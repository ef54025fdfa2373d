#include "harness/vgpu/monitor/access_shape.h"

#include <algorithm>
#include <cstring>

namespace vgpu {
namespace {

constexpr int kHalf = kLanes / 2;
constexpr std::uint32_t kBanks = 32, kBankBytes = 4;

/// The widest vector PTX can spell has 128 bytes, which begin anywhere.
constexpr std::uint32_t kMostLocalWords = kLanes * 33;

/// Bits [first, first + count) of 32.
std::uint32_t bits(std::uint32_t first, std::uint32_t count) {
  return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
}

std::int32_t word_of(const MemoryAccess& access, int lane) {
  return static_cast<std::int32_t>(access.address(lane) / kBankBytes);
}

/// The most different words that one bank is asked for by `lanes`, each of which wants `words` words in a row.
std::uint32_t most_in_a_bank(const MemoryAccess& access, Mask lanes, std::uint32_t words) {
  std::int32_t wanted[kBanks][kLanes];
  std::uint8_t count[kBanks] = {};
  std::uint32_t most = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::int32_t first = word_of(access, __builtin_ctz(lanes));
    for (std::uint32_t n = 0; n < words; ++n) {
      const std::int32_t word = first + static_cast<std::int32_t>(n);
      const std::uint32_t bank = static_cast<std::uint32_t>(word) % kBanks;
      std::int32_t* const known = wanted[bank];
      const std::uint32_t so_far = count[bank];
      std::uint32_t at = 0;
      while (at < so_far && known[at] != word) ++at;
      if (at < so_far) continue;
      known[at] = word;
      count[bank] = static_cast<std::uint8_t>(at + 1);
      most = std::max(most, at + 1);
    }
  }
  return most;
}

/// Whether each lane's address is that of the lane whose number differs by `flip` too, as far as both take part.
bool lanes_pair_up(const MemoryAccess& access, int flip) {
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if ((access.lanes >> (lane ^ flip) & 1) != 0 && access.address(lane) != access.address(lane ^ flip)) return false;
  }
  return true;
}

}  // namespace

// --- sectors ---

Footprint::Footprint(const MemoryAccess& access) {
  const auto row = kHalf * access.bytes;
  if ((access.contiguous | access.uniform) == 3) {
    for (int half = 0; half < 2; ++half)
      add(access.address(half * kHalf), (access.contiguous >> half & 1) != 0 ? row : access.bytes);
    return;
  }
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) add(access.address(__builtin_ctz(rest)), access.bytes);
}

inline void Footprint::add(std::uint64_t address, std::uint32_t bytes) {
  for (;;) {
    const auto in_line = static_cast<std::uint32_t>(address % kLineBytes);
    const std::uint32_t in_sector = in_line % kSectorBytes;
    const std::uint32_t here = std::min(bytes, kSectorBytes - in_sector);
    std::uint32_t& touched = line(address / kLineBytes).bytes_touched[in_line / kSectorBytes];
    const std::uint32_t wanted = bits(in_sector, here), more = wanted & ~touched;
    if (touched == 0) ++sectors_;
    bytes_ += more == wanted ? here : static_cast<std::uint32_t>(__builtin_popcount(more));
    touched |= more;
    if (here == bytes) return;
    address += here;
    bytes -= here;
  }
}

inline TouchedLine& Footprint::line(std::uint64_t number) {
  if (count_ != 0 && lines_[count_ - 1].line == number) return lines_[count_ - 1];
  if (count_ >= kFew) return hashed_line(number);
  for (std::uint32_t n = 0; n < count_; ++n)
    if (lines_[n].line == number) return lines_[n];
  lines_[count_] = {number, {}};
  return lines_[count_++];
}

TouchedLine& Footprint::hashed_line(std::uint64_t number) {
  const auto slot_of = [](std::uint64_t line) {
    return static_cast<std::uint32_t>(line * 0x9E3779B97F4A7C15ull >> 32) % kSlots;
  };
  const auto enter = [&](std::uint32_t index) {
    std::uint32_t slot = slot_of(lines_[index].line);
    while (slots_[slot] != 0) slot = (slot + 1) % kSlots;
    slots_[slot] = static_cast<std::uint8_t>(index + 1);
  };
  if (count_ == kFew) {
    std::memset(slots_, 0, sizeof slots_);
    for (std::uint32_t n = 0; n < kFew; ++n) enter(n);
  }
  for (std::uint32_t slot = slot_of(number); slots_[slot] != 0; slot = (slot + 1) % kSlots)
    if (lines_[slots_[slot] - 1].line == number) return lines_[slots_[slot] - 1];
  lines_[count_] = {number, {}};
  enter(count_);
  return lines_[count_++];
}

std::uint32_t local_sectors(const MemoryAccess& access) {
  // The words of all lanes side by side make four sectors.
  constexpr std::uint32_t kWordSectors = kLanes * kBankBytes / kSectorBytes;
  std::uint64_t words[kMostLocalWords];
  SectorMask sectors[kMostLocalWords];
  std::uint32_t count = 0, total = 0;
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::uint64_t first = access.address(lane) / kBankBytes;
    const std::uint64_t last = (access.address(lane) + access.bytes - 1) / kBankBytes;
    const auto sector = static_cast<SectorMask>(1 << lane * static_cast<int>(kWordSectors) / kLanes);
    for (std::uint64_t word = first; word <= last; ++word) {
      std::uint32_t at = 0;
      while (at < count && words[at] != word) ++at;
      if (at == count) {
        words[count] = word;
        sectors[count++] = 0;
      }
      if ((sectors[at] & sector) == 0) ++total;
      sectors[at] |= sector;
    }
  }
  return total;
}

// --- banks ---

BankUse bank_use_of_any(const MemoryAccess& access) {
  const std::uint32_t words = (access.bytes + kBankBytes - 1) / kBankBytes;
  if (words == 1) return {most_in_a_bank(access, access.lanes, 1), 1};

  const bool merged = access.kind == AccessKind::kLoad && (lanes_pair_up(access, 1) || lanes_pair_up(access, 2));
  const std::uint32_t together = std::max(1u, std::min<std::uint32_t>(kLanes, kLanes / words * (merged ? 2 : 1)));
  std::uint32_t wavefronts = 0, groups = 0;
  for (std::uint32_t first = 0; first < kLanes; first += together) {
    const Mask lanes = access.lanes & (first_lanes(together) << first);
    if (lanes == 0) continue;
    wavefronts += most_in_a_bank(access, lanes, words);
    ++groups;
  }
  const auto lanes = static_cast<std::uint32_t>(__builtin_popcount(access.lanes));
  const std::uint32_t rows = (lanes * words + kBanks - 1) / kBanks;
  return {wavefronts, std::min(groups, rows)};
}

BankUse bank_use_of_rows(const MemoryAccess& access) {
  constexpr std::uint32_t kRows = 8;
  BankUse use{0, 0};
  for (std::uint32_t first = 0; first < kLanes; first += kRows) {
    const Mask lanes = access.lanes & (first_lanes(kRows) << first);
    if (lanes == 0) continue;
    use.wavefronts += most_in_a_bank(access, lanes, access.bytes / kBankBytes);
    ++use.ideal;
  }
  return use;
}

namespace {

/// By what the unit for atomic operations tells addresses apart: the word in the line, and two bits into which 25 bits
/// of the line's number are folded. Other addresses with the same key wait for nothing. Source: Nsight Compute's counts
/// of sectors on an H200, 2026-11-22, of 1254 warps with chosen and with random addresses in 4 GiB, all of which this
/// gives exactly; a part of them is in programs/counter_control.cu.
using AtomicKey = std::uint8_t;  // 0 ... 127

AtomicKey atomic_key(std::uint64_t address) {
  constexpr std::uint64_t kFirstFold = 0xBAD5DA, kSecondFold = 0x1EF7AB5;
  const std::uint64_t line = address / kLineBytes;
  return static_cast<AtomicKey>(address % kLineBytes / kBankBytes |
                                static_cast<std::uint64_t>(__builtin_parityll(line & kFirstFold)) << 5 |
                                static_cast<std::uint64_t>(__builtin_parityll(line & kSecondFold)) << 6);
}

}  // namespace

namespace {

/// Lanes by a number of each: those with the same one are a group.
struct LaneGroups {
  std::uint32_t count = 0;
  Mask lanes[kLanes];
  std::uint8_t of_lane[kLanes];

  template <class NumberOf>
  LaneGroups(Mask all, const NumberOf& number_of) {
    constexpr std::uint32_t kSlots = 2 * kLanes;
    std::uint8_t slots[kSlots] = {};  // group + 1, by a hash of its number
    std::uint64_t numbers[kLanes];
    for (; all != 0; all &= all - 1) {
      const int lane = __builtin_ctz(all);
      const std::uint64_t number = number_of(lane);
      auto slot = static_cast<std::uint32_t>(number * 0x9E3779B97F4A7C15ull >> 32) % kSlots;
      while (slots[slot] != 0 && numbers[slots[slot] - 1] != number) slot = (slot + 1) % kSlots;
      if (slots[slot] == 0) {
        numbers[count] = number;
        lanes[count] = 0;
        slots[slot] = static_cast<std::uint8_t>(++count);
      }
      of_lane[lane] = static_cast<std::uint8_t>(slots[slot] - 1);
      lanes[of_lane[lane]] |= Mask{1} << lane;
    }
  }
};

}  // namespace

std::uint32_t atomic_depth(const MemoryAccess& access) {
  if (access.uniform == 3 && access.lowest == access.highest) return kLanes;
  const LaneGroups same(access.lanes, [&](int lane) { return access.address(lane); });
  std::uint32_t most = access.lanes != 0 ? 1 : 0;
  for (std::uint32_t n = 0; n < same.count; ++n)
    if ((same.lanes[n] & (same.lanes[n] - 1)) != 0)  // counting bits is a call where processors of any age must do
      most = std::max(most, static_cast<std::uint32_t>(__builtin_popcount(same.lanes[n])));
  return most;
}

bool is_element_a_lane(const MemoryAccess& access) {
  int before = -1;
  std::int64_t distance = 0;  // of one lane to the next
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (before >= 0) {
      const auto apart = static_cast<std::int64_t>(access.address(lane) - access.address(before)) / (lane - before);
      if (apart == 0 || (distance != 0 && apart != distance)) return false;
      distance = apart;
    }
    before = lane;
  }
  return distance != 0;
}

std::uint32_t different_addresses(const MemoryAccess& access) {
  if (access.lowest == access.highest) return 1;
  std::uint64_t addresses[kLanes];
  std::uint32_t count = 0;
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) addresses[count++] = access.address(__builtin_ctz(rest));
  std::sort(addresses, addresses + count);
  return static_cast<std::uint32_t>(std::unique(addresses, addresses + count) - addresses);
}

Contention contention_of(const MemoryAccess& access, HotLines* hot) {
  if (access.uniform == 3 && access.lowest == access.highest) {
    if (hot != nullptr) hot->add(access.lowest / kLineBytes, kLanes);
    return {kLanes, kLanes};
  }
  const LaneGroups lines(access.lanes, [&](int lane) { return access.address(lane) / kLineBytes; });
  Mask with_key[128] = {}, before[kLanes];  // of a lane: those before it that have its key
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    Mask& same_key = with_key[atomic_key(access.address(lane))];
    before[lane] = same_key;
    same_key |= Mask{1} << lane;
  }
  Contention contention{atomic_depth(access), 0};
  for (Mask waiting = access.lanes; waiting != 0;) {
    const int first = __builtin_ctz(waiting);
    Mask served = 0;
    std::uint32_t sectors = 0;
    for (Mask rest = waiting & lines.lanes[lines.of_lane[first]]; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      if ((before[lane] & waiting) != 0) continue;
      served |= Mask{1} << lane;
      sectors |= 1U << access.address(lane) % kLineBytes / kSectorBytes;
    }
    const auto changed = static_cast<std::uint32_t>(__builtin_popcount(sectors));
    contention.sectors += changed;
    if (hot != nullptr) hot->add(access.address(first) / kLineBytes, changed);
    waiting &= ~served;
  }
  return contention;
}

MemoryAccess of_first_lane(const MemoryAccess& access) {
  MemoryAccess own = access;
  own.lanes = access.lanes & ~(access.lanes - 1);
  own.contiguous = own.uniform = 0;
  own.lowest = own.highest = access.address(__builtin_ctz(access.lanes));
  return own;
}

std::uint32_t atomic_wavefronts(const MemoryAccess& access, AtomicTurns turns) {
  if (turns == AtomicTurns::kEachWord) return most_in_a_bank(access, access.lanes, 1);
  std::uint32_t lanes_at[kBanks] = {}, most = 0;
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1)
    most = std::max(most, ++lanes_at[access.address(__builtin_ctz(rest)) / kBankBytes % kBanks]);
  return turns == AtomicTurns::kTwiceEachLane ? 2 * most : most;
}

}  // namespace vgpu
