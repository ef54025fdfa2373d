// When the warps of a block do what, if all of them went at the same speed: barrier waits and the timeline.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/vgpu/cost/warp_path.h"
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/monitor/announcements.h"
#include "harness/vgpu/monitor/counts.h"

namespace vgpu {

/// The machine runs one warp after the other, which says nothing of who waits for whom. Here each warp has a clock of
/// its own that counts the steps it has made, an instruction a step; groups of its lanes that have parted take turns,
/// so theirs add up. A barrier opens when the last warp arrives by these clocks, and sets all of them to that time.
/// What warps wait there is what the slowest of them does more than the others, whatever the machine's schedule.
///
/// Warps between the same two barriers compute at the same time, so that they take as long as the multiprocessor takes
/// to issue all of them, if that is more than the longest path.
///
/// Beside steps, the same is kept of what warps wait for on their way: see WarpPath. What a warp waits for within its
/// block belongs to its path; what it waits for other blocks is kept beside it.
class BlockTime {
 public:
  /// Where a barrier was reached, and how long the warps that did waited there together.
  struct Wait {
    std::uint32_t instruction = 0;  ///< its number in the kernel
    std::uint64_t steps = 0;
  };

  /// The block begins, in the place of others that took so long before it: each by itself, whomever it waited for.
  /// `timeline` keeps what its warps do; null: nothing is kept.
  /// `issues_per_clock`: of the multiprocessor.
  /// `clock`: what those of its warps show.
  void begin(std::uint32_t warps, double issues_per_clock, const WarpPath& before, std::uint64_t clock,
             Timeline* timeline);

  /// A warp has executed `steps` instructions, `line` being that of the first.
  void run(const Warp& warp, std::uint64_t steps, std::uint32_t line, const Stretch& stretch);

  /// A warp's lanes arrive at a barrier `steps` instructions after what it is known to have executed, and wait there or
  /// merely say that they have come.
  void arrive(const Warp& warp, std::uint32_t barrier, std::uint32_t instruction, std::uint32_t line,
              std::uint64_t steps, const Stretch& stretch, bool waits);

  /// All that arrived go on; gives what each arrival waited, until the next call.
  const std::vector<Wait>& open(std::uint32_t barrier);

  /// A read that a warp waits for: see PathStep.
  void read(const Warp& warp, std::uint8_t wait, MemoryLevel place) { warps_[warp.index].reads.add(wait, place); }

  /// A read that a warp waits for takes so much longer than where it was found says; or it sleeps.
  void delay(const Warp& warp, std::int64_t clocks) { warps_[warp.index].path.clocks += clocks; }

  /// It reads its clock, which shows `clock`. What it sees pass takes at least as long.
  void read_clock(const Warp& warp, std::uint64_t clock, const Stretch& more);

  /// An asynchronous copy begins, by its number in the warp, of what is found there. `more` as in progress().
  void copy_begins(const Warp& warp, std::uint32_t copy, MemoryLevel place, const Stretch& more);
  /// The warp waits for it, and goes on when what it copies has come: whatever else was asked for meanwhile.
  void wait_for_copy(const Warp& warp, std::uint32_t copy, const Stretch& more);

  /// How far a warp is with `more` than what it is known to have executed.
  Progress progress(const Warp& warp, const Stretch& more) const;

  /// What it finds was on its way to it when a warp, of its own block or of another one, had come that far. `more` as
  /// above.
  void follow(const Warp& warp, const Progress& there, bool is_own_block, const Stretch& more);
  void follow(const Warp& warp, const SharedAnnouncements::Word& there, const Stretch& more);

  /// That of the warp that has most to do; without waiting for other blocks.
  WarpPath longest_path() const;
  /// That of the warp that is furthest, whomever it has waited for.
  WarpPath furthest() const;
  /// By how much a warp is further than the longest path of its own block and of all that it has waited for, those
  /// before them in their places included.
  WarpPath chain() const;

 private:
  struct Arrival {
    std::uint32_t warp = 0, instruction = 0, line = 0;
    Mask lanes = 0;
    std::uint64_t time = 0;
    WarpPath path, behind, longest;
    std::int64_t issues = 0;
    bool waits = true;
  };

  static constexpr std::size_t kCopies = 512;  ///< more of a warp are not under way: see PendingCopies
  /// Clocks: a warp goes on while what it has asked for is on its way. What it does then adds little to its path, and
  /// the rest of the wait comes later.
  static constexpr std::int64_t kOverlap = 1000;
  struct WarpState {
    WarpPath path;     ///< of what it has executed, and waited for within its block
    WarpPath behind;   ///< what has to be added for other blocks
    WarpPath longest;  ///< see Progress
    ReadsUnderWay reads;
    std::int64_t issues = 0;
    std::int64_t issues_before = 0, clocks_before = 0;  ///< the barrier at which it last was
    std::vector<std::int64_t> copies_come;              ///< when, by number modulo kCopies: see WarpPath::length
    std::uint64_t clock = 0;                            ///< as the warp last saw it
    std::int64_t came_then = 0;                         ///< how far the warp had come, by WarpPath::length
    std::int64_t to_spare = kOverlap;                   ///< clocks by which it came further than its clock went on
  };
  WarpPath reached(const Warp& warp, const Stretch& more) const;
  std::int64_t late(std::int64_t issues, std::int64_t clocks) const;

  void note(std::uint32_t warp, const TimelineSpan& span);

  std::vector<std::uint64_t> clocks_;  ///< by warp
  std::vector<WarpState> warps_;       ///< likewise
  double issues_per_clock_ = 1;
  WarpPath before_;
  bool follows_others_ = false;  ///< any of its warps has waited for another block
  std::vector<Arrival> arrivals_[Block::kBarriers];
  std::vector<Wait> waits_;
  Timeline* timeline_ = nullptr;
};

}  // namespace vgpu
