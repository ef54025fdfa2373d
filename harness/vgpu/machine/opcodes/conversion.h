// What conversions do beside changing the type: shared by the families that convert.
#pragma once

#include "harness/vgpu/machine/opcodes/float_lanes.h"

namespace vgpu {
namespace {

/// Kept in the instruction's offset.
struct How {
  Rounding rounding = Rounding::kNearest;
  bool to_integral = false;  ///< rounds to an integral value (.rni and similar)
  bool flush = false, saturate = false;
  bool relu = false;    ///< negative results become 0
  bool finite = false;  ///< .satfinite: infinities become the greatest finite numbers

  /// Rounds to nearest even, and nothing else.
  bool plain() const {
    return rounding == Rounding::kNearest && !to_integral && !flush && !saturate && !relu && !finite;
  }

  std::int64_t packed() const {
    return static_cast<std::int64_t>(rounding) | (to_integral ? 1 << 16 : 0) | (flush ? 1 << 17 : 0) |
           (saturate ? 1 << 18 : 0) | (relu ? 1 << 19 : 0) | (finite ? 1 << 20 : 0);
  }
  static How of(const Insn* insn) {
    const auto bits = static_cast<std::uint64_t>(insn->offset);
    return {static_cast<Rounding>(bits & 0xFFFF),
            (bits >> 16 & 1) != 0,
            (bits >> 17 & 1) != 0,
            (bits >> 18 & 1) != 0,
            (bits >> 19 & 1) != 0,
            (bits >> 20 & 1) != 0};
  }
};

inline double rounded_to_integral(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kTowardsZero:
      return __builtin_trunc(value);
    case Rounding::kDown:
      return __builtin_floor(value);
    case Rounding::kUp:
      return __builtin_ceil(value);
    default:
      return __builtin_nearbyint(value);  // the mode in force is round to nearest even
  }
}

}  // namespace
}  // namespace vgpu
