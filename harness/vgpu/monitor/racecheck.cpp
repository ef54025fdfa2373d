#include "harness/vgpu/monitor/racecheck.h"

#include <algorithm>

#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/symbol_names.h"
#include "harness/vgpu/monitor/array_names.h"

namespace vgpu {
namespace {

/// Histories are kept for pieces of this many bytes at most.
constexpr std::uint32_t kPiece = 16;

std::uint64_t location_of(std::uint64_t address) { return address & ~std::uint64_t{3}; }

const char* verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::kLoad:
      return "read";
    case AccessKind::kStore:
      return "write";
    case AccessKind::kAtomic:
      return "atomic access";
  }
  return "";
}

const char* advice_for(bool same_block, bool same_warp) {
  if (same_warp) return "Lanes of a warp do not wait for each other: put __syncwarp() between the two.";
  if (same_block) return "Put __syncthreads() between the two, where every thread of the block reaches it.";
  return "Blocks run in any order and at the same time: give each memory of its own, use atomics, or do the second "
         "step "
         "in a launch of its own. A flag between blocks needs __threadfence() before it is set.";
}

std::uint32_t linear_index(const Block& block) {
  const Extent3 at = block.index(), grid = block.launch().shape().grid;
  return static_cast<std::uint32_t>(at.x + std::uint64_t{grid.x} * (at.y + std::uint64_t{grid.y} * at.z)) %
         AccessRecord::kBlocks;
}

}  // namespace

// --- what begins and ends ---

void Racecheck::launch_begins(const Launch& launch) {
  launch_ = &launch;
  kernel_name_ = readable_function_name(launch.kernel().function().name);
  time_ = 0;
  blocks_.clear();
  last_block_ = nullptr;
  global_.clear();
  published_.clear();
  sites_.clear();
  known_sites_.fill({});
  site_numbers_.clear();
  reported_.clear();
}

void Racecheck::launch_ends(Launch&) {
  for (const auto& [sites, race] : reported_)
    if (race.again != 0) findings_.is_new(race.kind, race.file, race.line, race.array, race.again);
  launch_ = nullptr;
}

void Racecheck::block_begins(const Block& block) {
  BlockState& state = blocks_[&block];
  state.number = linear_index(block);
  const auto warps = static_cast<std::uint32_t>(block.warps().size());
  if (state.warps.empty()) {
    for (std::uint32_t w = 0; w < warps; ++w) state.warps.emplace_back(w, warps);
  } else {
    for (WarpClock& clock : state.warps) clock.restart();
  }
  state.seen.assign(warps, 0);
  state.shared.clear();
  state.published.clear();
}

Racecheck::BlockState& Racecheck::state_of(const Block& block) {
  if (&block != last_block_) {
    last_state_ = &blocks_.at(&block);
    last_block_ = &block;
  }
  return *last_state_;
}

// --- what orders ---

void Racecheck::barrier_opens(const Block& block, std::uint32_t, const std::vector<Mask>& arrived) {
  BlockState& state = state_of(block);
  std::vector<WarpClock*> warps;
  for (std::size_t w = 0; w < arrived.size(); ++w)
    if (const Warp& warp = block.warps()[w]; arrived[w] != 0 || warp.exited == warp.lanes)
      warps.push_back(&state.warps[w]);  // a warp that has ended counts as arrived
  WarpClock::barrier_opens(warps);
}

void Racecheck::lanes_meet(const Warp& warp, Mask lanes) {
  state_of(*warp.block).warps[warp.index].lanes_meet(lanes, warp.lanes & ~warp.exited);
}

void Racecheck::fence(const Warp& warp, Mask lanes, bool device_wide) {
  BlockState& state = state_of(*warp.block);
  state.warps[warp.index].fence(lanes, state.number, device_wide, ++time_);
}

const Racecheck::Site& Racecheck::site_of(const MemoryAccess& access) {
  Site& site = known_sites_[(reinterpret_cast<std::uintptr_t>(access.insn) / sizeof(Insn)) % known_sites_.size()];
  if (site.insn == access.insn) return site;
  if (const auto known = site_numbers_.find(access.insn); known != site_numbers_.end())
    return site = sites_[known->second];

  // A kernel with more places than a record can name shares the last number among the rest.
  const auto number = static_cast<std::uint32_t>(std::min<std::size_t>(sites_.size(), AccessRecord::kSites - 1));
  site = {access.insn, access.warp->frame->code, number};
  const ptx::Instruction& instruction = site.code->function->body[access.insn->source];
  const auto has = [&](std::string_view name) {
    return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), name) != instruction.modifiers.end();
  };
  const bool is_mbarrier = instruction.opcode == "mbarrier";
  site.strong = access.kind == AccessKind::kAtomic || is_mbarrier || has("volatile") || has("relaxed") ||
                has("acquire") || has("release") || has("mmio");
  site.acquires = site.strong && (access.kind != AccessKind::kStore || is_mbarrier);
  site.releases = has("release") || has("acq_rel") || is_mbarrier;
  site.device_wide = !has("cta") && access.space == ptx::Space::kGlobal;
  site_numbers_[access.insn] = static_cast<std::uint32_t>(sites_.size());
  sites_.push_back(site);
  return site;
}

void Racecheck::acquire(const MemoryAccess& access, const Site& site, BlockState& block, WarpClock& clock) {
  const PublishedAt& all = access.space == ptx::Space::kShared ? block.published : published_;
  if (all.empty()) return;
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const auto found = all.find(location_of(access.address(lane)));
    if (found == all.end()) continue;
    const Published& published = found->second;
    const Mask learner = Mask{1} << lane;
    if (published.block == block.number && published.within_block) clock.learn(learner, *published.within_block);
    if (site.device_wide) clock.learn(learner, block.number, published.grid, published.grid_time);
    std::uint32_t& seen = block.seen[access.warp->index];
    seen = std::max(seen, published.time);
  }
}

void Racecheck::publish(const MemoryAccess& access, const Site& site, BlockState& block, WarpClock& clock) {
  if (site.releases) clock.fence(access.lanes, block.number, site.device_wide, ++time_);
  if (!clock.fenced_block()) return;
  ++time_;
  if (site.acquires) block.seen[access.warp->index] = time_;  // what was there before has been seen by the same access
  PublishedAt& all = access.space == ptx::Space::kShared ? block.published : published_;
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    Published& published = all[location_of(access.address(__builtin_ctz(rest)))];
    if (published.block != block.number || !published.within_block) {
      published.block = block.number;
      published.within_block = clock.fenced_block();
    } else if (published.within_block != clock.fenced_block()) {
      auto joined = std::make_shared<BlockProgress>(*published.within_block);
      join(*joined, *clock.fenced_block());
      published.within_block = std::move(joined);
    }
    if (site.device_wide && clock.has_fenced_grid()) {
      published.grid.join(clock.fenced_grid());
      published.grid_time = std::max(published.grid_time, clock.fenced_time());
    }
    published.time = time_;
  }
}

// --- what must be ordered ---

/// The common cases, quickly: nobody but this thread was here since the block's last barrier, or the access repeats one
/// that is known.
inline bool Racecheck::is_plainly_fine(const Current& current, AccessHistory& history) const {
  const std::uint32_t block = current.block.number;
  const Epoch floor = current.clock.block_floor();
  const AccessRecord& me = current.record;
  if (!history.write.is_of_block_before(block, floor) && !history.write.is_of_same_thread(me)) return false;
  const bool reads_are_over = history.read.is_of_block_before(block, floor) || history.read.is_of_same_thread(me);
  if (current.access.kind == AccessKind::kLoad) {
    if (reads_are_over) history.read = me;
    return reads_are_over || history.read.includes(me, time_);
  }
  if (!reads_are_over) return false;
  history.write = me;
  history.read = {};
  return true;
}

Mask Racecheck::access(const MemoryAccess& access) {
  const bool is_shared = access.space == ptx::Space::kShared;
  if ((!is_shared && access.space != ptx::Space::kGlobal) || !access.aligned) return access.lanes;
  BlockState& block = state_of(*access.warp->block);
  WarpClock& clock = block.warps[access.warp->index];
  if (clock.now() > AccessRecord::kLastEpoch) return access.lanes;
  const Site& site = site_of(access);

  if (site.acquires) acquire(access, site, block, clock);
  ShadowMemory<AccessHistory>& shadow = is_shared ? block.shared : global_;
  ShadowMemory<AccessHistory>::View view;
  Current current{access, site, block, clock};
  const AccessRecord any_lane =
      AccessRecord::of(block.number, access.warp->index, 0, clock.now(), site.number, site.strong);
  const bool is_load = access.kind == AccessKind::kLoad;
  for (Mask rest = access.lanes; rest != 0;) {
    const int lane = __builtin_ctz(rest);
    int last = lane;  // neighbours that read one address, as in a broadcast, read it together
    rest &= rest - 1;
    current.address = access.address(lane);
    while (is_load && last + 1 < kLanes && (rest >> (last + 1) & 1) != 0 && access.address(last + 1) == current.address)
      rest &= rest - 1, ++last;
    current.lane = lane;
    current.record = any_lane.by_lanes(lane, last);
    for (std::uint32_t done = 0; done < access.bytes; done += kPiece, current.address += kPiece) {
      if (!view.holds(current.address)) view = shadow.view(current.address, access.bytes);
      for (AccessHistory& history : view.cells(current.address, std::min(kPiece, access.bytes - done)))
        if (!is_plainly_fine(current, history)) check(current, history);
    }
  }
  if (site.strong && access.kind != AccessKind::kLoad) publish(access, site, block, clock);
  return access.lanes;
}

void Racecheck::check(const Current& current, AccessHistory& history) {
  const Site& site = current.site;
  const Epoch now = current.clock.now();
  const AccessRecord me = current.record;
  const auto races = [&](const AccessRecord& before) {
    return !before.empty() && !(site.strong && before.strong()) && !is_ordered(current, before) &&
           !has_seen(current, before);
  };
  const auto fold = [&](const AccessRecord& before) {
    return before.empty() || is_ordered(current, before) ? me : before.with(me, time_);
  };

  if (current.access.kind == AccessKind::kLoad) {
    if (races(history.write)) report(current, history.write, true);
    history.read = fold(history.read);
    return;
  }
  const AccessRecord& write = history.write;
  const bool is_same_instruction = !write.empty() && write.by() == AccessRecord::By::kLanes &&
                                   write.site() == site.number && write.epoch() == now &&
                                   write.warp() == current.access.warp->index && write.block() == current.block.number;
  if (!is_same_instruction && races(write)) report(current, write, true);
  if (races(history.read)) report(current, history.read, false);
  history.write = is_same_instruction || site.strong ? fold(write) : me;
  history.read = {};
}

bool Racecheck::is_ordered(const Current& current, AccessRecord before) const {
  const WarpClock& clock = current.clock;
  const Epoch epoch = before.epoch();
  if (before.by() == AccessRecord::By::kGrid) return before.time() < clock.grid_time();

  const bool same_block = before.block() == current.block.number;
  const BlockProgress* const known = same_block ? &clock.block() : clock.grid().of(before.block());
  if (known == nullptr) return false;
  const std::uint32_t own = current.access.warp->index;
  const auto knows_lanes = [&](int first, int count) {
    for (int lane = first; lane < first + count; ++lane)
      if (lane != current.lane && !clock.lane_knows(current.lane, lane, epoch)) return false;
    return true;
  };
  if (before.by() == AccessRecord::By::kBlock) {
    for (std::uint32_t warp = 0; warp < known->size(); ++warp)
      if (same_block && warp == own ? !knows_lanes(0, kLanes) : epoch >= (*known)[warp].all) return false;
    return true;
  }
  if (same_block && before.warp() == own) return knows_lanes(before.first_lane(), before.lane_count());
  const WarpProgress& progress = (*known)[before.warp()];
  return before.lane_count() == 1 ? progress.covers(epoch, before.first_lane()) : epoch < progress.all;
}

/// Whoever saw what was published through a location is ordered behind the publishing access itself, too.
bool Racecheck::has_seen(const Current& current, AccessRecord before) const {
  if (!before.strong()) return false;
  const bool is_shared = current.access.space == ptx::Space::kShared;
  const PublishedAt& all = is_shared ? current.block.published : published_;
  const auto found = all.find(location_of(current.address));
  return found != all.end() && found->second.time <= current.block.seen[current.access.warp->index];
}

// --- what is said ---

std::string Racecheck::whose(const Current& current, const AccessRecord& before) const {
  if (before.by() == AccessRecord::By::kGrid) return "threads of several blocks";
  const Extent3 grid = launch_->shape().grid, extent = launch_->shape().block;
  const std::uint32_t b = before.block();
  const Extent3 block{b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
  const std::string of_block =
      before.block() == current.block.number ? " of the same block" : " of block " + spelled(block);
  if (before.by() == AccessRecord::By::kBlock) return "threads of several warps" + of_block;
  if (before.lane_count() > 1) return "several lanes of warp " + std::to_string(before.warp()) + of_block;
  const std::uint32_t t = before.warp() * kLanes + static_cast<std::uint32_t>(before.first_lane());
  return "thread " + spelled({t % extent.x, t / extent.x % extent.y, t / extent.x / extent.y}) + of_block;
}

void Racecheck::report(const Current& current, const AccessRecord& before, bool before_wrote) {
  const Site& other = sites_[before.site()];
  const std::uint64_t sites =
      std::uint64_t{current.site.number} << 32 | std::uint64_t{other.number} << 1 | std::uint64_t{before_wrote};
  const auto [known, is_first] = reported_.try_emplace(sites);
  Reported& race = known->second;
  if (!is_first) {
    ++race.again;
    return;
  }
  const MemoryAccess& access = current.access;
  const ptx::SourcePlace here = place_of(*current.site.code, *access.insn);
  const ptx::SourcePlace there = place_of(*other.code, *other.insn);
  const NamedElement element = element_at(*launch_, access.space, current.address, access.bytes);
  race.kind = std::string(verb(access.kind)) + " after " + (before_wrote ? "write" : "read") + " in line " +
              std::to_string(there.line);
  race.file = here.file;
  race.line = here.line;
  race.array = element.array;
  if (!findings_.is_new(race.kind, race.file, race.line, race.array, 1)) return;

  Finding finding;
  finding.tool = "racecheck";
  finding.kind = race.kind;
  finding.kernel = kernel_name_;
  finding.file = here.file;
  finding.line = here.line;
  finding.block = access.warp->block->index();
  finding.thread = access.warp->block->thread(*access.warp, current.lane);
  finding.array = element.array;
  finding.index = element.index;
  const bool same_block = before.by() != AccessRecord::By::kGrid && before.block() == current.block.number;
  const bool same_warp = same_block && before.by() == AccessRecord::By::kLanes && before.warp() == access.warp->index;
  finding.sentence = "thread " + spelled(finding.thread) + " of block " + spelled(finding.block) +
                     (access.kind == AccessKind::kLoad    ? " reads "
                      : access.kind == AccessKind::kStore ? " writes "
                                                          : " changes ") +
                     element.text() + ", which " + whose(current, before) + (before_wrote ? " wrote" : " read") +
                     " in line " + std::to_string(there.line) + "; nothing orders the two";
  finding.advice = advice_for(same_block, same_warp);
  findings_.add(std::move(finding));
}

}  // namespace vgpu
