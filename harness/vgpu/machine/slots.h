// Which registers may share a slot of the frame: the fewer slots, the more of a warp stays in the host's cache.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/code.h"

namespace vgpu {

struct SlotAssignment {
  /// Of each register: for masks an offset from the frame's begin (never 0, which holds all ones), for others an offset
  /// from where the registers begin.
  std::vector<std::uint32_t> offsets;
  std::uint32_t mask_bytes = 4;  ///< the all-ones mask and all predicates
  std::uint64_t register_bytes = 0;
};

/// Linear-scan assignment over live intervals. Lanes take different ways through the code, each lane's values follow
/// that lane's own way, and writes touch active lanes only; so what is safe for one thread is safe for 32.
SlotAssignment assign_register_slots(const Code& code, const std::vector<SlotSize>& sizes,
                                     const std::vector<SlotReference>& references);

}  // namespace vgpu
