// Loads and stores of one straight run that count from the same register: what the first has found out about the
// addresses there holds for the others.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/code.h"

namespace vgpu {

/// Of a load or store that takes part; 0 of one that shares its base with no other. The uses of a base in a run have
/// one key: the first one's index, plus one.
using BaseKey = std::uint32_t;

/// What uses a base by `bytes` a lane, of which rows are made. Never 0.
inline std::uint32_t base_tag(BaseKey key, std::uint32_t bytes) { return key | bytes << 16; }

/// The addresses in a base register, of a whole warp: each half of it holds a row or one place.
struct KnownBase {
  static constexpr std::uint32_t kMost = 8;  ///< several bases take turns in a run, as those of two tiles do

  std::uint32_t reach = 0;                          ///< bytes from the lowest to the end of the highest
  std::uint8_t contiguous = 0, uniform = 0;         ///< as in MemoryAccess
  std::uint64_t first = 0, second = 0, lowest = 0;  ///< in lanes 0 and 16, and of all; what is 32 bits wide wraps there
};

// A load or store that takes part says so in its `c`, and has its key in the bits above.
constexpr std::uint32_t kTakesPart = std::uint32_t{1} << 15;
constexpr std::uint32_t kBaseKeyShift = 16;
constexpr std::uint32_t kMostBaseKey = (std::uint32_t{1} << 16) - 1;

inline BaseKey base_key(const Insn* insn) { return insn->c >> kBaseKeyShift; }
/// The register may hold something else than the last time.
inline bool is_first_use_of_base(const Insn* insn) { return base_key(insn) == insn->index + 1; }

/// Gives loads and stores their keys. Runs end where a branch may lead to, and at calls: within one, a group of lanes
/// that gets to a later use has come by the first one, and nothing has written the register.
void find_shared_bases(Code& code, const std::vector<SlotReference>& references);

}  // namespace vgpu
