#include "harness/vgpu/monitor/counters.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/noted_reads.h"
#include "harness/vgpu/monitor/access_shape.h"
#include "harness/vgpu/monitor/array_names.h"

namespace vgpu {
namespace {

std::uint32_t number_of(const Warp& warp, const Insn* insn) { return warp.frame->code->first_number + insn->index; }

bool is_same(const Extent3& a, const Extent3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// The words that an access touches: what one thread writes as a whole another one may read in part.
template <class Visit>
void each_word(const MemoryAccess& access, Mask lanes, const Visit& visit) {
  constexpr std::uint64_t kWord = 4;
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t begin = access.address(__builtin_ctz(rest));
    for (std::uint64_t at = begin / kWord * kWord; at < begin + access.bytes; at += kWord) visit(at);
  }
}

/// Half of it until what was written is there, half until somebody looks again, on average.
WarpPath way_of(ptx::Space space) {
  WarpPath way;
  (space == ptx::Space::kShared ? way.shared_waits : way.l2_waits) = 1;
  return way;
}

}  // namespace

// --- what begins and ends ---

void Counters::forget() {
  known_.clear();
  kernels_.clear();
  sites_.fill({});
  tally_ = nullptr;
  memory_ = nullptr;
  host_bytes_ = 0;
}

void Counters::set_caches(const CacheSizes& sizes) {
  const bool same = sizes.sm_count == sizes_.sm_count && sizes.l1_bytes == sizes_.l1_bytes &&
                    sizes.l2_bytes == sizes_.l2_bytes && sizes.l2_fetch_bytes == sizes_.l2_fetch_bytes;
  if (same) return;
  sizes_ = sizes;
  memory_ = nullptr;
}

void Counters::launch_begins(const Launch& launch) {
  launch_ = &launch;
  sites_.fill({});
  blocks_.clear();
  clusters_.clear();
  last_block_ = nullptr;
  const Kernel& kernel = launch.kernel();
  const auto [known, is_new] = known_.try_emplace({kernel.function().name, kernel.fingerprint()}, kernels_.size());
  if (is_new) kernels_.push_back(std::make_unique<KernelTally>(kernel, resources_));
  tally_ = kernels_[known->second].get();
  tally_->begin_launch(launch);
  if (memory_ == nullptr) memory_ = std::make_unique<MemoryTraffic>(sizes_);
  memory_->begin_launch();
  before_ = memory_->counts();
  work_before_ = tally_->work();
  longest_path_ = furthest_path_ = chain_ = sum_of_paths_ = {};
  blocks_begun_ = blocks_ended_ = 0;
  announcements_.begin_launch();
  hot_lines_.clear();
  local_end_ = 0;
  constants_.clear();
  host_words_.launch_begins(launch.memory());
}

/// What the launch that ends has cost, as time.
void Counters::tell_time() {
  last_time_ = {};
  if (profile_ == nullptr) return;
  LaunchWork work = tally_->work() - work_before_;
  work.blocks = launch_->shape().grid.count();
  work.resident_blocks = resident_blocks();
  work.is_in_graph = is_in_graph_;
  work.longest_path = longest_path_;
  work.furthest_path = furthest_path_;
  work.chain = chain_;
  work.sum_of_paths = sum_of_paths_;
  work.hottest_turns = hot_lines_.most();
  work.local_bytes = std::max<std::uint64_t>(local_end_, tally_->spilled_bytes()) * launch_->shape().block.count();
  work.host_bytes = host_words_.bytes();
  last_time_ = time_of(work, *profile_);
  tally_->time.add(last_time_);
}

void Counters::add_path_of(BlockState& state) {
  if (!state.is_under_way) return;
  state.is_under_way = false;
  const WarpPath longest = state.time.longest_path();
  sum_of_paths_ += longest;
  ++blocks_ended_;
  longest_path_ = longer(longest_path_, longest);
  furthest_path_ = longer(furthest_path_, state.time.furthest());
  chain_ = longer(chain_, state.time.chain());
}

std::uint32_t Counters::resident_blocks() const {
  const std::uint32_t says = std::max(launch_->options().resident_blocks, 1u);
  return most_resident_ == 0 ? says : std::min(says, most_resident_);
}

/// What a block waits for until there is room for it: a block of average length for each that was in its place. Which
/// ones the machine put there says nothing: short ones in many places would pass for many in one.
WarpPath Counters::before_next_block() const {
  const std::uint64_t in_its_place = blocks_begun_ / resident_blocks();
  if (in_its_place == 0 || blocks_ended_ == 0) return {};
  const auto share = [&](std::int64_t sum) {
    return static_cast<std::int64_t>(static_cast<double>(sum) * static_cast<double>(in_its_place) /
                                     static_cast<double>(blocks_ended_));
  };
  const WarpPath& sum = sum_of_paths_;
  return {share(sum.clocks),   share(sum.shared_waits), share(sum.global_waits), share(sum.l1_waits),
          share(sum.l2_waits), share(sum.dram_waits),   share(sum.left_waits)};
}

void Counters::launch_ends(Launch& launch) {
  batches_.put();
  const double blocks = static_cast<double>(launch.shape().grid.count());
  memory_->end_launch(std::max(1.0, blocks / resident_blocks()));
  const TrafficCounts& now = memory_->counts();
  tally_->traffic.l2_read_sectors += now.l2_read_sectors - before_.l2_read_sectors;
  tally_->traffic.l2_write_sectors += now.l2_write_sectors - before_.l2_write_sectors;
  tally_->traffic.l2_hits += now.l2_hits - before_.l2_hits;
  tally_->traffic.dram_read_bytes += now.dram_read_bytes - before_.dram_read_bytes;
  tally_->traffic.dram_write_bytes += now.dram_write_bytes - before_.dram_write_bytes;
  tally_->traffic.left_sectors += now.left_sectors - before_.left_sectors;
  tally_->traffic.changed_sectors += now.changed_sectors - before_.changed_sectors;
  tally_->traffic.changed_again_sectors += now.changed_again_sectors - before_.changed_again_sectors;
  for (auto& [block, state] : blocks_) add_path_of(state);
  host_bytes_ += host_words_.bytes();
  tell_time();
  blocks_.clear();
  last_block_ = nullptr;
  launch_ = nullptr;
}

void Counters::block_begins(const Block& block) {
  BlockState& state = blocks_[&block];
  add_path_of(state);  // of the block that was here before
  state.is_under_way = true;
  state.shared.begin_block();
  clusters_.erase(block.known_cluster());  // of another one in its place
  const Extent3 at = block.index(), grid = launch_->shape().grid;
  const std::uint64_t linear = at.x + std::uint64_t{grid.x} * (at.y + std::uint64_t{grid.y} * at.z);
  state.number = static_cast<std::uint32_t>(linear);
  state.sm = static_cast<std::uint32_t>(linear % launch_->options().sm_count);
  Timeline* const timeline = !tally_->timeline.recorded && is_same(at, timeline_block_) ? &tally_->timeline : nullptr;
  if (timeline != nullptr) {
    timeline->recorded = true;
    timeline->block = at;
  }
  const std::vector<Warp>& warps = block.warps();
  state.time.begin(static_cast<std::uint32_t>(warps.size()), issues_per_clock_, before_next_block(),
                   warps.front().clock(), timeline);
  ++blocks_begun_;
}

void Counters::block_ends(const Block& block) {
  if (launch_->shape().cluster.count() == 1) clusters_.erase(block.known_cluster());
}

Counters::BlockState& Counters::state_of(const Block& block) {
  if (&block != last_block_) {
    last_state_ = &blocks_.at(&block);
    last_block_ = &block;
  }
  return *last_state_;
}

std::vector<KernelCounts> Counters::kernels() const {
  std::vector<KernelCounts> all;
  for (const std::unique_ptr<KernelTally>& tally : kernels_) all.push_back(tally->counts());
  return all;
}

// --- instructions ---

void Counters::run_ends(const Warp& warp, const Insn* first, const Insn* last) {
  const std::uint32_t begin = number_of(warp, first), end = number_of(warp, last);
  const int threads = warp.active == kAllLanes ? kLanes : __builtin_popcount(warp.active);
  tally_->add_run(begin, end, static_cast<std::uint32_t>(threads));
  state_of(*warp.block).time.run(warp, end - begin + 1, tally_->line_of(begin), tally_->stretch(begin, end));
}

void Counters::lanes_part(const Warp& warp, const Insn* branch) { tally_->add_divergence(number_of(warp, branch)); }

void Counters::warp_sleeps(const Warp& warp, std::uint32_t nanoseconds) {
  if (profile_ == nullptr) return;
  state_of(*warp.block).time.delay(warp, static_cast<std::int64_t>(nanoseconds * profile_->gigahertz()));
}

void Counters::clock_is_read(const Warp& warp, const Insn* at, std::uint64_t clock) {
  state_of(*warp.block).time.read_clock(warp, clock, since_segment(warp, number_of(warp, at)));
}

void Counters::barrier_reached(const Warp& warp, const Insn* at, Mask, std::uint32_t id, std::uint32_t) {
  const std::uint32_t number = number_of(warp, at);
  tally_->add_barrier(number);
  state_of(*warp.block)
      .time.arrive(warp, id, number, tally_->line_of(number), static_cast<std::uint64_t>(at - warp.segment) + 1,
                   since_segment(warp, number), tally_->waits_at_barrier(number));
}

void Counters::barrier_opens(const Block& block, std::uint32_t id, const std::vector<Mask>&) {
  for (const BlockTime::Wait& wait : state_of(block).time.open(id))
    if (wait.steps != 0) tally_->add_barrier_wait(wait.instruction, wait.steps);
}

void Counters::cluster_barrier_reached(const Warp& warp, const Insn* at, Mask, bool) {
  const std::uint32_t number = number_of(warp, at);
  tally_->add_barrier(number);
  const Progress here = state_of(*warp.block).time.progress(warp, since_segment(warp, number));
  Progress& furthest = clusters_[&warp.block->cluster()].arrive;
  furthest.own = longer(furthest.own, here.own);
  furthest.reached = longer(furthest.reached, here.reached);
  furthest.longest = longer(furthest.longest, here.longest);
}

void Counters::cluster_barrier_opens(const Cluster& cluster) {
  ClusterState& state = clusters_[&cluster];
  state.opened = std::exchange(state.arrive, {});
}

void Counters::cluster_barrier_passed(const Warp& warp, const Insn* at, Mask) {
  const Progress& opened = clusters_[&warp.block->cluster()].opened;
  state_of(*warp.block).time.follow(warp, opened, false, since_segment(warp, number_of(warp, at)));
}

/// Machine code for Hopper follows it with CCTL.IVALL, as it does loads and atomics that acquire (nvcc 13.0).
void Counters::fence(const Warp& warp, Mask, bool device_wide) {
  if (device_wide) memory_->forget_l1(state_of(*warp.block).sm);
}

Stretch Counters::since_segment(const Warp& warp, std::uint32_t instruction) const {
  return tally_->stretch(number_of(warp, warp.segment), instruction);
}

// --- accesses ---

void Counters::copy_arrives(const MemoryAccess& store, const Code&, const Insn* awaited_at) {
  if (awaited_at == nullptr) return;
  const Warp& warp = *store.warp;
  state_of(*warp.block).time.wait_for_copy(warp, store.copy, since_segment(warp, number_of(warp, awaited_at)));
}

Mask Counters::access(const MemoryAccess& access) {
  if (access.space == ptx::Space::kGlobal) host_words_.access(access);
  const Site& site = site_of(access.insn, *access.warp->frame->code);
  const AccessRoute& route = *site.route;
  if (route.tallies == nullptr) {
    tell_or_look(access, site);
    return access.lanes;
  }
  if (route.is_bulk_copy && access.space == ptx::Space::kShared) {
    bulk_copy_arrives(access, site);
    return access.lanes;
  }
  AccessTally& tally = route.tallies[KernelTally::space_index(access.space)];
  tally.kind = access.kind;
  if (access.copy != 0) {
    state_of(*access.warp->block)
        .time.copy_begins(*access.warp, access.copy, copy_found_, since_segment(*access.warp, site.number));
    copy_found_ = MemoryLevel::kL1;
  }
  if (route.is_constant)
    count_constants(access, tally, site.number);
  else if (is_combined(access, route.turns))
    count_combined(access, route, tally, site.number);
  else if (access.space == ptx::Space::kShared)
    count_shared(access, route, tally, site.number);
  else if (access.space == ptx::Space::kGlobal)
    count_global(access, route, tally, site.number);
  else
    count_local(access, tally, site.number);
  if (access.kind != AccessKind::kAtomic) tell_or_look(access, site);
  return access.lanes;
}

/// A bulk copy's side in shared memory, and its mbarrier, are the copying unit's own: it writes what it was asked for
/// when that has come, and who has asked finds it no sooner than others.
void Counters::bulk_copy_arrives(const MemoryAccess& access, const Site& site) {
  if (access.kind != AccessKind::kLoad && access.home == nullptr && tally_->looks_in(access.space))
    tell_others(access, access.lanes, site.number, wait_at(copy_found_), SharedAnnouncements::kCopies);
  const bool is_all = access.kind == AccessKind::kAtomic;
  if (is_all) copy_found_ = MemoryLevel::kL1;
}

/// Loads, stores, and what is done to an mbarrier; of atomics it is not known yet what they do.
void Counters::tell_or_look(const MemoryAccess& access, const Site& site) {
  if ((access.space != ptx::Space::kGlobal && access.space != ptx::Space::kShared) || access.home != nullptr) return;
  if (site.route->announces && access.kind != AccessKind::kLoad && tally_->looks_in(access.space))
    tell_others(access, access.lanes, site.number, {}, access.warp->index);
  else if (site.route->looks && access.kind != AccessKind::kStore)
    look_for_others(access, access.lanes, way_of(access.space), site.number);
}

const Counters::Site& Counters::site_of(const Insn* insn, const Code& code) {
  Site& site = sites_[(reinterpret_cast<std::uintptr_t>(insn) / sizeof(Insn)) % sites_.size()];
  if (site.insn != insn) {
    const std::uint32_t number = code.first_number + insn->index;
    site = {insn, &tally_->route(number), number};
  }
  return site;
}

void Counters::reads_were_noted(const Block& block, const NotedReads& reads) {
  const auto tally_of = [&](const Site& site) {
    return site.route->tallies == nullptr ? nullptr
                                          : site.route->tallies + KernelTally::space_index(ptx::Space::kShared);
  };
  const auto count_row = [&](const NotedReads::RowRead& read) {
    const Site& site = site_of(read.insn, *read.code);
    if (tally_of(site) == nullptr) return;
    AccessTally& tally = *tally_of(site);
    if (read.bytes == 4) {
      const std::uint32_t wavefronts = halves_agree(read.first, read.second, read.contiguous, read.uniform) ? 1 : 2;
      if (badness({wavefronts, 1}) <= tally.worst) {
        ++tally.requests;
        ++tally.ideal;
        tally.units += wavefronts;
        return;
      }
    }
    std::uint32_t addresses[kLanes];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t half = lane / (kLanes / 2), begin = half == 0 ? read.first : read.second;
      addresses[lane] = begin + ((read.contiguous >> half & 1) != 0 ? lane % (kLanes / 2) * read.bytes : 0);
    }
    MemoryAccess access{};
    access.warp = &block.warps()[read.warp];
    access.insn = read.insn;
    access.space = ptx::Space::kShared;
    access.kind = AccessKind::kLoad;
    access.bytes = read.bytes;
    access.lanes = kAllLanes;
    access.narrow = addresses;
    access.contiguous = read.contiguous;
    access.uniform = read.uniform;
    count_shared(access, *site.route, tally, site.number);
  };
  reads.each_row(count_row, [&](const ReadBatch& batch, const std::uint32_t* begins, const auto& count_all) {
    if (batches_.count(batch, begins)) return;
    count_all();
    batches_.settle(batch, begins,
                    [&](const ReadBatch::Read& read) { return tally_of(site_of(read.insn, *batch.code)); });
  });
}

void Counters::count_combined(const MemoryAccess& access, const AccessRoute& route, AccessTally& tally,
                              std::uint32_t instruction) {
  const MemoryAccess executed = of_first_lane(access);
  if (access.space == ptx::Space::kShared)
    count_shared(executed, route, tally, instruction);
  else
    count_global(executed, route, tally, instruction);
}

/// One address at a time: lanes that want others wait for requests of their own (CUDA C++ Programming Guide, "Constant
/// Memory"). The first is what a warp instruction costs anyway, if the cache holds it.
void Counters::count_constants(const MemoryAccess& access, AccessTally& tally, std::uint32_t instruction) {
  BlockState& block = state_of(*access.warp->block);
  const std::uint8_t wait = tally_->wait_of(instruction);
  MemoryLevel found = MemoryLevel::kL1;
  if (constants_.size() <= block.sm) constants_.resize(block.sm + 1);
  const bool is_one = access.lowest == access.highest;
  const std::uint32_t further = is_one ? 0 : different_addresses(access) - 1;
  std::uint32_t missed = 0;
  for (Mask rest = access.lanes; rest != 0; rest = is_one ? 0 : rest & (rest - 1))
    missed += constants_[block.sm].read(access.address(__builtin_ctz(rest))) ? 0 : 1;
  if (further != 0 || missed != 0) {
    tally.requests += std::max(further, missed);
    tally.units += std::max(further, missed);
    for (const TouchedLine& touched : Footprint(access))
      found = std::max(found, memory_->load(block.sm, touched.line, touched.sectors(), false));
    tally.lines += further * ConstantCache::kClocksOfTurn + missed * ConstantCache::kClocksOfMiss;
    if (wait != PathStep::kNone)
      block.time.delay(*access.warp, further * ConstantCache::kWaitForTurn + missed * ConstantCache::kWaitForMiss);
  }
  if (wait != PathStep::kNone) block.time.read(*access.warp, wait, found);
}

void Counters::count_shared(const MemoryAccess& access, const AccessRoute& route, AccessTally& tally,
                            std::uint32_t instruction) {
  BankUse use{};
  if (access.home != nullptr) tally_->add_remote(std::uint64_t{kSectorBytes} * Footprint(access).sectors());
  if (access.kind == AccessKind::kAtomic) {
    use = {atomic_depth(access), 1};
    tally.units += atomic_wavefronts(access, route.turns);
    tally.ideal += route.turns == AtomicTurns::kTwiceEachLane ? 2 : 1;
    tally.depth += use.wavefronts;
    tally.max_depth = std::max(tally.max_depth, use.wavefronts);
  } else {
    use = route.is_of_rows ? bank_use_of_rows(access) : bank_use(access);
    tally.units += use.wavefronts;
    tally.ideal += use.ideal;
  }
  ++tally.requests;
  const std::int32_t bad = badness(use);
  if (bad <= tally.worst) return;
  AccessPattern pattern = pattern_of(access);
  pattern.wavefronts = use.wavefronts;
  pattern.ideal_wavefronts = use.ideal;
  tally_->keep_pattern(tally, bad, instruction, std::move(pattern));
}

void Counters::count_global(const MemoryAccess& access, const AccessRoute& route, AccessTally& tally,
                            std::uint32_t instruction) {
  BlockState& block = state_of(*access.warp->block);
  if (route.is_bulk_copy) return count_bulk_copy(access, block, tally);
  const Footprint footprint(access);
  MemoryLevel found = access.kind == AccessKind::kAtomic ? MemoryLevel::kL2 : MemoryLevel::kL1;
  for (const TouchedLine& touched : footprint) {
    if (access.kind == AccessKind::kLoad)
      found = std::max(found, memory_->load(block.sm, touched.line, touched.sectors(), route.past_l1));
    else if (access.kind == AccessKind::kStore)
      memory_->store({block.number, access.warp->index}, touched.line, touched.bytes_touched);
    else
      found = std::max(found, memory_->atomic(touched.line, touched.sectors()));
  }
  if (route.acquires) memory_->forget_l1(block.sm);
  block.time.read(*access.warp, tally_->wait_of(instruction), found);
  if (route.is_copy) copy_found_ = std::max(copy_found_, found);
  ++tally.requests;
  if (access.kind != AccessKind::kAtomic)
    tally.lines += static_cast<std::uint64_t>(footprint.end() - footprint.begin());
  if (route.by_other_unit) {
    tally.units += footprint.sectors();
    return;
  }
  const Contention contention = access.kind == AccessKind::kAtomic ? contention_of(access, &hot_lines_) : Contention{};
  const std::uint32_t turns = contention.depth;
  const std::uint32_t sectors = turns != 0 ? contention.sectors : footprint.sectors();
  tally.units += sectors;
  tally.ideal += footprint.ideal_sectors();
  tally.depth += turns;
  tally.max_depth = std::max(tally.max_depth, turns);
  const std::int32_t bad = badness(turns != 0 ? BankUse{turns, 1} : BankUse{sectors, footprint.ideal_sectors()});
  if (bad <= tally.worst) return;
  AccessPattern pattern = pattern_of(access);
  pattern.sectors = sectors;
  pattern.ideal_sectors = footprint.ideal_sectors();
  pattern.wavefronts = turns;
  pattern.ideal_wavefronts = turns != 0 ? 1 : 0;
  tally_->keep_pattern(tally, bad, instruction, std::move(pattern));
}

/// What a warp finds that another one has written for it, it finds no earlier than that one has written it.
void Counters::look_for_others(const MemoryAccess& access, Mask lanes, const WarpPath& takes,
                               std::uint32_t instruction) {
  const Warp& warp = *access.warp;
  BlockState& block = state_of(*warp.block);
  const bool is_shared = access.space == ptx::Space::kShared;
  if (is_shared ? block.shared.empty() : announcements_.empty()) return;
  const Stretch more = since_segment(warp, instruction);
  if (is_shared) {
    SharedAnnouncements::Word last;
    each_word(access, lanes, [&](std::uint64_t at) {
      if (const auto* const found = block.shared.at(at, warp.index)) last.be_no_earlier_than(*found);
    });
    if (last.warp == SharedAnnouncements::kNobody) return;
    last.own += takes.length(), last.reached += takes.length();
    return block.time.follow(warp, last, more);
  }
  const Announcement *own = nullptr, *other = nullptr;
  each_word(access, lanes, [&](std::uint64_t at) {
    const Announcement* const found = announcements_.at(at);
    if (found == nullptr) return;
    const Announcement*& last = found->block == block.number ? own : other;
    if (last == nullptr || last->by.reached.length() < found->by.reached.length()) last = found;
  });
  for (const Announcement* const last : {own, other}) {
    if (last == nullptr) continue;
    const Progress& by = last->by;
    block.time.follow(warp, {by.own + takes, by.reached + takes, by.longest}, last == own, more);
  }
}

void Counters::tell_others(const MemoryAccess& access, Mask lanes, std::uint32_t instruction, const WarpPath& takes,
                           std::uint32_t writer) {
  const Warp& warp = *access.warp;
  BlockState& block = state_of(*warp.block);
  Progress progress = block.time.progress(warp, since_segment(warp, instruction));
  progress.own += takes, progress.reached += takes;
  constexpr std::uint32_t kWord = 4;
  const bool adds = access.kind == AccessKind::kAtomic || access.bytes < kWord;  // the rest of the word stays
  if (access.space == ptx::Space::kShared) {
    const SharedAnnouncements::Word news{progress.own.length(), progress.reached.length(), writer};
    each_word(access, lanes, [&](std::uint64_t at) { block.shared.tell(at, news, adds); });
  } else {
    each_word(access, lanes, [&](std::uint64_t at) { announcements_.tell(at, {progress, block.number}, adds); });
  }
}

/// Who changes what is there does so when its turn comes, and has not to look again and again.
void Counters::atomic_took_place(const MemoryAccess& access, Mask changed) {
  if (!tally_->looks_in(access.space)) return;
  const Site& site = site_of(access.insn, *access.warp->frame->code);
  if (site.route->tallies == nullptr) return;
  if (site.route->looks) {
    const Mask served = site.route->swaps ? 0 : changed, looking = access.lanes & ~served;
    if (looking != 0) look_for_others(access, looking, way_of(access.space), site.number);
    if (served != 0) look_for_others(access, served, {}, site.number);
  }
  if (changed != 0) tell_others(access, changed, site.number, {}, access.warp->index);
}

/// A run with its first piece, so that pieces of one sector are one sector. It is as many requests as load instructions
/// of a warp would be.
void Counters::count_bulk_copy(const MemoryAccess& access, const BlockState& block, AccessTally& tally) {
  if (access.run == 0) return;
  constexpr std::uint32_t kMostBytesOfRequest = kLanes * 16;
  const bool loads = access.kind == AccessKind::kLoad;
  const std::uint64_t begin = access.lowest;
  const std::uint32_t bytes = access.run;
  tally.requests += (bytes + kMostBytesOfRequest - 1) / kMostBytesOfRequest;
  tally.units += (begin + bytes - 1) / kSectorBytes - begin / kSectorBytes + 1;
  for (std::uint64_t line = begin / kLineBytes; line * kLineBytes < begin + bytes; ++line) {
    TouchedLine touched{line, {}};
    for (std::uint32_t sector = 0; sector < kLineBytes / kSectorBytes; ++sector) {
      const std::uint64_t at = line * kLineBytes + sector * kSectorBytes;
      for (std::uint32_t n = 0; n < kSectorBytes; ++n)
        touched.bytes_touched[sector] |= std::uint32_t{at + n >= begin && at + n < begin + bytes} << n;
    }
    if (loads)
      copy_found_ = std::max(copy_found_, memory_->load(block.sm, line, touched.sectors(), true));
    else
      memory_->store({block.number, access.warp->index}, line, touched.bytes_touched);
  }
}

void Counters::count_local(const MemoryAccess& access, AccessTally& tally, std::uint32_t instruction) {
  constexpr std::uint32_t kWordBytes = 4;
  state_of(*access.warp->block).time.read(*access.warp, tally_->wait_of(instruction), MemoryLevel::kL1);
  local_end_ = std::max(local_end_, access.highest + access.bytes);
  const std::uint32_t sectors = local_sectors(access);
  const auto lanes = static_cast<std::uint32_t>(__builtin_popcount(access.lanes));
  const std::uint32_t ideal = (lanes * std::max(access.bytes, kWordBytes) + kSectorBytes - 1) / kSectorBytes;
  tally.requests += (access.bytes + kWordBytes - 1) / kWordBytes;  // a word of each lane at a time
  tally.units += sectors;
  tally.ideal += ideal;
  const std::int32_t bad = badness({sectors, ideal});
  if (bad <= tally.worst) return;
  AccessPattern pattern = pattern_of(access);
  pattern.sectors = sectors;
  pattern.ideal_sectors = ideal;
  tally_->keep_pattern(tally, bad, instruction, std::move(pattern));
}

AccessPattern Counters::pattern_of(const MemoryAccess& access) const {
  AccessPattern pattern;
  pattern.space = access.space;
  pattern.kind = access.kind;
  pattern.bytes = access.bytes;
  pattern.block = access.warp->block->index();
  pattern.warp = access.warp->index;
  pattern.lanes = access.lanes;
  for (int lane = 0; lane < kLanes; ++lane) pattern.addresses[lane] = access.address(lane);
  if (access.space == ptx::Space::kLocal) return pattern;
  const NamedElement first =
      element_at(*launch_, access.space, access.address(__builtin_ctz(access.lanes)), access.bytes);
  pattern.array = first.array;
  pattern.first_index = first.index;
  return pattern;
}

}  // namespace vgpu
