// What a warp waits for on its way through code, if nothing but its own instructions held it up.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// A chain of instructions each of which waits for the one before: clocks spent computing, and how often the chain
/// waits for shared memory, and for the memory behind it. How long those take is the device's matter.
struct WarpPath {
  std::int64_t clocks = 0;
  std::int64_t shared_waits = 0;
  std::int64_t global_waits = 0;

  WarpPath& operator+=(const WarpPath& more) {
    clocks += more.clocks, shared_waits += more.shared_waits, global_waits += more.global_waits;
    return *this;
  }
  friend WarpPath operator+(WarpPath a, const WarpPath& b) { return a += b; }
  friend WarpPath operator-(const WarpPath& a, const WarpPath& b) {
    return {a.clocks - b.clocks, a.shared_waits - b.shared_waits, a.global_waits - b.global_waits};
  }

  /// To tell which of two is longer, whatever the device: clocks, about as many as on all of them.
  std::int64_t length() const {
    constexpr std::int64_t kShared = 30, kGlobal = 500;
    return clocks + kShared * shared_waits + kGlobal * global_waits;
  }
};

/// The longer of two; of equals always the same one.
inline const WarpPath& longer(const WarpPath& a, const WarpPath& b) {
  const auto order = [](const WarpPath& p) { return std::tuple(p.length(), p.global_waits, p.shared_waits); };
  return order(a) < order(b) ? b : a;
}

/// What each instruction of the function's body adds to the way of a warp that executes it: added up over a basic
/// block, the block's longest chain, or the clocks it takes to issue it if those are more. ptxas moves reads up as far
/// as what they depend on lets them, so of reads that do not depend on each other one wait is left; across branches it
/// seldom moves them, so a block's reads are waited for in the block.
std::vector<WarpPath> path_of(const ptx::Function& function);

}  // namespace vgpu
