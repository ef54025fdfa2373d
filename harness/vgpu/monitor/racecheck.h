// racecheck: two accesses to the same byte, of which one at least writes, must be ordered or both be atomic.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/monitor/access_record.h"
#include "harness/vgpu/monitor/finding.h"
#include "harness/vgpu/monitor/happens_before.h"
#include "harness/vgpu/monitor/shadow_memory.h"

namespace vgpu {

/// Reports conflicting accesses to shared and to global memory that nothing orders, between blocks, warps of a block
/// and lanes of a warp, whether or not the order they had in this run gave the right result. Order comes from
///
/// - launches, which follow each other;
/// - barriers, for the warps that arrive at them;
/// - __syncwarp, for the lanes it names. Shuffles and votes order nothing, nor does running in lock step;
/// - communication: what a thread did before a fence is passed on by its next atomic or volatile write, or a release,
///   to whoever reads or changes that location by an atomic, volatile or acquiring access.
///
/// A reader needs no fence here: reading a flag counts as acquiring it, which programs rely on that hand data over with
/// a fence on the writing side only. Threads of one instruction that write one location are not told from threads that
/// write the same value, and not reported.
class Racecheck : public Observer {
 public:
  explicit Racecheck(FindingList& findings) : findings_(findings) {}

  void launch_begins(const Launch& launch) override;
  void launch_ends(Launch& launch) override;
  void block_begins(const Block& block) override;
  void barrier_opens(const Block& block, std::uint32_t id, const std::vector<Mask>& arrived) override;
  void lanes_meet(const Warp& warp, Mask lanes) override;
  void fence(const Warp& warp, Mask lanes, bool device_wide) override;
  Mask access(const MemoryAccess& access) override;

 private:
  /// What an instruction asks of the memory model.
  struct Site {
    const Insn* insn = nullptr;
    const Code* code = nullptr;
    std::uint32_t number = 0;
    bool strong = false, acquires = false, releases = false, device_wide = false;
  };
  /// What has been published through a location.
  struct Published {
    std::uint32_t block = 0;
    std::shared_ptr<const BlockProgress> within_block;
    GridProgress grid;
    std::uint32_t grid_time = 0;  ///< of the latest fence that `grid` stands for
    std::uint32_t time = 0;       ///< of the latest publication
  };
  using PublishedAt = std::unordered_map<std::uint64_t, Published>;
  struct BlockState {
    std::uint32_t number = 0;
    std::vector<WarpClock> warps;
    std::vector<std::uint32_t> seen;  ///< by warp: the latest publication it has seen
    ShadowMemory<AccessHistory> shared;
    PublishedAt published;
  };
  /// The access under way, for one lane.
  struct Current {
    const MemoryAccess& access;
    const Site& site;
    BlockState& block;
    WarpClock& clock;
    int lane = 0;
    std::uint64_t address = 0;
    AccessRecord record = {};
  };

  /// A race that was seen again, and how often.
  struct Reported {
    std::string kind, file, array;
    std::uint32_t line = 0;
    std::uint64_t again = 0;
  };

  BlockState& state_of(const Block& block);
  const Site& site_of(const MemoryAccess& access);
  void acquire(const MemoryAccess& access, const Site& site, BlockState& block, WarpClock& clock);
  void publish(const MemoryAccess& access, const Site& site, BlockState& block, WarpClock& clock);
  bool is_plainly_fine(const Current& current, AccessHistory& history) const;
  void check(const Current& current, AccessHistory& history);
  bool is_ordered(const Current& current, AccessRecord before) const;
  bool has_seen(const Current& current, AccessRecord before) const;
  void report(const Current& current, const AccessRecord& before, bool before_wrote);
  std::string whose(const Current& current, const AccessRecord& before) const;

  FindingList& findings_;
  const Launch* launch_ = nullptr;
  std::string kernel_name_;
  std::uint32_t time_ = 0;  ///< counts what is published; from 1
  std::unordered_map<const Block*, BlockState> blocks_;
  const Block* last_block_ = nullptr;
  BlockState* last_state_ = nullptr;
  ShadowMemory<AccessHistory> global_;
  PublishedAt published_;
  std::vector<Site> sites_;  ///< by number
  std::array<Site, 4096> known_sites_{};
  std::unordered_map<const Insn*, std::uint32_t> site_numbers_;
  std::unordered_map<std::uint64_t, Reported> reported_;  ///< by the numbers of the two sites
};

}  // namespace vgpu
