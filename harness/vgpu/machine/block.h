// A thread block: its warps, its shared memory, its barriers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/machine/noted_reads.h"
#include "harness/vgpu/machine/stillness.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {

class Cluster;
class Launch;

/// What threads bring to a `barrier.red` and what they take away.
struct BarrierVotes {
  std::uint32_t count = 0;  ///< threads whose predicate held
  bool all = true;
  bool any = false;
};

/// What a memory barrier was told in its current phase of bytes that copies bring.
struct BarrierBytes {
  std::uint64_t expected = 0, arrived = 0;
  const Code* code = nullptr;         ///< holds the latest instruction that told it to expect any; null: none has
  const Insn* expected_by = nullptr;  ///< that instruction
  bool by_others = false;             ///< other lines told it as well
};

class Block {
 public:
  static constexpr std::uint32_t kBarriers = 16;
  /// Group::barrier of lanes that wait at a memory barrier (mbarrier) where they would poll it.
  static constexpr std::uint32_t kMemoryBarrier = kBarriers + 1;  // kBarriers itself is Cluster::kBarrier

  explicit Block(Launch& launch);

  /// Begins block number `linear_index` of the grid; the object may be used again once a block has ended. `cluster` is
  /// null if it is one by itself.
  void start(std::uint64_t linear_index, std::shared_ptr<Cluster> cluster = nullptr, std::uint32_t rank = 0);
  /// Its threads have ended: the others of its cluster cannot reach its shared memory any more.
  void end();

  enum class State : std::uint8_t {
    kEnded,
    kGaveWay,    ///< every warp that could run yielded: others may have to do something first
    kWentOn,     ///< for so long that others may be waiting for their turn
    kSwitched,   ///< it could go on, but others do, for a change or since it has taken what they may wait for
    kTells,      ///< about to write what others may be waiting for: see Warp::let_others_look
    kEarly,      ///< about to do what is others' turn: see Warp::let_others_catch_up
    kAtCluster,  ///< its threads wait for others of the cluster
    kStopped,    ///< by a fault
  };

  /// Runs warps in turn until the block ends, stops, or waits for something outside.
  State run();
  /// Visits the places that its warps poll to read: see Warp::polled_at.
  template <class Visit>
  void each_polled(const Visit& visit) const {
    for (const Warp& warp : warps_)
      if (warp.polling && !warp.polls_to_take) visit(warp.polled_at);
  }

  /// Where one of its warps has just changed global memory by an atomic whose result it needs, to give way then; or 0.
  std::uint64_t took_at() const {
    for (const Warp& warp : warps_)
      if (warp.took) return warp.took_at;
    return 0;
  }

  // --- for handlers ---

  /// `arriving` lanes of the warp reach barrier `id`, which waits for `threads` threads (0: the whole block).
  const Insn* arrive(Warp& warp, const Insn* at, Mask arriving, std::uint32_t id, std::uint32_t threads, bool waits,
                     bool comes_back);
  /// The same with votes; lanes whose bit is set in `votes` vote yes.
  void vote(std::uint32_t id, Mask arriving, Mask votes);
  /// Whether barrier `id` waits for every thread of the block that has not ended.
  bool is_for_all(std::uint32_t id) const { return id >= kBarriers || barriers_[id].threads == 0; }
  const BarrierVotes& result(std::uint32_t id) const { return barriers_[id].last; }

  /// Whether a wait for a memory barrier ends when its phase does. Not if every other thread waits, too: then they all
  /// poll until one has ended, as a try_wait may fail whenever it likes, and what never comes is seen as in any loop.
  bool waits_for_phases() const { return waits_for_phases_; }
  /// A phase of the memory barrier at a shared address of the block's own has ended, by that clock.
  void phase_ends(std::uint32_t address, std::uint64_t clock);
  /// Of the memory barrier at a shared address of the block's own.
  BarrierBytes& barrier_bytes(std::uint32_t address) { return barrier_bytes_[address]; }
  /// Null if none were told of in its phase.
  const BarrierBytes* known_barrier_bytes(std::uint32_t address) const;
  void forget_barrier_bytes(std::uint32_t address) { barrier_bytes_.erase(address); }

  void lanes_exited(const Warp& warp, Mask leaving);
  void report_fault(const Warp& warp, const Insn* at, FaultKind kind, int lane, std::string sentence);

  /// Writes constants and special registers into a new frame.
  void fill_frame(const Warp& warp, Frame& frame) const;

  /// Made when it is first asked for, if the block is one by itself.
  Cluster& cluster();
  /// Null if nobody has asked.
  const Cluster* known_cluster() const { return cluster_.get(); }
  std::uint32_t cluster_rank() const { return cluster_rank_; }
  /// Its cluster's barrier has opened.
  void goes_on() { ++openings_; }

  Extent3 index() const { return index_; }
  std::uint64_t linear_index() const { return linear_index_; }
  /// How often one of its barriers, or its cluster's, has opened, or a memory barrier's phase has ended.
  std::uint64_t openings() const { return openings_; }
  Stillness& stillness() { return stillness_; }
  /// threadIdx of a lane.
  Extent3 thread(const Warp& warp, int lane) const;
  Launch& launch() { return launch_; }
  const Launch& launch() const { return launch_; }
  std::vector<Warp>& warps() { return warps_; }
  const std::vector<Warp>& warps() const { return warps_; }
  /// For observers, too, although they are shown blocks as const.
  NotedReads& noted_reads() const { return noted_reads_; }
  /// Shows them to the observer, and forgets them.
  void show_noted_reads() const;
  /// `shown` is a read of shared memory that the observer has just been shown: such reads may be noted from now on, if
  /// it agrees.
  void ask_for_quiet_range(const MemoryAccess& shown) const;
  std::uint64_t executed() const;
  /// The clock of the warp that is furthest behind of those that can go on; the largest number if none can.
  std::uint64_t earliest() const;
  std::uint64_t lane_instructions() const;

 private:
  struct Barrier {
    std::uint32_t threads = 0;  ///< waited for; 0: the whole block
    std::uint32_t arrived_lanes = 0;
    std::vector<Mask> arrived;  ///< by warp
    BarrierVotes votes, last;
  };

  bool full(const Barrier& barrier) const;
  void open(std::uint32_t id);
  void open_full_barriers();
  bool unblock();
  bool let_poll();
  bool waits_for_cluster() const;
  std::uint64_t cluster_value(Special which) const;
  void report_deadlock();
  void write_special(const Warp& warp, const SpecialSlot& slot, std::byte* at) const;
  void write_lane_special(const Warp& warp, const SpecialSlot& slot, std::byte* at) const;

  Launch& launch_;
  Extent3 index_;
  std::uint64_t linear_index_ = 0;
  std::shared_ptr<Cluster> cluster_;  ///< null: it is one by itself, and nobody has asked
  std::uint32_t cluster_rank_ = 0;
  std::uint32_t thread_count_ = 0;
  std::uint32_t exited_lanes_ = 0;
  std::vector<Warp> warps_;
  Barrier barriers_[kBarriers];
  std::uint64_t openings_ = 0;
  bool waits_for_phases_ = true;
  std::unordered_map<std::uint32_t, BarrierBytes> barrier_bytes_;  ///< by address
  Stillness stillness_;
  std::unique_ptr<std::byte[]> frame_memory_, shared_memory_, local_memory_;
  std::byte* first_frame_ = nullptr;
  mutable NotedReads noted_reads_;
};

}  // namespace vgpu
