// How the addresses of a warp fall into sectors of memory and banks of shared memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/vgpu/cost/hot_lines.h"
#include "harness/vgpu/cost/sectored_cache.h"
#include "harness/vgpu/machine/observer.h"

namespace vgpu {

/// What a memory request touches of one line.
struct TouchedLine {
  std::uint64_t line;              ///< address / kLineBytes
  std::uint32_t bytes_touched[4];  ///< of each sector, a bit a byte

  SectorMask sectors() const {
    return static_cast<SectorMask>((bytes_touched[0] != 0 ? 1 : 0) | (bytes_touched[1] != 0 ? 2 : 0) |
                                   (bytes_touched[2] != 0 ? 4 : 0) | (bytes_touched[3] != 0 ? 8 : 0));
  }
};

/// The lines of one request.
class Footprint {
 public:
  /// Of a whole access in global memory.
  explicit Footprint(const MemoryAccess& access);

  const TouchedLine* begin() const { return lines_; }
  const TouchedLine* end() const { return lines_ + count_; }
  std::uint32_t sectors() const { return sectors_; }
  /// The fewest sectors that hold as many bytes.
  std::uint32_t ideal_sectors() const { return (bytes_ + kSectorBytes - 1) / kSectorBytes; }

 private:
  /// Lines are found by a hash of their number once there are more than a few.
  static constexpr std::uint32_t kFew = 4, kSlots = 128;
  /// Each lane has two lines at most.
  static constexpr std::uint32_t kMost = 2 * kLanes;

  void add(std::uint64_t address, std::uint32_t bytes);
  TouchedLine& line(std::uint64_t number);
  TouchedLine& hashed_line(std::uint64_t number);

  std::uint32_t count_ = 0, sectors_ = 0, bytes_ = 0;
  TouchedLine lines_[kMost];
  std::uint8_t slots_[kSlots];  ///< index + 1; of use once there are more lines than a few
};

/// Local memory of a warp is laid out so that lanes which use the same word of theirs have it side by side.
std::uint32_t local_sectors(const MemoryAccess& access);

/// What an access to shared memory asks of its 32 banks of four bytes.
struct BankUse {
  std::uint32_t wavefronts;
  std::uint32_t ideal;  ///< without conflicts
};

/// How bad an access is beside others of the same instruction: by what it takes beyond what it had to, then by what it
/// takes. Wavefronts, or sectors likewise.
inline std::int32_t badness(const BankUse& use) {
  constexpr std::uint32_t kMost = 1 << 12;
  const std::uint32_t beyond = use.wavefronts - std::min(use.wavefronts, use.ideal);
  return static_cast<std::int32_t>(beyond * kMost + std::min(use.wavefronts, kMost - 1));
}

/// Whether two halves of a warp, each of which wants 16 words in a row or one, from the addresses `first` and `second`
/// on, ask each bank for one word at most. `contiguous` and `uniform` as in MemoryAccess.
inline bool halves_agree(std::uint64_t first, std::uint64_t second, std::uint8_t contiguous, std::uint8_t uniform) {
  constexpr std::int32_t kRow = kLanes / 2, kBanks = 32, kWordBytes = 4;
  const auto apart = static_cast<std::int32_t>(second / kWordBytes - first / kWordBytes);
  const std::int32_t banks_apart = apart & (kBanks - 1);
  if (contiguous == 3) return (apart >= -kRow && apart <= kRow) || banks_apart == kRow;
  if (uniform == 3) return apart == 0 || banks_apart != 0;
  // One word, and where it lies from the first of the row.
  const std::int32_t from_row = (contiguous & 1) != 0 ? apart : -apart;
  return (from_row >= 0 && from_row < kRow) || (from_row & (kBanks - 1)) >= kRow;
}

/// Lanes that want the same word share it. Accesses of 8 bytes a lane are served by the half-warp and those of 16 by
/// the quarter-warp; of loads two of these at a time where every lane's address is also that of its neighbour, or of
/// the lane two further (NVIDIA Developer Forums, "Unexpected shared memory bank conflict", 2019). Without conflicts
/// what the lanes at work want comes in rows of 128 bytes (Nsight Compute on an H200, 2026-11-22, of
/// programs/counter_wide.cu).
BankUse bank_use_of_any(const MemoryAccess& access);

/// The same, quickly for the most common shapes.
inline BankUse bank_use(const MemoryAccess& access) {
  if (access.bytes == 4 && (access.contiguous | access.uniform) == 3) {
    const std::uint64_t first = access.address(0), second = access.address(kLanes / 2);
    return {halves_agree(first, second, access.contiguous, access.uniform) ? 1u : 2u, 1};
  }
  return bank_use_of_any(access);
}

/// Of ldmatrix and stmatrix: the rows of a matrix, 16 bytes each, are served together, and no others with them.
BankUse bank_use_of_rows(const MemoryAccess& access);

/// The most lanes of an atomic operation that have one address.
std::uint32_t atomic_depth(const MemoryAccess& access);

/// Whether each lane has an element of its own, as far from its neighbour's as the next one's is.
bool is_element_a_lane(const MemoryAccess& access);

/// How many different addresses the lanes have.
std::uint32_t different_addresses(const MemoryAccess& access);

/// How an atomic operation of a warp in global memory takes turns. A turn serves one line: that of the lowest lane
/// left, with all of its lanes but those at whose word a lower lane that is left, of this line or another one, has its
/// word, too, as far as the unit tells words apart. So an H200 counts sectors (Nsight Compute, 2026-11-22).
struct Contention {
  std::uint32_t depth = 0;    ///< the most lanes that have one address
  std::uint32_t sectors = 0;  ///< of all turns: each as often as its busiest address is asked for, seldom more
};

/// Adds the sectors of each turn to those of its line in `hot`, unless it is null.
Contention contention_of(const MemoryAccess& access, HotLines* hot = nullptr);

/// How the lanes of an atomic operation take turns, as Nsight Compute has it of an H200 (2026-11-22). All but the last
/// are of banks of shared memory.
enum class AtomicTurns : std::uint8_t {
  kEachLane,       ///< one after the other, whether or not they have the same address
  kTwiceEachLane,  ///< compare-and-swap
  kEachWord,       ///< counting by one without asking for the result: lanes with the same address are counted together
  kOnce,           ///< combined in registers, here and in global memory: one lane does it for all
  kOnceIfWhole,    ///< likewise where all lanes of the warp take part; else each lane does its own
};

/// Whether lanes combine their values first, and one of them changes memory for all.
inline bool is_combined(const MemoryAccess& access, AtomicTurns turns) {
  if (access.lowest != access.highest) return false;  // whatever the text has seemed to show
  return turns == AtomicTurns::kOnce || (turns == AtomicTurns::kOnceIfWhole && access.lanes == kAllLanes);
}

/// The part of an access that its lowest lane makes.
MemoryAccess of_first_lane(const MemoryAccess& access);

/// How many wavefronts an atomic operation of a warp takes in shared memory.
std::uint32_t atomic_wavefronts(const MemoryAccess& access, AtomicTurns turns);

}  // namespace vgpu
