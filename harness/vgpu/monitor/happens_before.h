// Which accesses of a launch are over, as one of its warps can know: clocks that barriers, fences and the passing on of
// flags advance.
//
// Every warp counts epochs; a new one begins where it orders itself against somebody. An access belongs to the epoch it
// was made in. To know of a warp that its epochs below n are over means to be ordered behind all it did in them. Lanes
// of one warp are ordered against each other by __syncwarp only, so each lane has its own knowledge of the others.
// (Vector clocks after Fidge and Mattern, by warp rather than by thread, and shared between blocks as immutable trees.)
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "harness/vgpu/machine/lanes.h"

namespace vgpu {

using Epoch = std::uint32_t;

using LaneEpochs = std::array<Epoch, kLanes>;

/// What is known of one warp: epochs below `all` are over for every lane of it, and for single lanes those below `each`
/// too. A lane that publishes its work alone vouches for itself, and for others only as far as it has met them.
struct WarpProgress {
  Epoch all = 0;
  Epoch latest = 0;                        ///< in `each`: mostly says enough of it without a look there
  std::shared_ptr<const LaneEpochs> each;  ///< null: nothing beyond `all`

  bool covers(Epoch epoch, int lane) const { return epoch < all || (each != nullptr && epoch < (*each)[lane]); }
  void set_each(std::shared_ptr<const LaneEpochs> epochs);
  bool covers(const WarpProgress& other) const;
  void join(const WarpProgress& other);
};

/// What is known of a block, by warp.
using BlockProgress = std::vector<WarpProgress>;
void join(BlockProgress& to, const BlockProgress& from);

/// What is known of a grid's blocks. Copies share everything they have in common.
class GridProgress {
 public:
  /// Null if nothing is known of the block.
  const BlockProgress* of(std::uint32_t block) const;
  void learn(std::uint32_t block, std::shared_ptr<const BlockProgress> progress);
  void join(const GridProgress& other);
  bool empty() const { return branches_.empty(); }

 private:
  static constexpr std::uint32_t kWidth = 32;
  struct Branch {
    Branch();
    Branch(const Branch& other);

    std::array<std::shared_ptr<const BlockProgress>, kWidth> blocks;
    std::uint64_t number;  ///< one for each branch there ever was
  };
  struct Known {
    std::shared_ptr<const Branch> branch;
    std::uint64_t includes = 0;  ///< number of the branch it was joined with last: all of that is in this one
  };
  static void join(Known& known, const std::shared_ptr<const Branch>& other);

  std::vector<Known> branches_;
};

/// What one warp has done and knows.
class WarpClock {
 public:
  WarpClock(std::uint32_t index, std::uint32_t warps_of_block);

  /// Forgets everything but the size: a new block begins.
  void restart();

  Epoch now() const { return now_; }

  /// Whether `lane` of this warp is ordered behind what `other` lane of it did in `epoch`.
  bool lane_knows(int lane, int other, Epoch epoch) const {
    return epoch < lane_knows_all_[lane] || (pairs_ && epoch < (*pairs_)[lane][other]);
  }
  /// Likewise for another warp of the block.
  const WarpProgress& knows(std::uint32_t warp) const { return block_[warp]; }
  const BlockProgress& block() const { return block_; }
  const GridProgress& grid() const { return grid_; }
  /// Every lane of this warp is ordered behind all that the block's threads did in epochs below this.
  Epoch block_floor() const { return block_floor_; }
  /// Likewise behind all that this warp's own lanes did.
  Epoch warp_floor() const { return warp_floor_; }
  /// Ordered behind everything that anybody published before this time.
  std::uint32_t grid_time() const { return grid_time_; }

  /// __syncwarp among `lanes`, of the `living` ones.
  void lanes_meet(Mask lanes, Mask living);

  /// What may be published after a fence.
  struct Fenced {
    std::shared_ptr<const BlockProgress> block;  ///< null: there was none
    GridProgress grid;                           ///< of the latest that was device-wide,
    std::uint32_t time = 0;                      ///< and when that was; 0: there was none
  };
  /// A fence of `lanes`. A barrier hands on what it may publish to every warp that arrives.
  void fence(Mask lanes, std::uint32_t block, bool device_wide, std::uint32_t time);
  /// What `lanes` may publish: since the latest fence, or if one lane publishes, since its own, whatever other lanes
  /// have done meanwhile by themselves.
  const Fenced& fenced(Mask lanes = kAllLanes) const;

  /// `lanes` have seen what others published.
  void learn(Mask lanes, const BlockProgress& block);
  void learn(Mask lanes, std::uint32_t own_block, const GridProgress& grid, std::uint32_t time);

  /// Reads of other blocks that are over, beside what grid() has; null if nothing is known of any.
  const std::shared_ptr<const GridProgress>& reads() const { return reads_; }
  /// `lanes` write a word that tells of reads. Returns those that are over for whoever reads it: theirs up to now, and
  /// all that they know of.
  std::shared_ptr<const GridProgress> tell_of_reads(Mask lanes, std::uint32_t block);
  /// The warp has read such a word.
  void learn_of_reads(const std::shared_ptr<const GridProgress>& reads);

  /// What a warp hands on that arrives at a barrier and does not wait there.
  struct Arrival {
    BlockProgress block;
    GridProgress grid;
    Fenced fenced;
    std::uint32_t grid_time = 0;
    std::shared_ptr<const GridProgress> reads;
  };
  Arrival arrive();
  /// Its epochs are at least this from now on.
  void go_on_from(Epoch epoch) {
    is_fresh_ = false;
    now_ = std::max(now_, epoch);
  }

  /// The barrier opens that these warps of one block wait at, and others may have arrived at.
  static void barrier_opens(const std::vector<WarpClock*>& warps, const std::vector<Arrival>& gone_on = {});

 private:
  using Pairs = std::array<LaneEpochs, kLanes>;

  bool knows_own_block_only() const {
    return grid_.empty() && fenced_.grid.empty() && fenced_.time == 0 && grid_time_ == 0 && reads_ == nullptr;
  }
  static void whole_block_meets(const std::vector<WarpClock*>& warps, Epoch next);

  bool is_fresh_ = true;  ///< since restart()
  std::uint32_t index_;
  Epoch now_ = 1;
  Epoch block_floor_ = 1, warp_floor_ = 1;
  LaneEpochs lane_knows_all_{};   ///< by lane: what it knows of all others
  std::unique_ptr<Pairs> pairs_;  ///< [lane][other], once some lanes have met without the rest
  BlockProgress block_;
  GridProgress grid_;
  std::uint32_t grid_time_ = 0;
  Fenced fenced_;                                       ///< at the latest fence,
  Mask fenced_lanes_ = 0;                               ///< of these
  std::vector<std::pair<Mask, Fenced>> fenced_before_;  ///< by single lanes, if others have had a fence since
  std::shared_ptr<const GridProgress> reads_;
  std::shared_ptr<BlockProgress> met_;  ///< of a block's first warp: what it and the others share as fenced_.block
};

}  // namespace vgpu
