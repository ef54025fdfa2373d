#include "harness/vgpu/machine/cluster.h"

#include <algorithm>
#include <iterator>

#include "harness/vgpu/machine/access_words.h"
#include "harness/vgpu/machine/address_windows.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/stray_access.h"

namespace vgpu {
namespace {

std::uint32_t count_of(Mask lanes) { return static_cast<std::uint32_t>(__builtin_popcount(lanes)); }

}  // namespace

void Cluster::begins(Block& block, std::uint32_t rank) {
  Member& member = members_[rank];
  member.block = &block;
  member.index = block.index();
  member.arrived.assign(block.warps().size(), 0);
  member.passed = member.arrived;
  for (const Warp& warp : block.warps()) missing_ += count_of(warp.lanes & ~warp.exited);
}

const Insn* Cluster::arrive(Warp& warp, const Insn* at, Mask arriving, bool releases) {
  Member& member = of(warp);
  if (const Mask again = arriving & (member.arrived[warp.index] | member.passed[warp.index]))
    return warp.fault(at, FaultKind::kTrap, __builtin_ctz(again),
                      "a thread arrives at its cluster's barrier again and has not waited there since it did so last: "
                      "barrier.cluster.wait must come in between");
  if (warp.observer != nullptr) warp.observer->cluster_barrier_reached(warp, at, arriving, releases);
  member.arrived[warp.index] |= arriving;
  missing_ -= count_of(arriving);
  some_arrived_ = true;
  open_if_full(warp.block->launch());
  return at + 1;
}

const Insn* Cluster::wait(Warp& warp, const Insn* at, Mask waiting) {
  Mask& passed = of(warp).passed[warp.index];
  const Mask going_on = waiting & passed;
  warp.resumed = false;
  passed &= ~going_on;
  if (going_on != 0) {
    warp.be_no_earlier_than(opened_at_);
    if (warp.observer != nullptr) warp.observer->cluster_barrier_passed(warp, at, going_on);
  }
  if (waiting == going_on) return at + 1;
  return warp.wait_at_barrier(at, waiting & ~going_on, kBarrier, true);
}

void Cluster::lanes_exited(const Warp& warp, Mask leaving) {
  missing_ -= count_of(leaving & ~of(warp).arrived[warp.index]);
  open_if_full(warp.block->launch());
}

void Cluster::open_if_full(Launch& launch) {
  if (missing_ != 0 || !some_arrived_) return;
  if (Observer* const observer = launch.options().observer) observer->cluster_barrier_opens(*this);
  some_arrived_ = false;
  for (const Member& member : members_)
    for (std::size_t w = 0; w < member.arrived.size() && member.block != nullptr; ++w)
      if (member.arrived[w] != 0) opened_at_ = std::max(opened_at_, member.block->warps()[w].clock());
  for (Member& member : members_) {
    if (member.block == nullptr) continue;
    for (Warp& warp : member.block->warps()) {
      member.passed[warp.index] = member.arrived[warp.index] & ~warp.exited;
      member.arrived[warp.index] = 0;
      missing_ += count_of(warp.lanes & ~warp.exited);
      warp.release_barrier(kBarrier, opened_at_);
    }
    member.block->goes_on();
  }
  launch.cluster_goes_on(*this);
}

ClusterAccess look_at_cluster_access(Warp& warp, const Insn* insn, AccessKind kind, std::uint32_t bytes, Mask lanes,
                                     std::uint64_t* addresses) {
  Block& own = *warp.block;
  const Cluster& cluster = own.cluster();
  const auto rank_of = [&](std::uint64_t address) {
    const std::uint64_t window = address / kRankBytes;
    if (window == 0) return own.cluster_rank();
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(window - 1, ~std::uint32_t{0}));  // of nobody, far away
  };
  ClusterAccess outcome;
  for (Mask rest = lanes; rest != 0;) {
    const std::uint32_t rank = rank_of(addresses[__builtin_ctz(rest)]);
    Mask part = 0;
    for (Mask look = rest; look != 0; look &= look - 1)
      if (rank_of(addresses[__builtin_ctz(look)]) == rank) part |= look & -look;
    const std::uint64_t one = addresses[__builtin_ctz(rest)] % kRankBytes;
    rest &= ~part;
    alignas(64) std::uint64_t inside[kLanes];
    std::uint64_t any = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      inside[lane] = (part >> lane & 1) != 0 ? addresses[lane] % kRankBytes : one;
      any |= inside[lane];
    }
    const auto [lowest, highest] = std::minmax_element(std::begin(inside), std::end(inside));
    MemoryAccess shown{&warp,   insn,     ptx::Space::kShared,     kind, bytes, part, nullptr, inside,
                       *lowest, *highest, (any & (bytes - 1)) == 0};
    const Block* const home = cluster.block(rank);
    if (home == nullptr) {
      if (warp.observer != nullptr && warp.observer->block_is_missing(shown, rank)) continue;
      const std::string what = "a " + std::string(verb(kind)) + " of " + std::to_string(bytes) +
                               " bytes in shared memory of rank " + std::to_string(rank) + " of the cluster, which ";
      warp.fault(insn, FaultKind::kIllegalAddress, __builtin_ctz(part),
                 what + (rank < cluster.size()
                             ? "has already ended"
                             : "has " + std::to_string(cluster.size()) + (cluster.size() == 1 ? " block" : " blocks")));
      return {0, true};
    }
    if (home != &own) shown.home = home;
    const Mask going = warp.observer != nullptr ? warp.observer->access(shown) : part;
    if (going != 0 && look_at_stray_access(warp, insn, ptx::Space::kShared, kind, bytes, going, inside).faulted)
      return {0, true};
    const auto shift =
        reinterpret_cast<std::uintptr_t>(home->warps()[0].shared) - reinterpret_cast<std::uintptr_t>(warp.shared);
    for (Mask look = going; look != 0; look &= look - 1)
      addresses[__builtin_ctz(look)] = inside[__builtin_ctz(look)] + shift;
    outcome.lanes |= going;
  }
  for (int lane = 0; lane < kLanes && outcome.lanes != 0; ++lane)
    if ((outcome.lanes >> lane & 1) == 0) addresses[lane] = addresses[__builtin_ctz(outcome.lanes)];
  return outcome;
}

}  // namespace vgpu
