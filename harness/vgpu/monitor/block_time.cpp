#include "harness/vgpu/monitor/block_time.h"

#include <algorithm>

namespace vgpu {
namespace {

/// Of all warps of the block together: more than a page can show, and little enough to be kept for every kernel.
constexpr std::size_t kMostSpans = 4096;

std::uint32_t count_of(Mask lanes) { return static_cast<std::uint32_t>(__builtin_popcount(lanes)); }

}  // namespace

void BlockTime::begin(std::uint32_t warps, Timeline* timeline) {
  clocks_.assign(warps, 0);
  paths_.assign(warps, {});
  for (std::vector<Arrival>& arrivals : arrivals_) arrivals.clear();
  timeline_ = timeline;
  if (timeline_ != nullptr) timeline_->warps.assign(warps, {});
}

/// Adds to the last span of the warp where nothing changes but the time.
void BlockTime::note(std::uint32_t warp, const TimelineSpan& span) {
  std::vector<TimelineSpan>& spans = timeline_->warps[warp];
  if (!spans.empty()) {
    TimelineSpan& last = spans.back();
    if (last.end == span.begin && last.state == span.state && last.active_lanes == span.active_lanes) {
      last.end = span.end;
      return;
    }
  }
  if (spans.size() < kMostSpans / timeline_->warps.size())
    spans.push_back(span);
  else
    timeline_->truncated = true;
}

void BlockTime::run(const Warp& warp, std::uint64_t steps, std::uint32_t line, const WarpPath& path) {
  std::uint64_t& clock = clocks_[warp.index];
  if (timeline_ != nullptr)
    note(warp.index, {clock, clock + steps, count_of(warp.active), line, TimelineSpan::State::kRuns});
  clock += steps;
  paths_[warp.index] += path;
}

void BlockTime::arrive(const Warp& warp, std::uint32_t barrier, std::uint32_t instruction, std::uint32_t line,
                       std::uint64_t steps, const WarpPath& path, bool waits) {
  arrivals_[barrier].push_back(
      {warp.index, instruction, line, warp.active, clocks_[warp.index] + steps, paths_[warp.index] + path, waits});
}

const std::vector<BlockTime::Wait>& BlockTime::open(std::uint32_t barrier) {
  std::vector<Arrival>& arrivals = arrivals_[barrier];
  std::uint64_t opens = 0;
  WarpPath longest;
  for (const Arrival& arrival : arrivals) {
    opens = std::max(opens, arrival.time);
    longest = longer(longest, arrival.path);
  }
  waits_.clear();
  for (const Arrival& arrival : arrivals) {
    if (!arrival.waits) continue;
    waits_.push_back({arrival.instruction, opens - arrival.time});
    paths_[arrival.warp] = longer(paths_[arrival.warp], longest);
    std::uint64_t& clock = clocks_[arrival.warp];
    if (clock >= opens) continue;
    if (timeline_ != nullptr)
      note(arrival.warp, {clock, opens, count_of(arrival.lanes), arrival.line, TimelineSpan::State::kAtBarrier});
    clock = opens;
  }
  arrivals.clear();
  return waits_;
}

WarpPath BlockTime::longest_path() const {
  WarpPath longest;
  for (const WarpPath& path : paths_) longest = longer(longest, path);
  return longest;
}

}  // namespace vgpu
