// What a warp waits for on its path through code, if only its own instructions delayed it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "harness/vgpu/cost/memory_level.h"
#include "harness/vgpu/cost/spills.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// A chain of instructions each of which waits for the one before: clocks spent computing, and how often the chain
/// waits for shared memory, and for the memory behind it. How long those take depends on the device.
struct WarpPath {
  std::int64_t clocks = 0;
  std::int64_t shared_waits = 0;
  std::int64_t global_waits = 0;  ///< waits of which it is not known where the data are found
  std::int64_t l1_waits = 0, l2_waits = 0, dram_waits = 0;
  std::int64_t left_waits = 0;  ///< see MemoryLevel::kLeft

  WarpPath& operator+=(const WarpPath& more) {
    clocks += more.clocks, shared_waits += more.shared_waits, global_waits += more.global_waits;
    l1_waits += more.l1_waits, l2_waits += more.l2_waits, dram_waits += more.dram_waits;
    left_waits += more.left_waits;
    return *this;
  }
  friend WarpPath operator+(WarpPath a, const WarpPath& b) { return a += b; }
  friend WarpPath operator-(const WarpPath& a, const WarpPath& b) {
    return {a.clocks - b.clocks,        a.shared_waits - b.shared_waits, a.global_waits - b.global_waits,
            a.l1_waits - b.l1_waits,    a.l2_waits - b.l2_waits,         a.dram_waits - b.dram_waits,
            a.left_waits - b.left_waits};
  }

  /// To compare two paths independently of the device: clocks, roughly as on all of them.
  std::int64_t length() const {
    constexpr std::int64_t kShared = 30, kL1 = 40, kL2 = 250, kDram = 500;
    return clocks + kShared * shared_waits + kL1 * l1_waits + kL2 * (l2_waits + left_waits) +
           kDram * (dram_waits + global_waits);
  }
};

/// The longer of two; for equal ones always the same.
inline const WarpPath& longer(const WarpPath& a, const WarpPath& b) {
  const auto order = [](const WarpPath& p) {
    return std::tuple(p.length(), p.dram_waits, p.global_waits, p.left_waits, p.l2_waits, p.l1_waits, p.shared_waits);
  };
  const std::int64_t of_a = a.length(), of_b = b.length();
  if (of_a != of_b) return of_a < of_b ? b : a;
  return order(a) < order(b) ? b : a;
}

/// One wait for what is found there. What a launch before has left counts as evicted since.
inline WarpPath wait_at(MemoryLevel place) {
  WarpPath wait;
  (place == MemoryLevel::kL1 ? wait.l1_waits : place == MemoryLevel::kL2 ? wait.l2_waits : wait.dram_waits) = 1;
  return wait;
}

/// What an instruction adds to the path of a warp that executes it.
struct PathStep {
  static constexpr std::uint8_t kWaits = 64, kNone = kWaits;

  WarpPath added;
  /// Of a read: which of the function's waits for global memory is over when its result is there, counted in the order
  /// of the text, modulo kWaits. Reads that are waited for together have the same number. kNone: nothing waits for it.
  std::uint8_t wait = kNone;
};

/// Of each instruction of the function's body; added up over a basic block, the block's longest chain, or the clocks it
/// takes to issue it if those are more. ptxas moves reads up as far as what they depend on lets them, so of reads of a
/// block that do not depend on each other one wait is left. Across branches it seldom moves them, but neither does a
/// warp stop at a read: it does at the first instruction that needs what was read, which may be in another block.
/// `spills`: of each instruction, or empty. What was spilled an instruction waits for as for any other read of its
/// block.
std::vector<PathStep> path_of(const ptx::Function& function, const std::vector<Spills>& spills = {});

/// Consecutive instructions that a warp executes.
struct Stretch {
  WarpPath path;
  std::uint64_t waits = 0;  ///< those for global memory by their numbers, a bit each: see PathStep
  std::int64_t issues = 0;
};

/// Where the reads found what they asked for that a warp has not yet waited for.
class ReadsUnderWay {
 public:
  void add(std::uint8_t wait, MemoryLevel place) {
    if (wait != PathStep::kNone) found_[static_cast<std::size_t>(place)] |= std::uint64_t{1} << wait;
  }

  /// The stretch's path with its waits told apart: each as long as the slowest of its reads.
  WarpPath settle(const Stretch& stretch) const {
    WarpPath path = stretch.path;
    if (path.global_waits == 0) return path;
    std::uint64_t left = stretch.waits;
    const auto take = [&](MemoryLevel place, std::int64_t& of) {
      const std::uint64_t found = found_[static_cast<std::size_t>(place)] & left;
      const std::int64_t count = std::min<std::int64_t>(__builtin_popcountll(found), path.global_waits);
      left &= ~found;
      of += count, path.global_waits -= count;
    };
    take(MemoryLevel::kDram, path.dram_waits);
    take(MemoryLevel::kLeft, path.left_waits);
    take(MemoryLevel::kL2, path.l2_waits);
    take(MemoryLevel::kL1, path.l1_waits);
    return path;
  }

  void end(const Stretch& stretch) {
    for (std::uint64_t& found : found_) found &= ~stretch.waits;
  }

 private:
  std::uint64_t found_[kPlaces] = {};  ///< by MemoryLevel: waits, a bit each
};

}  // namespace vgpu
