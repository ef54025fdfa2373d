// synccheck: what barriers and .sync instructions wait for must be defined.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/monitor/finding.h"

namespace vgpu {

/// Reports __syncthreads() that threads of one block reach at different places of the program at the same time, or that
/// some lanes of a warp bypass while others wait there, and .sync instructions executed by a lane that is not in their
/// mask. (Lanes that only exit bypass nothing; whole warps that bypass a barrier are not detected. A launch in which
/// threads wait for others that can never arrive is stopped, and Launch itself reports it.)
class Synccheck : public Observer {
 public:
  explicit Synccheck(FindingList& findings) : findings_(findings) {}

  void launch_begins(const Launch& launch) override;
  void block_begins(const Block& block) override;
  void barrier_reached(const Warp& warp, const Insn* at, Mask lanes, std::uint32_t id, std::uint32_t threads) override;
  void barrier_opens(const Block& block, std::uint32_t id, const std::vector<Mask>& arrived) override;
  void lanes_go_ahead(const Warp& warp, Mask ahead, Mask left_behind) override;
  void lane_not_in_mask(const Warp& warp, const Insn* at, int lane, Mask members) override;
  Mask access(const MemoryAccess& access) override { return access.lanes; }
  bool watches_accesses() const override { return false; }

 private:
  /// The first arrival at a barrier that is still closed.
  struct Arrival {
    const Insn* at = nullptr;
    const Code* code = nullptr;
    Extent3 thread;
  };
  using BarrierOfBlock = std::pair<const Block*, std::uint32_t>;

  void report(const Warp& warp, const Code& code, const Insn* at, int lane, const std::string& kind,
              const std::string& what, const std::string& advice);

  FindingList& findings_;
  std::string kernel_name_;
  std::map<BarrierOfBlock, Arrival> waiting_;
};

}  // namespace vgpu
