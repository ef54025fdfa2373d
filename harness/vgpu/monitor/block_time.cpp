#include "harness/vgpu/monitor/block_time.h"

#include <algorithm>

namespace vgpu {
namespace {

/// Of all warps of the block together: more than a page can show, and little enough to be kept for every kernel.
constexpr std::size_t kMostSpans = 4096;

std::uint32_t count_of(Mask lanes) { return static_cast<std::uint32_t>(__builtin_popcount(lanes)); }

}  // namespace

void BlockTime::begin(std::uint32_t warps, double issues_per_clock, const WarpPath& before, std::uint64_t clock,
                      Timeline* timeline) {
  before_ = before;
  issues_per_clock_ = issues_per_clock;
  clocks_.assign(warps, 0);
  WarpState fresh;
  fresh.clock = clock;
  warps_.assign(warps, fresh);
  follows_others_ = false;
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

void BlockTime::run(const Warp& warp, std::uint64_t steps, std::uint32_t line, const Stretch& stretch) {
  std::uint64_t& clock = clocks_[warp.index];
  if (timeline_ != nullptr)
    note(warp.index, {clock, clock + steps, count_of(warp.active), line, TimelineSpan::State::kRuns});
  clock += steps;
  WarpState& state = warps_[warp.index];
  state.path += state.reads.settle(stretch);
  state.reads.end(stretch);
  state.issues += stretch.issues;
}

void BlockTime::arrive(const Warp& warp, std::uint32_t barrier, std::uint32_t instruction, std::uint32_t line,
                       std::uint64_t steps, const Stretch& stretch, bool waits) {
  const WarpState& state = warps_[warp.index];
  arrivals_[barrier].push_back({warp.index, instruction, line, warp.active, clocks_[warp.index] + steps,
                                state.path + state.reads.settle(stretch), state.behind, state.longest,
                                state.issues + stretch.issues, waits});
}

const std::vector<BlockTime::Wait>& BlockTime::open(std::uint32_t barrier) {
  std::vector<Arrival>& arrivals = arrivals_[barrier];
  std::uint64_t opens = 0;
  const WarpPath none;
  const WarpPath* most = &none;  // rather than a copy at every arrival: this is where kernels spend their time here
  WarpPath furthest, followed;
  std::int64_t issues = 0, clocks = 0;
  for (const Arrival& arrival : arrivals) {
    const WarpState& state = warps_[arrival.warp];
    opens = std::max(opens, arrival.time);
    most = &longer(*most, arrival.path);
    clocks = std::max(clocks, arrival.path.clocks - state.clocks_before);
    issues += arrival.issues - state.issues_before;
    if (!follows_others_) continue;
    furthest = longer(furthest, arrival.path + arrival.behind);
    followed = longer(followed, arrival.longest);
  }
  const std::int64_t more = late(issues, clocks);
  WarpPath longest = *most;
  longest.clocks += more, furthest.clocks += more;
  waits_.clear();
  for (const Arrival& arrival : arrivals) {
    if (!arrival.waits) continue;
    Wait& wait = waits_.emplace_back();  // filled in place: a copy would wait for its fields to be stored
    wait.instruction = arrival.instruction;
    wait.steps = opens - arrival.time;
    WarpState& state = warps_[arrival.warp];
    state.issues_before = arrival.issues;
    state.clocks_before = longest.clocks;
    const WarpPath reached = follows_others_ ? state.path + state.behind : WarpPath{};
    if (&longer(state.path, longest) == &longest) state.path = longest;
    if (follows_others_) {
      state.behind = longer(reached, furthest) - state.path;
      state.longest = longer(state.longest, followed);
    }
    std::uint64_t& clock = clocks_[arrival.warp];
    if (clock >= opens) continue;
    if (timeline_ != nullptr)
      note(arrival.warp, {clock, opens, count_of(arrival.lanes), arrival.line, TimelineSpan::State::kAtBarrier});
    clock = opens;
  }
  arrivals.clear();
  return waits_;
}

/// By how much the multiprocessor's clocks for issuing exceed those that the longest path has.
std::int64_t BlockTime::late(std::int64_t issues, std::int64_t clocks) const {
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(static_cast<double>(issues) / issues_per_clock_) - clocks);
}

void BlockTime::read_clock(const Warp& warp, std::uint64_t clock, const Stretch& more) {
  WarpState& state = warps_[warp.index];
  const std::int64_t came = reached(warp, more).length();
  state.to_spare += came - state.came_then - static_cast<std::int64_t>(clock - state.clock);
  const std::int64_t short_of = std::max<std::int64_t>(0, -state.to_spare);
  state.path.clocks += short_of;
  state.to_spare = std::min(state.to_spare + short_of, kOverlap);
  state.clock = clock;
  state.came_then = came + short_of;
}

void BlockTime::copy_begins(const Warp& warp, std::uint32_t copy, MemoryLevel place, const Stretch& more) {
  const WarpPath come = reached(warp, more) + wait_at(place);
  std::vector<std::int64_t>& copies = warps_[warp.index].copies_come;
  copies.resize(kCopies);
  copies[copy % kCopies] = come.length();
}

void BlockTime::wait_for_copy(const Warp& warp, std::uint32_t copy, const Stretch& more) {
  WarpState& state = warps_[warp.index];
  if (state.copies_come.empty()) return;
  state.path.clocks += std::max<std::int64_t>(0, state.copies_come[copy % kCopies] - reached(warp, more).length());
}

WarpPath BlockTime::reached(const Warp& warp, const Stretch& more) const {
  const WarpState& state = warps_[warp.index];
  return state.path + state.reads.settle(more) + state.behind;
}

Progress BlockTime::progress(const Warp& warp, const Stretch& more) const {
  const WarpState& state = warps_[warp.index];
  const WarpPath own = state.path + state.reads.settle(more);
  return {own, own + state.behind, longer(before_ + own, state.longest)};
}

void BlockTime::follow(const Warp& warp, const Progress& there, bool is_own_block, const Stretch& more) {
  WarpState& state = warps_[warp.index];
  const Progress now = progress(warp, more);
  if (is_own_block) state.path += longer(now.own, there.own) - now.own;
  state.behind += longer(now.reached, there.reached) - reached(warp, more);
  state.longest = longer(state.longest, there.longest);
  follows_others_ = true;
}

void BlockTime::follow(const Warp& warp, const SharedAnnouncements::Word& there, const Stretch& more) {
  WarpState& state = warps_[warp.index];
  const Progress now = progress(warp, more);
  const std::int64_t own = std::max<std::int64_t>(0, there.own - now.own.length());
  state.path.clocks += own;
  state.behind.clocks += std::max<std::int64_t>(0, there.reached - now.reached.length()) - own;
  follows_others_ = true;
}

WarpPath BlockTime::longest_path() const {
  WarpPath longest;
  std::int64_t issues = 0, clocks = 0;
  for (const WarpState& state : warps_) {
    longest = longer(longest, state.path);
    issues += state.issues - state.issues_before;
    clocks = std::max(clocks, state.path.clocks - state.clocks_before);
  }
  longest.clocks += late(issues, clocks);
  return longest;
}

WarpPath BlockTime::furthest() const {
  WarpPath furthest = longest_path();
  if (!follows_others_) return furthest;
  for (const WarpState& state : warps_) furthest = longer(furthest, state.path + state.behind);
  return furthest;
}

WarpPath BlockTime::chain() const {
  WarpPath chain;
  if (!follows_others_) return chain;
  const WarpPath own = before_ + longest_path();
  for (const WarpState& state : warps_) chain = longer(chain, state.path + state.behind - longer(own, state.longest));
  return chain;
}

}  // namespace vgpu
