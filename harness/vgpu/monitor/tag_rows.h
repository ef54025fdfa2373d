// Tags of cells side by side, many at a time: what they have in common, and those of lanes that follow each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "harness/vgpu/monitor/access_table.h"

namespace vgpu {

using FourTags = AccessTag __attribute__((vector_size(16)));

struct TagScan {
  AccessTag beyond;  ///< its top bit is set if any is not below the floor
  AccessTag differ;  ///< bits in which any differs from the first
  AccessTag set;     ///< bits that any has

  /// Of tags of which no more is known than that they have one record.
  static TagScan of_one_record(bool is_below) {
    return {is_below ? 0 : ~AccessTag{0}, AccessTable::kLanesMask, ~AccessTag{0}};
  }

  bool below() const { return beyond >> 31 == 0; }                            ///< all are below the floor
  bool one_record() const { return differ >> AccessTable::kLanesBits == 0; }  ///< all have the record of the first
  bool equal() const { return differ == 0; }                                  ///< and its lanes as well
  bool none() const { return set == 0; }                                      ///< all are zero
};

/// The bits that any of them has.
inline AccessTag joined(FourTags tags) {
  std::uint64_t halves[2];
  std::memcpy(halves, &tags, sizeof halves);
  const std::uint64_t both = halves[0] | halves[1];
  return static_cast<AccessTag>(both | both >> 32);
}

/// Of `count` tags, a multiple of 4 and not 0.
inline TagScan scan_tags(const AccessTag* tags, std::uint32_t count, AccessTag floor) {
  const AccessTag last = floor - 1, first = tags[0];
  FourTags beyond = {}, differ = {}, set = {};
  for (std::uint32_t n = 0; n < count; n += 4) {
    FourTags four;
    std::memcpy(&four, tags + n, sizeof four);
    beyond |= last - four;  // tags have 31 bits
    differ |= four ^ first;
    set |= four;
  }
  return {joined(beyond), joined(differ), joined(set)};
}

/// Tags of lanes side by side, `each` cells a lane, the first of which gets `first`.
inline void put_in_row(AccessTag* tags, std::uint32_t count, std::uint32_t each, AccessTag first) {
  std::uint32_t n = 0;
  if (each == 1)
    for (FourTags four = first + FourTags{0, 1, 2, 3}; n + 4 <= count; n += 4, four += 4)
      std::memcpy(tags + n, &four, sizeof four);
  for (AccessTag tag = first + n; n < count; n += each, ++tag) std::fill_n(tags + n, each, tag);
}

/// Whether the sets of lanes in these tags are what put_in_row() would put there.
inline bool has_lanes_in_row(const AccessTag* tags, std::uint32_t count, std::uint32_t each, AccessTag first) {
  FourTags wrong_of_four = {};
  AccessTag wrong = 0;
  std::uint32_t n = 0;
  if (each == 1)
    for (FourTags lanes = first + FourTags{0, 1, 2, 3}; n + 4 <= count; n += 4, lanes += 4) {
      FourTags four;
      std::memcpy(&four, tags + n, sizeof four);
      wrong_of_four |= four ^ lanes;
    }
  for (AccessTag lane = first + n; n < count; n += each, ++lane)
    for (std::uint32_t cell = n; cell < n + each; ++cell) wrong |= tags[cell] ^ lane;
  return ((wrong | joined(wrong_of_four)) & AccessTable::kLanesMask) == 0;
}

}  // namespace vgpu
