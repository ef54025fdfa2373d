// Several observers in place of one.
#pragma once

#include <algorithm>
#include <vector>

#include "harness/vgpu/machine/observer.h"

namespace vgpu {

/// Passes every event on to each of its observers, in order. An access that one of them suppresses is not shown to
/// those after it.
class Watchers : public Observer {
 public:
  /// None of them is owned.
  void watch_with(std::vector<Observer*> observers) {
    observers_ = std::move(observers);
    of_accesses_.clear();
    of_runs_.clear();
    for (Observer* const observer : observers_) {
      if (observer->watches_accesses()) of_accesses_.push_back(observer);
      if (observer->watches_runs()) of_runs_.push_back(observer);
    }
  }
  bool empty() const { return observers_.empty(); }

  void launch_begins(const Launch& launch) override {
    for (Observer* const observer : observers_) observer->launch_begins(launch);
  }
  void launch_ends(Launch& launch) override {
    for (Observer* const observer : observers_) observer->launch_ends(launch);
  }
  void block_begins(const Block& block) override {
    for (Observer* const observer : observers_) observer->block_begins(block);
  }
  void block_ends(const Block& block) override {
    for (Observer* const observer : observers_) observer->block_ends(block);
  }
  void cluster_barrier_reached(const Warp& warp, const Insn* at, Mask lanes, bool releases) override {
    for (Observer* const observer : observers_) observer->cluster_barrier_reached(warp, at, lanes, releases);
  }
  void cluster_barrier_opens(const Cluster& cluster) override {
    for (Observer* const observer : observers_) observer->cluster_barrier_opens(cluster);
  }
  void cluster_barrier_passed(const Warp& warp, const Insn* at, Mask lanes) override {
    for (Observer* const observer : observers_) observer->cluster_barrier_passed(warp, at, lanes);
  }
  bool block_is_missing(const MemoryAccess& access, std::uint32_t rank) override {
    return std::any_of(of_accesses_.begin(), of_accesses_.end(),
                       [&](Observer* observer) { return observer->block_is_missing(access, rank); });
  }
  void barrier_reached(const Warp& warp, const Insn* at, Mask lanes, std::uint32_t id, std::uint32_t threads) override {
    for (Observer* const observer : observers_) observer->barrier_reached(warp, at, lanes, id, threads);
  }
  void barrier_opens(const Block& block, std::uint32_t id, const std::vector<Mask>& arrived) override {
    for (Observer* const observer : observers_) observer->barrier_opens(block, id, arrived);
  }
  void lanes_meet(const Warp& warp, Mask lanes) override {
    for (Observer* const observer : observers_) observer->lanes_meet(warp, lanes);
  }
  void lanes_go_ahead(const Warp& warp, Mask ahead, Mask left_behind) override {
    for (Observer* const observer : observers_) observer->lanes_go_ahead(warp, ahead, left_behind);
  }
  void lane_not_in_mask(const Warp& warp, const Insn* at, int lane, Mask members) override {
    for (Observer* const observer : observers_) observer->lane_not_in_mask(warp, at, lane, members);
  }
  void fence(const Warp& warp, Mask lanes, bool device_wide) override {
    for (Observer* const observer : observers_) observer->fence(warp, lanes, device_wide);
  }
  void instruction(Warp& warp, const Insn* at) override {
    for (Observer* const observer : observers_) observer->instruction(warp, at);
  }
  void lanes_exchange(Warp& warp, const std::vector<Participant>& participants) override {
    for (Observer* const observer : observers_) observer->lanes_exchange(warp, participants);
  }
  void values_are_undefined(Warp& warp, const Participant& receivers, const LaneNumbers& sources) override {
    for (Observer* const observer : observers_) observer->values_are_undefined(warp, receivers, sources);
  }
  void run_ends(const Warp& warp, const Insn* first, const Insn* last) override {
    for (Observer* const observer : of_runs_) observer->run_ends(warp, first, last);
  }
  void lanes_part(const Warp& warp, const Insn* branch) override {
    for (Observer* const observer : of_runs_) observer->lanes_part(warp, branch);
  }
  void values_match(const Warp& warp, std::uint32_t different) override {
    for (Observer* const observer : of_runs_) observer->values_match(warp, different);
  }
  void warp_sleeps(const Warp& warp, std::uint32_t nanoseconds) override {
    for (Observer* const observer : of_runs_) observer->warp_sleeps(warp, nanoseconds);
  }
  void clock_is_read(const Warp& warp, const Insn* at, std::uint64_t clock) override {
    for (Observer* const observer : of_runs_) observer->clock_is_read(warp, at, clock);
  }
  bool watches_runs() const override { return !of_runs_.empty(); }
  Mask access(const MemoryAccess& access) override {
    Mask lanes = access.lanes;
    for (Observer* const observer : of_accesses_) {
      if (lanes == access.lanes) {
        lanes = observer->access(access);
      } else if (lanes != 0) {
        MemoryAccess rest = access;
        rest.lanes = lanes;
        rest.contiguous = rest.uniform = 0;
        lanes = observer->access(rest);
      }
    }
    return lanes;
  }
  void atomic_took_place(const MemoryAccess& access, Mask changed) override {
    for (Observer* const observer : of_runs_) observer->atomic_took_place(access, changed);
  }
  void copy_arrives(const MemoryAccess& store, const Code& code, const Insn* awaited_at) override {
    for (Observer* const observer : of_accesses_) observer->copy_arrives(store, code, awaited_at);
  }
  QuietRange quiet_range(const MemoryAccess& access) override {
    QuietRange common{0, ~std::uint32_t{0}};
    for (auto observer = of_accesses_.rbegin(); observer != of_accesses_.rend() && common.low < common.high;
         ++observer) {
      const QuietRange range = (*observer)->quiet_range(access);
      common = {std::max(common.low, range.low), std::min(common.high, range.high)};
    }
    return common;
  }
  bool wants_noted_reads() const override {
    return std::any_of(of_accesses_.begin(), of_accesses_.end(),
                       [](const Observer* observer) { return observer->wants_noted_reads(); });
  }
  void reads_were_noted(const Block& block, const NotedReads& reads) override {
    for (Observer* const observer : of_accesses_) observer->reads_were_noted(block, reads);
  }

 private:
  std::vector<Observer*> observers_, of_accesses_, of_runs_;
};

}  // namespace vgpu
