// Loads and stores of one straight run that count from the same register: what the first has found out about the
// addresses there holds for the others.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/code.h"

namespace vgpu {

/// The addresses in a base register, of a whole warp: each half of it holds a row or one place.
struct KnownBase {
  const Insn* first_use = nullptr;  ///< of the register in its run; null: nothing is known
  std::uint32_t bytes = 0;          ///< of a lane, which rows are made of
  std::uint8_t contiguous = 0, uniform = 0;
  std::uint64_t first = 0, second = 0;  ///< in lanes 0 and 16
};

/// Several bases take turns in a run, as those of two tiles do.
constexpr std::uint32_t kKnownBases = 8;

inline std::uint32_t place_of_base(const Insn* first_use) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(first_use) / sizeof(Insn) % kKnownBases);
}

// What a load or store that takes part holds in its `c`: that it does; and, from the other bit on, how many instructions
// before it the first use of its base is, plus one, or 0 where it is the only use. The first use begins anew each time.
constexpr std::uint32_t kTakesPartShift = 15, kFirstUseShift = 16;
constexpr std::uint32_t kTakesPart = std::uint32_t{1} << kTakesPartShift;

inline bool shares_base(const Insn* insn) { return insn->c >> kFirstUseShift != 0; }
inline bool is_first_use_of_base(const Insn* insn) { return insn->c >> kFirstUseShift == 1; }
inline const Insn* first_use_of_base(const Insn* insn) { return insn - ((insn->c >> kFirstUseShift) - 1); }

/// Tells loads and stores of the first use of their base. Runs end where a branch may lead to, and at calls: within
/// one, a group of lanes that gets to a later use has come by the first one, and nothing has written the register.
void find_shared_bases(Code& code, const std::vector<SlotReference>& references);

}  // namespace vgpu
