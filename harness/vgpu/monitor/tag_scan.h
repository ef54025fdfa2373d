// What many tags have in common.
#pragma once

#include <cstdint>
#include <cstring>

#include "harness/vgpu/monitor/access_table.h"

namespace vgpu {

struct TagScan {
  bool below;       ///< all are below the floor
  bool one_record;  ///< all have the record of the first
  bool equal;       ///< and its lanes as well
  bool none;        ///< all are zero
};

/// Of `count` tags, a multiple of 4 and not 0.
inline TagScan scan_tags(const AccessTag* tags, std::uint32_t count, AccessTag floor) {
  using Four = AccessTag __attribute__((vector_size(16)));
  const AccessTag last = floor - 1, first = tags[0];
  Four beyond = {}, differ = {}, any = {};
  for (std::uint32_t n = 0; n < count; n += 4) {
    Four four;
    std::memcpy(&four, tags + n, sizeof four);
    beyond |= last - four;  // the top bit is set if not below; tags have 31 bits
    differ |= four ^ first;
    any |= four;
  }
  const auto joined = [](Four v) {
    std::uint64_t halves[2];
    std::memcpy(halves, &v, sizeof halves);
    const std::uint64_t both = halves[0] | halves[1];
    return static_cast<AccessTag>(both | both >> 32);
  };
  return {joined(beyond) >> 31 == 0, joined(differ) >> AccessTable::kLanesBits == 0, joined(differ) == 0,
          joined(any) == 0};
}

}  // namespace vgpu
