// When the warps of a block do what, if all of them went at the same speed: barrier waits and the timeline.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/cost/warp_path.h"
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/monitor/counts.h"

namespace vgpu {

/// The machine runs one warp after the other, which says nothing of who waits for whom. Here each warp has a clock of
/// its own that counts the steps it has made, an instruction a step; groups of its lanes that have parted take turns,
/// so theirs add up. A barrier opens when the last warp arrives by these clocks, and sets all of them to that time.
/// What warps wait there is what the slowest of them does more than the others, whatever the machine's schedule.
///
/// Beside steps, the same is kept of what warps wait for on their way: see WarpPath.
class BlockTime {
 public:
  /// Where a barrier was reached, and how long the warps that did waited there together.
  struct Wait {
    std::uint32_t instruction = 0;  ///< its number in the kernel
    std::uint64_t steps = 0;
  };

  /// The block begins. `timeline` keeps what its warps do; null: nothing is kept.
  void begin(std::uint32_t warps, Timeline* timeline);

  /// A warp has executed `steps` instructions, `line` being that of the first.
  void run(const Warp& warp, std::uint64_t steps, std::uint32_t line, const WarpPath& path);

  /// A warp's lanes arrive at a barrier `steps` instructions after what it is known to have executed, and wait there or
  /// merely say that they have come.
  void arrive(const Warp& warp, std::uint32_t barrier, std::uint32_t instruction, std::uint32_t line,
              std::uint64_t steps, const WarpPath& path, bool waits);

  /// All that arrived go on; gives what each arrival waited, until the next call.
  const std::vector<Wait>& open(std::uint32_t barrier);

  /// That of the warp that is furthest.
  WarpPath longest_path() const;

 private:
  struct Arrival {
    std::uint32_t warp = 0, instruction = 0, line = 0;
    Mask lanes = 0;
    std::uint64_t time = 0;
    WarpPath path;
    bool waits = true;
  };

  void note(std::uint32_t warp, const TimelineSpan& span);

  std::vector<std::uint64_t> clocks_;  ///< by warp
  std::vector<WarpPath> paths_;        ///< likewise
  std::vector<Arrival> arrivals_[Block::kBarriers];
  std::vector<Wait> waits_;
  Timeline* timeline_ = nullptr;
};

}  // namespace vgpu
