// What many tags have in common.
#pragma once

#include <emmintrin.h>

#include <cstdint>

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
  const __m128i last = _mm_set1_epi32(static_cast<int>(floor) - 1), first = _mm_set1_epi32(static_cast<int>(tags[0]));
  __m128i beyond = _mm_setzero_si128(), differ = beyond, any = beyond;
  for (std::uint32_t n = 0; n < count; n += 4) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(tags + n));
    beyond = _mm_or_si128(beyond, _mm_sub_epi32(last, four));  // negative if not below; tags have 31 bits
    differ = _mm_or_si128(differ, _mm_xor_si128(four, first));
    any = _mm_or_si128(any, four);
  }
  const auto is_zero = [](__m128i v) { return _mm_movemask_epi8(_mm_cmpeq_epi32(v, _mm_setzero_si128())) == 0xFFFF; };
  return {_mm_movemask_ps(_mm_castsi128_ps(beyond)) == 0, is_zero(_mm_srli_epi32(differ, AccessTable::kLanesBits)),
          is_zero(differ), is_zero(any)};
}

}  // namespace vgpu
