// counters: the cost of kernels, by source line.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/vgpu/cost/constant_cache.h"
#include "harness/vgpu/cost/memory_traffic.h"
#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/monitor/announcements.h"
#include "harness/vgpu/monitor/batch_tallies.h"
#include "harness/vgpu/monitor/block_time.h"
#include "harness/vgpu/monitor/counts.h"
#include "harness/vgpu/monitor/host_words.h"
#include "harness/vgpu/monitor/kernel_tally.h"

namespace vgpu {

/// Counts instructions, divergent branches, barriers, and how accesses fall into sectors and banks, in terms that can
/// be compared with Nsight Compute's. It does not change what a kernel does, or in which order.
///
/// Instructions cost nothing to count one by one: a warp reports each straight run when it leaves it.
class Counters : public Observer {
 public:
  /// Whose timeline is kept, in the first launch of each kernel.
  void keep_timeline_of(Extent3 block) { timeline_block_ = block; }

  /// Forgets what was counted. Must not be called during a launch.
  void forget();

  /// The caches of the device that launches run on from now on.
  void set_caches(const CacheSizes& sizes);

  /// The device that launches take time on, from now on; it must stay. Null: no time is told.
  void set_profile(const DeviceProfile* profile) {
    profile_ = profile;
    if (profile != nullptr) issues_per_clock_ = vgpu::issues_per_clock(*profile);
  }

  /// What ptxas says of the kernel that is launched next; null if nothing.
  void set_resources(const ptx::KernelResources* resources) { resources_ = resources; }

  /// Of the device at a time, in the launch that comes next, if that is less than the launch itself says; 0: it is not.
  void set_resident_blocks(std::uint32_t blocks) { most_resident_ = blocks; }

  /// Whether the launch that comes next is one of a graph's.
  void set_is_in_graph(bool is_in_graph) { is_in_graph_ = is_in_graph; }

  /// That of the launch that ended last; nothing if no time is told.
  const LaunchTime& last_time() const { return last_time_; }

  void launch_begins(const Launch& launch) override;
  void launch_ends(Launch& launch) override;
  void block_begins(const Block& block) override;
  void barrier_reached(const Warp& warp, const Insn* at, Mask lanes, std::uint32_t id, std::uint32_t threads) override;
  void barrier_opens(const Block& block, std::uint32_t id, const std::vector<Mask>& arrived) override;
  void fence(const Warp& warp, Mask lanes, bool device_wide) override;
  void run_ends(const Warp& warp, const Insn* first, const Insn* last) override;
  void lanes_part(const Warp& warp, const Insn* branch) override;
  void values_match(const Warp&, std::uint32_t different) override { tally_->add_match(different); }
  void warp_sleeps(const Warp& warp, std::uint32_t nanoseconds) override;
  void clock_is_read(const Warp& warp, const Insn* at, std::uint64_t clock) override;
  bool watches_runs() const override { return true; }
  void block_ends(const Block& block) override;
  void cluster_barrier_reached(const Warp& warp, const Insn* at, Mask lanes, bool releases) override;
  void cluster_barrier_opens(const Cluster& cluster) override;
  void cluster_barrier_passed(const Warp& warp, const Insn* at, Mask lanes) override;
  void copy_arrives(const MemoryAccess& store, const Code& code, const Insn* awaited_at) override;
  Mask access(const MemoryAccess& access) override;
  void atomic_took_place(const MemoryAccess& access, Mask changed) override;
  /// Reads of shared memory may be counted later, wherever they are.
  QuietRange quiet_range(const MemoryAccess&) override { return {0, ~std::uint32_t{0}}; }
  bool wants_noted_reads() const override { return true; }
  void reads_were_noted(const Block& block, const NotedReads& reads) override;

  /// That launches touched of memory that the host reaches, too: each word once a launch.
  std::uint64_t host_bytes() const { return host_bytes_; }

  /// Every kernel that was launched, in the order of first launches.
  std::vector<KernelCounts> kernels() const;

 private:
  struct BlockState {
    BlockTime time;
    SharedAnnouncements shared;
    std::uint32_t number = 0, sm = 0;
    bool is_under_way = false;
  };

  /// How far the warps of a cluster are that arrive at its barrier, and how far they were when it last opened.
  struct ClusterState {
    Progress arrive, opened;
  };

  /// An instruction that accesses memory.
  struct Site {
    const Insn* insn = nullptr;
    const AccessRoute* route = nullptr;
    std::uint32_t number = 0;
  };

  void add_path_of(BlockState& state);
  WarpPath before_next_block() const;
  std::uint32_t resident_blocks() const;
  void tell_time();
  BlockState& state_of(const Block& block);
  const Site& site_of(const Insn* insn, const Code& code);
  /// Of an atomic operation that lanes have combined.
  void count_combined(const MemoryAccess& access, const AccessRoute& route, AccessTally& tally,
                      std::uint32_t instruction);
  void count_shared(const MemoryAccess& access, const AccessRoute& route, AccessTally& tally,
                    std::uint32_t instruction);
  void count_global(const MemoryAccess& access, const AccessRoute& route, AccessTally& tally,
                    std::uint32_t instruction);
  void count_bulk_copy(const MemoryAccess& access, const BlockState& block, AccessTally& tally);
  void bulk_copy_arrives(const MemoryAccess& access, const Site& site);
  void tell_or_look(const MemoryAccess& access, const Site& site);
  /// `takes`: how long it takes what was written until it is found.
  void look_for_others(const MemoryAccess& access, Mask lanes, const WarpPath& takes, std::uint32_t instruction);
  /// `takes`: what comes before the `writer`, a warp or SharedAnnouncements::kCopies, writes.
  void tell_others(const MemoryAccess& access, Mask lanes, std::uint32_t instruction, const WarpPath& takes,
                   std::uint32_t writer);
  void count_constants(const MemoryAccess& access, AccessTally& tally, std::uint32_t instruction);
  void count_local(const MemoryAccess& access, AccessTally& tally, std::uint32_t instruction);
  /// What a warp has executed of the straight run that it is in.
  Stretch since_segment(const Warp& warp, std::uint32_t instruction) const;
  AccessPattern pattern_of(const MemoryAccess& access) const;

  Extent3 timeline_block_{0, 0, 0};
  std::map<std::pair<std::string, std::size_t>, std::size_t> known_;  ///< index by name and fingerprint
  std::vector<std::unique_ptr<KernelTally>> kernels_;
  CacheSizes sizes_;
  std::unique_ptr<MemoryTraffic> memory_;                         ///< null until something is counted
  TrafficCounts before_;                                          ///< the launch
  LaunchWork work_before_;                                        ///< likewise, of its kernel
  WarpPath longest_path_, furthest_path_, chain_, sum_of_paths_;  ///< of the launch's blocks that have ended
  std::uint64_t blocks_begun_ = 0, blocks_ended_ = 0;             ///< of the launch
  Announcements announcements_;                                   ///< of the launch
  std::vector<ConstantCache> constants_;                          ///< of the launch, by multiprocessor
  std::uint64_t local_end_ = 0;                                   ///< of the launch: what a thread uses of its own
  HotLines hot_lines_;                                            ///< of the launch
  HostWords host_words_;                                          ///< of the launch
  std::uint64_t host_bytes_ = 0;
  const DeviceProfile* profile_ = nullptr;
  const ptx::KernelResources* resources_ = nullptr;
  std::uint32_t most_resident_ = 0;
  bool is_in_graph_ = false;
  double issues_per_clock_ = 1;  ///< of a multiprocessor
  LaunchTime last_time_;

  const Launch* launch_ = nullptr;
  std::array<Site, 512> sites_;   ///< by a hash of their instructions
  BatchTallies batches_;          ///< of the launch
  KernelTally* tally_ = nullptr;  ///< of the launch
  std::unordered_map<const Block*, BlockState> blocks_;
  std::unordered_map<const Cluster*, ClusterState> clusters_;
  MemoryLevel copy_found_ = MemoryLevel::kL1;  ///< what the asynchronous copy reads that is about to begin
  const Block* last_block_ = nullptr;
  BlockState* last_state_ = nullptr;
};

}  // namespace vgpu
