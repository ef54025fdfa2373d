// Thread block clusters: blocks that are under way together, wait for each other at a barrier of their own, and reach
// each other's shared memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/machine/observer.h"

namespace vgpu {

/// The blocks of one cluster, by rank. A block of a launch without clusters is one by itself.
class Cluster {
 public:
  /// What lanes wait at that wait for their cluster, beside the numbers of their block's barriers.
  static constexpr std::uint32_t kBarrier = Block::kBarriers;

  /// `id`: clusterid of its threads.
  Cluster(std::uint32_t size, const Extent3& id) : members_(size), id_(id) {}

  /// The block with this rank begins; all of them do before any of them runs.
  void begins(Block& block, std::uint32_t rank);
  /// It has ended: its shared memory is gone.
  void ended(std::uint32_t rank) { members_[rank].block = nullptr; }

  const Extent3& id() const { return id_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  /// Null if that one has ended, or there is none.
  Block* block(std::uint32_t rank) const { return rank < members_.size() ? members_[rank].block : nullptr; }
  /// Where it is in the grid, or was.
  Extent3 index_of(std::uint32_t rank) const { return members_[rank].index; }

  // --- the barrier, in handlers ---

  const Insn* arrive(Warp& warp, const Insn* at, Mask arriving, bool releases);
  /// Lanes that have arrived go on behind `at` once all of the cluster have.
  const Insn* wait(Warp& warp, const Insn* at, Mask waiting);
  /// Threads that have ended are not waited for.
  void lanes_exited(const Warp& warp, Mask leaving);

 private:
  struct Member {
    Block* block = nullptr;
    Extent3 index{0, 0, 0};
    std::vector<Mask> arrived;  ///< by warp
    std::vector<Mask> passed;  ///< likewise, lanes whose arrival the others have followed, and that have not waited yet
  };

  Member& of(const Warp& warp) { return members_[warp.block->cluster_rank()]; }
  void open_if_full(Launch& launch);

  std::vector<Member> members_;
  Extent3 id_;
  std::uint32_t missing_ = 0;  ///< threads that are to arrive
  bool some_arrived_ = false;
  std::uint64_t opened_at_ = 0;  ///< by the clocks of its warps
};

}  // namespace vgpu
