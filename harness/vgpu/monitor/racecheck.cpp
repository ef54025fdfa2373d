#include "harness/vgpu/monitor/racecheck.h"

#include <algorithm>
#include <optional>

#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/monitor/array_names.h"
#include "harness/vgpu/monitor/value_origin.h"
#include "harness/vgpu/monitor/warp_synchronous.h"

namespace vgpu {
namespace {

/// Shadow of global memory beyond this is not kept from launch to launch: what it shadows may be gone.
constexpr std::uint64_t kMostBytesKept = std::uint64_t{64} << 20;

std::uint32_t linear_index(const Block& block) {
  const Extent3 at = block.index(), grid = block.launch().shape().grid;
  return static_cast<std::uint32_t>(at.x + std::uint64_t{grid.x} * (at.y + std::uint64_t{grid.y} * at.z)) %
         AccessRecord::kBlocks;
}

/// Loops around compare-and-swap begin with a plain read of the same address, as the CUDA C++ Programming Guide's
/// atomicAdd() for doubles does. What it gives is a guess that the swap will verify, by comparing with it.
bool is_guess_for_swap(const ptx::Function& function, const ptx::Instruction& load) {
  const std::optional<Place> read = place_accessed(function, load);
  return read && std::any_of(function.body.begin(), function.body.end(), [&](const ptx::Instruction& instruction) {
           return instruction.opcode == "atom" && ptx::has_modifier(instruction, "cas") &&
                  !is_result_unused(function, instruction) &&  // somebody learns whether the guess was right
                  place_accessed(function, instruction) == read && instruction.operands.size() > 2 &&
                  comes_from(function, instruction.operands[2], load);
         });
}

}  // namespace

// --- what begins and ends ---

void Racecheck::launch_begins(const Launch& launch) {
  launch_ = &launch;
  kernel_name_ = launch.kernel().readable_name();
  has_clusters_ = launch.shape().cluster.count() > 1;
  clusters_.clear();
  time_ = 0;
  watching_ = true;
  missed_some_ = false;
  blocks_.clear();
  last_block_ = nullptr;
  if (!table_.begin_launch() || global_.is_tight() || global_.bytes() > kMostBytesKept) global_.clear();
  published_.clear();
  sights_ = 0;
  writers_.clear();
  joined_writes_ = {};
  find_words(launch);
  reads_told_.clear();
  heard_ = 0;
  readers_.clear();
  sites_.clear();
  known_sites_.fill(nullptr);
  sites_of_.clear();
  reported_.clear();
}

void Racecheck::launch_ends(Launch&) {
  add_notes();
  for (const auto& [sites, race] : reported_)
    if (race.again != 0) findings_.is_new(race.kind, race.file, race.line, race.array, race.again);
  note_unchecked();
  launch_ = nullptr;
}

/// Only a program that means to, or one far too long, gets there.
void Racecheck::report_unchecked(const std::string& sentence) {
  if (!findings_.is_new("not all checked", "", 0, kernel_name_, 1)) return;
  Finding finding;
  finding.tool = "racecheck";
  finding.kind = "not all checked";
  finding.kernel = kernel_name_;
  finding.array = kernel_name_;
  finding.sentence = sentence;
  finding.advice = "Use fewer barriers in a launch.";
  findings_.add(std::move(finding));
}

void Racecheck::note_unchecked() {
  const std::string start = "racecheck did not see all of " + kernel_name_ + ": ";
  std::string sentence = start;
  if (missed_some_) {
    sentence += "it has more different accesses, or more barriers, than can be numbered";
    report_unchecked(sentence);
  } else if (global_.has_forgotten())
    sentence +=
        "it accesses single bytes of more memory than can be remembered, out of order or repeatedly: races between "
        "accesses far apart in time may be missed. LANEWISE_VGPU_RACE_MEMORY (lanewise run --race-memory) raises the "
        "limit";
  else if (heard_ >= kMostHeard)
    sentence +=
        "its blocks tell each other more often of what they have read than can be followed: races between a read and a "
        "later write by another block may be missed";
  else
    return;
  const auto is_known = [&](const std::string& known) { return known.compare(0, start.size(), start) == 0; };
  if (std::none_of(unchecked_.begin(), unchecked_.end(), is_known)) unchecked_.push_back(std::move(sentence));
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
  state.first = table_.next();
  state.published.each([&](const Published& published) {
    if (sights_ != kMostSights) sights_ -= published.seen_by.size();
  });
  state.published.clear();
  if (state.copies_under_way != 0) state.settled = nullptr;
  state.copies_under_way = 0;
  state.bulk_targets.clear();
  state.gone_on.clear();
  state.visits.clear();
  clusters_.erase(block.known_cluster());  // of another one in its place
  if (!has_clusters_) return all_threads_met(block, state);
  state.floor = state.first;
  state.writers.clear();
  is_about_to_write(block, state);
}

Racecheck::BlockState& Racecheck::state_of(const Block& block) {
  if (&block != last_block_) {
    last_state_ = &blocks_.at(&block);
    last_block_ = &block;
  }
  return *last_state_;
}

Racecheck::BlockState& Racecheck::home_of(const MemoryAccess& access, BlockState& block) {
  return access.home == nullptr ? block : state_of(*access.home);
}

// --- what orders ---

/// Who arrives without waiting learns nothing from those that the barrier waits for.
void Racecheck::barrier_reached(const Warp& warp, const Insn* at, Mask, std::uint32_t id, std::uint32_t threads) {
  if (threads == 0 || !ptx::has_modifier(instruction_of(*warp.frame->code, *at), "arrive")) return;
  BlockState& state = state_of(*warp.block);
  warp.block->show_noted_reads();
  state.gone_on[id].insert_or_assign(warp.index, state.warps[warp.index].arrive());
}

void Racecheck::barrier_opens(const Block& block, std::uint32_t id, const std::vector<Mask>& arrived) {
  BlockState& state = state_of(block);
  std::map<std::uint32_t, WarpClock::Arrival> gone_on;
  if (const auto found = state.gone_on.find(id); found != state.gone_on.end()) gone_on.swap(found->second);
  meeting_.clear();
  for (std::size_t w = 0; w < arrived.size(); ++w) {
    if (gone_on.count(static_cast<std::uint32_t>(w)) != 0) continue;
    if (arrived[w] != 0 || (block.warps()[w].ended() && block.is_for_all(id))) meeting_.push_back(&state.warps[w]);
  }
  const bool all_met = meeting_.size() == state.warps.size();
  if (!all_met) block.show_noted_reads();
  std::vector<WarpClock::Arrival> arrivals;
  arrivals.reserve(gone_on.size());
  for (auto& [warp, arrival] : gone_on) arrivals.push_back(std::move(arrival));
  WarpClock::barrier_opens(meeting_, arrivals);
  if (all_met) all_threads_met(block, state);
}

/// What threads of the block did so far is over for all of them. Other blocks of a cluster may have been in its shared
/// memory, too: there, everything is looked at one by one.
void Racecheck::all_threads_met(const Block& block, BlockState& state) {
  if (has_clusters_) return;
  noted_reads_are_over_ = true;
  block.show_noted_reads();
  noted_reads_are_over_ = false;
  state.floor = table_.next();
  state.writers.clear();
  state.unwritten = true;
  block.noted_reads().resume();
}

void Racecheck::lanes_meet(const Warp& warp, Mask lanes) {
  BlockState& state = state_of(*warp.block);
  WarpClock& clock = state.warps[warp.index];
  const Mask living = warp.lanes & ~warp.exited;
  const bool all_meet = state.warps.size() == 1 && (living & ~lanes) == 0;
  if (!all_meet) warp.block->show_noted_reads();
  clock.lanes_meet(lanes, living);
  if (all_meet) all_threads_met(*warp.block, state);
}

void Racecheck::fence(const Warp& warp, Mask lanes, bool device_wide) {
  BlockState& state = state_of(*warp.block);
  warp.block->show_noted_reads();
  state.warps[warp.index].fence(lanes, state.number, device_wide, ++time_);
}

/// Programs launch a kernel again and again, and its code does not change.
template <class Find>
bool Racecheck::fact_of(const MemoryAccess& access, const Code& code, int which, const Find& find) {
  constexpr int kAnswers = 4;  // bits below these say whether there is one
  const std::size_t number = code.first_number + access.insn->index;
  std::vector<std::uint8_t>& all = facts_->of_instruction;
  if (number >= all.size()) all.resize(number + 1);
  if ((all[number] >> which & 1) == 0)
    all[number] |= static_cast<std::uint8_t>((find() ? 1 << kAnswers | 1 : 1) << which);
  return (all[number] >> which >> kAnswers & 1) != 0;
}

Racecheck::Site& Racecheck::site_of(const MemoryAccess& access, const Code* code) {
  Site*& recent = known_sites_[(reinterpret_cast<std::uintptr_t>(access.insn) / sizeof(Insn)) % known_sites_.size()];
  if (recent != nullptr && recent->insn == access.insn) return *recent;
  Site*& known = sites_of_[access.insn];
  if (known != nullptr) return *(recent = known);

  // A kernel with more places than a record can name shares the last number among the rest.
  const auto number = static_cast<std::uint32_t>(std::min<std::size_t>(sites_.size(), AccessRecord::kSites - 1));
  Site& site = sites_.emplace_back();
  recent = known = &site;
  site.insn = access.insn;
  site.code = code;
  site.number = number;
  const ptx::Instruction& instruction = instruction_of(*site.code, *access.insn);
  const auto has = [&](std::string_view name) { return ptx::has_modifier(instruction, name); };
  const bool is_mbarrier = instruction.opcode == "mbarrier";
  const ptx::Function& function = *site.code->function;
  enum Fact { kIsGuess, kIsUnused, kWaits };
  const bool is_guess = access.kind == AccessKind::kLoad &&
                        fact_of(access, *code, kIsGuess, [&] { return is_guess_for_swap(function, instruction); });
  site.strong = access.kind == AccessKind::kAtomic || is_mbarrier || is_guess || has("volatile") || has("relaxed") ||
                has("acquire") || has("release") || has("mmio");
  // Only who looks at an answer learns from it.
  site.asks_mbarrier = is_mbarrier && (has("test_wait") || has("try_wait"));
  const bool has_answer = access.kind == AccessKind::kLoad ||
                          (access.kind == AccessKind::kAtomic && !is_mbarrier &&
                           !fact_of(access, *code, kIsUnused, [&] { return is_result_unused(function, instruction); }));
  site.acquires = site.asks_mbarrier || (site.strong && !is_mbarrier && !is_guess && has_answer);
  site.releases = has("release") || has("acq_rel") || is_mbarrier;
  site.device_wide = !has("cta") && (has_clusters_ || access.space == ptx::Space::kGlobal);
  site.is_store = instruction.opcode == "st" && access.bytes <= kPiece;
  site.is_volatile = (instruction.opcode == "ld" || instruction.opcode == "st") && has("volatile");
  site.waits = site.is_volatile && access.kind == AccessKind::kLoad &&
               fact_of(access, *code, kWaits, [&] { return waits_for(function, instruction); });
  site.bytes = access.bytes;
  site.is_bulk_copy = instruction.opcode == "cp" && has("bulk");
  site.tells_of_reads = !words_.empty() && site.device_wide && words_.count(&instruction) != 0;
  return site;
}

void Racecheck::acquire(const MemoryAccess& access, const Site& site, BlockState& block, WarpClock& clock) {
  if (site.device_wide && access.space == ptx::Space::kGlobal) hear_of_reads(access, clock);
  PublishedAt& all = access.space == ptx::Space::kShared ? home_of(access, block).published : published_;
  if (all.empty()) return;
  for (Mask rest = access.lanes; rest != 0;) {
    const std::uint64_t location = location_of(access.address(__builtin_ctz(rest)));
    Mask learners = 0;  // neighbours that look at one location
    do {
      learners |= rest & -rest;
      rest &= rest - 1;
    } while (rest != 0 && location_of(access.address(__builtin_ctz(rest))) == location);
    Published* const found = all.find(location);
    if (found == nullptr) continue;
    Published& published = *found;
    note_sight(published, {block.number, access.warp->index, clock.now(), learners});
    if (published.block == block.number && published.within_block) clock.learn(learners, *published.within_block);
    if (site.device_wide) clock.learn(learners, block.number, published.grid, published.grid_time);
    std::uint32_t& seen = block.seen[access.warp->index];
    seen = std::max(seen, published.time);
  }
}

/// A lane that has looked before keeps its first look: what it did since came after that one, too.
void Racecheck::note_sight(Published& published, const WarpMoment& moment) {
  if (sights_ == kMostSights) return;
  auto& seen_by = published.seen_by;
  const auto earlier = [](const WarpMoment& a, const WarpMoment& b) { return a.is_of_earlier_warp(b); };
  WarpMoment fresh = moment;
  WarpMoment* at = std::lower_bound(seen_by.begin(), seen_by.end(), moment, earlier);
  for (; at != seen_by.end() && at->is_of_warp(moment); ++at) fresh.lanes &= ~at->lanes;
  if (fresh.lanes == 0) return;
  seen_by.insert(at, fresh);
  ++sights_;
}

/// The location changes: only what changes it, if that looked before, has seen all that happened there, from now on.
void Racecheck::forget_sights(Published& published, const WarpMoment& writer) {
  auto& seen_by = published.seen_by;
  WarpMoment own = writer;
  own.lanes = 0;
  for (const WarpMoment& sight : seen_by)
    if (sight.is_of_warp(writer)) own.lanes |= sight.lanes;
  const std::size_t before = seen_by.size();
  seen_by.clear();
  if (own.lanes != 0) seen_by.push_back(own);
  if (sights_ != kMostSights) sights_ -= before - seen_by.size();
}

void Racecheck::publish(const MemoryAccess& access, const Site& site, BlockState& block, WarpClock& clock) {
  tell_of_reads(access, site, block, clock);
  if (site.releases) clock.fence(access.lanes, block.number, site.device_wide, ++time_);
  if (!has_acquirer_) {
    time_ += clock.fenced().block ? 1 : 0;
    return;
  }
  PublishedAt& all = access.space == ptx::Space::kShared ? home_of(access, block).published : published_;
  const auto writer_of = [&](int lane) {
    return WarpMoment{block.number, access.warp->index, clock.now(), Mask{1} << lane};
  };
  if (!clock.fenced().block) {
    for (Mask rest = all.empty() ? 0 : access.lanes; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      Published* const found = all.find(location_of(access.address(lane)));
      if (found != nullptr) forget_sights(*found, writer_of(lane));
    }
    return;
  }
  ++time_;
  if (site.acquires) block.seen[access.warp->index] = time_;  // what was there before has been seen by the same access
  bool is_shared_by_lanes = false;
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    Published& published = all[location_of(access.address(lane))];
    const WarpClock::Fenced& fenced = clock.fenced(Mask{1} << lane);
    is_shared_by_lanes |= published.time == time_;
    forget_sights(published, writer_of(lane));
    if (site.acquires) note_sight(published, writer_of(lane));
    if (published.block != block.number || !published.within_block) {
      published.block = block.number;
      published.within_block = fenced.block;
    } else if (published.within_block != fenced.block) {
      auto joined = std::make_shared<BlockProgress>(*published.within_block);
      join(*joined, *fenced.block);
      published.within_block = std::move(joined);
    }
    if (site.device_wide && fenced.time != 0) {
      published.grid.join(fenced.grid);
      published.grid_time = std::max(published.grid_time, fenced.time);
    }
    published.time = time_;
  }
  // Lanes come one after the other, in an order that is not known here: any of them may be the last.
  if (is_shared_by_lanes && site.acquires) acquire(access, site, block, clock);
}

// --- what must be ordered ---

Mask Racecheck::access(const MemoryAccess& access) {
  const bool is_shared = access.space == ptx::Space::kShared;
  if ((!is_shared && access.space != ptx::Space::kGlobal) || !access.aligned) return access.lanes;
  BlockState& block = state_of(*access.warp->block);
  if (!can_look_at(block.warps[access.warp->index])) return access.lanes;
  Site& site = site_of(access, access.warp->frame->code);

  // Noted reads are looked at before anything happens that could race with one of them, and before a warp of the block
  // gets to know more than it knew when they took place: so the outcome is as if it had been at once.
  const Block& of = *access.warp->block;
  NotedReads& noted = of.noted_reads();
  const bool is_load = access.kind == AccessKind::kLoad;
  BlockState& home = home_of(access, block);
  const Mask at_targets = is_shared && home.copies_under_way != 0 ? lanes_at_targets(access, home) : 0;
  if (is_shared && is_load && block.unwritten && !site.strong && at_targets == 0) {
    if (noted.is_full()) of.show_noted_reads();
    noted.note_shown(access);
    return access.lanes;
  }
  if (is_shared && !is_load)
    is_about_to_write(of, block);
  else if (is_shared || site.strong)
    of.show_noted_reads();
  if (at_targets != 0) {
    report_copies(access, site, block, at_targets);
    MemoryAccess others = access;
    others.lanes &= ~at_targets;
    others.contiguous = others.uniform = 0;
    if (others.lanes != 0) look_at(others, site, block);
  } else {
    look_at(access, site, block);
  }
  if (access.copy != 0) copy_begins(access, block);
  if (is_shared && site.is_bulk_copy) bulk_copy(access, home);
  if (is_shared && site.asks_mbarrier && !home.bulk_targets.empty()) await_bulk_copies(access, home);
  return access.lanes;
}

/// All of shared memory, as long as nobody has written there since the block's last barrier; but for the targets of
/// copies, and what is far from the access, if there are any.
QuietRange Racecheck::quiet_range(const MemoryAccess& access) {
  const Warp& warp = *access.warp;
  const BlockState& block = state_of(*warp.block);
  if (!block.unwritten) return {};
  if (block.copies_under_way == 0) return {0, ~std::uint32_t{0}};
  const std::uint64_t low = warp.shared_low, high = low + warp.shared_span, end = access.highest + access.bytes;
  if (access.lowest < low || end > high || !block.settled->all(access.lowest, end)) return {};
  const auto [from, to] = block.settled->around(access.lowest, end, low, high);
  return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)};
}

/// Reads since the last barrier are looked at now, and one by one up to the next.
void Racecheck::is_about_to_write(const Block& block, BlockState& state) {
  block.show_noted_reads();
  state.unwritten = false;
  block.noted_reads().suspend();
}

// --- asynchronous copies ---

/// Lanes whose access touches bytes that a copy is on its way to.
Mask Racecheck::lanes_at_targets(const MemoryAccess& access, const BlockState& block) {
  const Warp& warp = *access.warp;
  const std::uint64_t low = warp.shared_low, high = low + warp.shared_span;
  const auto is_settled = [&](std::uint64_t begin, std::uint64_t end) {
    return begin < low || end > high || block.settled->all(begin, end);  // what lies outside is memcheck's business
  };
  if (is_settled(access.lowest, access.highest + access.bytes) && access.lowest >= low &&
      access.highest + access.bytes <= high)
    return 0;
  Mask lanes = 0;
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (!is_settled(access.address(lane), access.address(lane) + access.bytes)) lanes |= Mask{1} << lane;
  }
  return lanes;
}

/// A copy that was looked at as a write when it began may take place from then on.
void Racecheck::copy_begins(const MemoryAccess& store, BlockState& block) {
  const Warp& warp = *store.warp;
  const std::uint64_t low = warp.shared_low, high = low + warp.shared_span;
  if (block.settled == nullptr) {
    block.settled = std::make_unique<WrittenBytes>(high);
    block.settled->set(0, high);
  }
  for (Mask rest = store.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = store.address(__builtin_ctz(rest));
    if (address >= low && address + store.bytes <= high) block.settled->clear(address, address + store.bytes);
  }
  block.copies_under_way += static_cast<std::uint32_t>(__builtin_popcount(store.lanes));
}

/// From here on it is a write that has just taken place. What it could race with has been reported already.
void Racecheck::copy_arrives(const MemoryAccess& store, const Code& code, const Insn*) {
  BlockState& block = state_of(*store.warp->block);
  WarpClock& clock = block.warps[store.warp->index];
  if (block.settled == nullptr) return;
  for (Mask rest = store.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = store.address(__builtin_ctz(rest));
    block.settled->set(address, address + store.bytes);
  }
  block.copies_under_way -=
      std::min(block.copies_under_way, static_cast<std::uint32_t>(__builtin_popcount(store.lanes)));
  if (!can_look_at(clock)) return;
  is_about_to_write(*store.warp->block, block);
  if (table_.is_full()) make_room();
  const AccessTag tag = tag_of(store, site_of(store, &code), block, clock);
  AccessShadow::View view;
  for (Mask rest = store.lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::uint64_t address = store.address(lane);
    if (!view.holds(address)) view = block.shared.view(address, store.bytes, false);
    const std::uint32_t first = view.cell(address);
    for (std::uint32_t cell = first; cell < first + view.count(store.bytes); ++cell) {
      // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): an empty view holds no address
      view.writes[cell] = tag | AccessRecord::set_of_lanes(lane, lane);
      if (view.reads[cell] != 0) view.reads[cell] = 0;
    }
  }
}

/// A piece of a bulk copy into shared memory, or that it tells its mbarrier.
void Racecheck::bulk_copy(const MemoryAccess& access, BlockState& block) {
  std::vector<BulkTarget>& targets = block.bulk_targets;
  const int lane = __builtin_ctz(access.lanes);
  const std::uint64_t address = access.address(lane);
  if (access.kind == AccessKind::kAtomic) {
    for (BulkTarget& target : targets)
      if (target.mbarrier == BulkTarget::kNotSaid && (access.lanes >> target.lane & 1) != 0)
        target.mbarrier = access.address(target.lane);
  } else if (access.kind == AccessKind::kStore) {
    copy_begins(access, block);
    if (targets.empty() || targets.back().mbarrier != BulkTarget::kNotSaid || targets.back().end != address ||
        targets.back().lane != lane)
      targets.push_back({address, address, 0, lane});
    targets.back().end += access.bytes;
    ++targets.back().pieces;
  }
}

/// The first test of an mbarrier counts as the wait for it: the answer comes only after observers have seen the access.
void Racecheck::await_bulk_copies(const MemoryAccess& access, BlockState& block) {
  const auto arrives = [&](const BulkTarget& target) {
    bool is_asked = false;
    for (Mask rest = access.lanes; rest != 0; rest &= rest - 1)
      is_asked = is_asked || access.address(__builtin_ctz(rest)) == target.mbarrier;
    if (!is_asked) return false;
    block.settled->set(target.begin, target.end);
    block.copies_under_way -= std::min(block.copies_under_way, target.pieces);
    return true;
  };
  auto& targets = block.bulk_targets;
  targets.erase(std::remove_if(targets.begin(), targets.end(), arrives), targets.end());
}

/// These lanes touch what a copy is on its way to, be they ordered behind its beginning or not.
void Racecheck::report_copies(const MemoryAccess& access, const Site& site, BlockState& block, Mask lanes) {
  ++looks_;
  WarpClock& clock = block.warps[access.warp->index];
  BlockState& home = home_of(access, block);
  const Current current{access, site, block, home, clock, home.shared, home.floor, 0};
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    std::uint64_t address = access.address(lane);
    while (home.settled->all(address, address + 1)) ++address;
    const AccessShadow::View view = home.shared.view(address / 4 * 4, 4, access.kind == AccessKind::kLoad);
    const AccessRecord before = table_.record(view.writes[view.cell(address)]);
    if (!before.empty()) report(current, lane, access.address(lane), before, true, Race::kUnderWay);
  }
}

void Racecheck::reads_were_noted(const Block& block, const NotedReads& reads) {
  const auto has_ended = [](const Warp& warp) { return warp.ended(); };
  if (noted_reads_are_over_ || std::all_of(block.warps().begin(), block.warps().end(), has_ended)) return;
  BlockState& state = state_of(block);
  reads.each(block.warps(), [&](const NotedRead& read) {
    const WarpClock& clock = state.warps[read.access.warp->index];
    if (can_look_at(clock)) look_at(read.access, site_of(read.access, read.code), state);
  });
}

void Racecheck::look_at(const MemoryAccess& access, Site& site, BlockState& block) {
  WarpClock& clock = block.warps[access.warp->index];
  ++looks_;
  if (site.acquires) acquire(access, site, block, clock);
  if (table_.is_full()) make_room();
  const bool is_shared = access.space == ptx::Space::kShared;
  BlockState& home = home_of(access, block);
  AccessShadow& shadow = is_shared ? home.shared : global_;
  const AccessTag floor = is_shared ? home.floor : table_.first();
  if (&home != &block) {
    const int lane = __builtin_ctz(access.lanes);
    home.visits[{block.number, access.warp->index}] = {clock.now(),
                                                       lane,
                                                       &site,
                                                       access.kind,
                                                       access.address(lane),
                                                       access.warp->block->index(),
                                                       access.warp->block->thread(*access.warp, lane)};
  }
  if (access.kind == AccessKind::kLoad && adds_nothing_new(access, site, block, clock, shadow, floor)) return;
  if (access.kind == AccessKind::kStore && !site.strong && is_first_write(access, site, block, clock, shadow, floor))
    return;
  const Current current{access, site, block, home, clock, shadow, floor, tag_of(access, site, block, clock)};
  check_lanes(current, access.lanes & ~check_halves(current));
  if (site.strong && access.kind != AccessKind::kLoad) publish(access, site, block, clock);
}

/// False if numbers for it have run out.
bool Racecheck::can_look_at(const WarpClock& clock) {
  if (watching_ && clock.now() <= AccessRecord::kLastEpoch) return true;
  missed_some_ = true;
  return false;
}

/// The tag, without lanes, of what the warp does at the site in its present epoch.
AccessTag Racecheck::tag_of(const MemoryAccess& access, Site& site, const BlockState& block, const WarpClock& clock) {
  if (site.clock == &clock && site.epoch == clock.now() && site.tag >= block.first) return site.tag;
  site.clock = &clock;
  site.epoch = clock.now();
  site.tag = table_.add(AccessRecord::of(block.number, access.warp->index, 0, clock.now(), site.number, site.strong));
  return site.tag;
}

/// Drops the records that no memory's last accesses need. A launch in which that does not help, since tens of millions
/// of different accesses are all the last ones somewhere, is watched up to here.
void Racecheck::make_room() {
  const auto cells = [&](const auto& visit) {
    global_.each(visit);
    for (auto& [block, state] : blocks_) state.shared.each(visit);
  };
  const auto floors = [&](const auto& visit) {
    for (auto& [block, state] : blocks_) visit(state.first), visit(state.floor);
  };
  watching_ = table_.collect(cells, floors);
  joined_writes_ = {};
  for (Site& site : sites_) site.clock = nullptr;
}

/// Lanes one by one; neighbours that read one address read it together.
void Racecheck::check_lanes(const Current& current, Mask lanes) {
  const MemoryAccess& access = current.access;
  AccessShadow::View view;
  for (Mask rest = lanes; rest != 0;) {
    const int lane = __builtin_ctz(rest);
    int last = lane;
    rest &= rest - 1;
    const std::uint64_t address = access.address(lane);
    while (access.kind == AccessKind::kLoad && last + 1 < kLanes && (rest >> (last + 1) & 1) != 0 &&
           access.address(last + 1) == address)
      rest &= rest - 1, ++last;
    const Lanes who{lane, current.tag | AccessRecord::set_of_lanes(lane, last)};
    for (std::uint32_t done = 0; done < access.bytes; done += kPiece)
      check_piece(current, who, address + done, std::min(kPiece, access.bytes - done), view);
  }
}

void Racecheck::check_piece(const Current& current, const Lanes& who, std::uint64_t address, std::uint32_t bytes,
                            AccessShadow::View& view) {
  if (!view.holds(address))
    view = current.shadow.view(address, current.access.bytes, current.access.kind == AccessKind::kLoad);
  const std::uint32_t first = view.cell(address);
  for (std::uint32_t cell = first; cell < first + view.count(bytes); ++cell) {
    if (joins_as_before(current, view.writes[cell], view.reads[cell])) continue;
    if (!is_plainly_fine(current, who, view.writes[cell], view.reads[cell]))
      check(current, who, address, view.writes[cell], view.reads[cell]);
  }
}

/// Atomics that nobody asks for results, as most histograms are made of: of many words, one after the other.
inline bool Racecheck::joins_as_before(const Current& current, AccessTag& write, AccessTag& read) const {
  if (write >> AccessTable::kLanesBits != joined_writes_.before || current.tag != joined_writes_.by ||
      current.access.kind != AccessKind::kAtomic || read >= current.floor)
    return false;
  write = joined_writes_.now;
  if (read != 0) read = 0;
  return true;
}

/// The common cases, quickly: nobody but this thread was here since the block's last barrier, or the access repeats one
/// that is known.
inline bool Racecheck::is_plainly_fine(const Current& current, const Lanes& who, AccessTag& write, AccessTag& read) {
  const auto is_over = [&](AccessTag before) {
    if (before < current.floor || before >> AccessTable::kLanesBits == current.over) return true;
    const AccessRecord record = table_.record(before);
    if (!record.is_of_block_before(current.block.number, current.clock.block_floor()))
      return record.is_of_same_thread(table_.record(who.tag));
    current.over = before >> AccessTable::kLanesBits;
    return true;
  };
  if (!is_over(write)) return false;
  if (current.access.kind == AccessKind::kLoad) {
    if (read == current.includes) return true;
    if (is_over(read)) {
      read = who.tag;
      return true;
    }
    const AccessRecord record = table_.record(read);
    if (!record.includes(table_.record(who.tag), time_)) return false;
    if (record.by() != AccessRecord::By::kLanes) current.includes = read;  // whichever lane asks
    return true;
  }
  if (!is_over(read)) return false;
  write = who.tag;
  if (read != 0) read = 0;
  return true;
}

void Racecheck::check(const Current& current, const Lanes& who, std::uint64_t address, AccessTag& write,
                      AccessTag& read) {
  const Site& site = current.site;
  const auto unless_over = [&](AccessTag tag) { return tag < current.floor ? AccessRecord() : table_.record(tag); };
  const AccessRecord last_write = unless_over(write), last_read = unless_over(read);
  const auto races_with_write = [&](int lane) {
    return !last_write.empty() && !(site.strong && last_write.strong()) && !is_over(current, lane, address, last_write);
  };
  const auto races_with_read = [&] {
    return !last_read.empty() && !(site.strong && last_read.strong()) && !is_ordered(current, who.first, last_read) &&
           !(last_read.strong() && has_seen(current, who.first, address));
  };

  if (current.access.kind == AccessKind::kLoad) {
    // Of lanes that read together, the one that wrote is not the one to ask.
    const bool is_own = !last_write.empty() && last_write.by() == AccessRecord::By::kLanes &&
                        last_write.lane_count() == 1 && last_write.first_lane() == who.first &&
                        last_write.warp() == current.access.warp->index && last_write.block() == current.block.number;
    const int reader = is_own && table_.record(who.tag).lane_count() > 1 ? who.first + 1 : who.first;
    if (races_with_write(reader))
      report(current, reader, address, last_write, true);
    else if (hands_on_in_step(current, reader, last_write))
      report(current, reader, address, last_write, true, Race::kLanes);
    const bool is_history = last_read.empty() || is_ordered(current, who.first, last_read);
    read = is_history ? who.tag : fold_reads(current, read, who.tag);
    return;
  }
  const bool is_same_instruction = !last_write.empty() && last_write.by() == AccessRecord::By::kLanes &&
                                   last_write.site() == site.number && last_write.epoch() == current.clock.now() &&
                                   last_write.warp() == current.access.warp->index &&
                                   last_write.block() == current.block.number;
  if (is_same_instruction && writes_otherwise(current, who.first, last_write)) {
    report(current, who.first, address, last_write, true, Race::kOneInstruction);
  } else if (!is_same_instruction && races_with_write(who.first)) {
    const bool is_same = writes_what_is_there(current, who.first, address, last_write);
    report(current, who.first, address, last_write, true, is_same ? Race::kSameValue : Race::kPlain);
  }
  if (races_with_read() && !has_heard_of(current, who.first, last_read))
    report(current, who.first, address, last_read, false);
  else if (hands_on_in_step(current, who.first, last_read))
    report(current, who.first, address, last_read, false, Race::kLanes);
  if (read != 0) read = 0;

  const bool folds = !last_write.empty() && (is_same_instruction || site.strong) &&
                     !(is_same_instruction ? is_ordered(current, who.first, last_write)
                                           : is_over(current, who.first, address, last_write));
  const AccessTag before = write;
  write = folds ? table_.fold(write, who.tag, time_, current.block.first) : who.tag;
  const bool may_come_again = folds && !has_acquirer_ && current.access.kind == AccessKind::kAtomic &&
                              last_write.strong() && last_write.by() != AccessRecord::By::kLanes;
  if (may_come_again && is_over_for_none(current, last_write))
    joined_writes_ = {current.tag, before >> AccessTable::kLanesBits, write};
  if (!has_learner_ || !site.strong) return;
  StrongWriters& writers = current.access.space == ptx::Space::kShared ? current.home.writers : writers_;
  if (folds && last_write.strong() && table_.record(write).by() != AccessRecord::By::kLanes)
    writers.add(location_of(address), table_.record(before), table_.record(who.tag), time_);
  else
    writers.forget(location_of(address));
}

bool Racecheck::is_ordered(const Current& current, int by_lane, AccessRecord before) const {
  const WarpClock& clock = current.clock;
  const Epoch epoch = before.epoch();
  if (before.by() == AccessRecord::By::kGrid) return before.time() < clock.grid_time();

  const bool same_block = before.block() == current.block.number;
  const BlockProgress* const known = same_block ? &clock.block() : clock.grid().of(before.block());
  if (known == nullptr) return false;
  const std::uint32_t own = current.access.warp->index;
  const auto knows_lanes = [&](int first, int count) {
    for (int lane = first; lane < first + count; ++lane)
      if (lane != by_lane && !clock.lane_knows(by_lane, lane, epoch)) return false;
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

/// Whether lanes of a warp hand on a value through volatile memory and rely on being in step for it. A thread that
/// waits for the value does not, nor do lanes that exchange something in between.
bool Racecheck::hands_on_in_step(const Current& current, int by_lane, const AccessRecord& before) const {
  const Site& site = current.site;
  if (!site.is_volatile || site.waits || !before.strong() || before.by() != AccessRecord::By::kLanes ||
      before.warp() != current.access.warp->index || before.block() != current.block.number)
    return false;
  const Site& other = sites_[before.site()];
  if (!other.is_volatile || other.waits || is_ordered(current, by_lane, before)) return false;
  return other.code->function == site.code->function &&
         !may_exchange_between(*site.code->function, instruction_of(*other.code, *other.insn),
                               instruction_of(*site.code, *site.insn));
}

/// Whether another one of these lanes is about to write another value to the same place, by the same instruction.
bool Racecheck::writes_otherwise(const Current& current, int lane, const AccessRecord& others) const {
  const Site& site = current.site;
  const MemoryAccess& access = current.access;
  if (!site.is_store || site.strong) return false;
  for (int other = others.first_lane(); other < others.first_lane() + others.lane_count(); ++other)
    if (other != lane && (access.lanes >> other & 1) != 0 && access.address(other) == access.address(lane) &&
        stores_differ(*access.warp, *site.code->function, *access.insn, instruction_of(*site.code, *access.insn), lane,
                      other, access.bytes))
      return true;
  return false;
}

/// Whether the present store, which races with the one before it, leaves memory as that one did: the same value in
/// words of the same width.
bool Racecheck::writes_what_is_there(const Current& current, int lane, std::uint64_t address,
                                     const AccessRecord& before) const {
  const Site& site = current.site;
  const Site& other = sites_[before.site()];
  const MemoryAccess& access = current.access;
  if (!site.is_store || !other.is_store || site.bytes != other.bytes || address != access.address(lane)) return false;
  const Warp& warp = *access.warp;
  const bool is_shared = access.space == ptx::Space::kShared;
  const std::uint64_t low = is_shared ? warp.shared_low : warp.global_low;
  const std::uint64_t span = is_shared ? warp.shared_span : warp.global_span;
  if (address < low || address + access.bytes > low + span) return false;
  const std::byte* const there =
      is_shared ? (access.home != nullptr ? access.home->warps()[0] : warp).shared + address
                : reinterpret_cast<const std::byte*>(address + static_cast<std::uint64_t>(warp.global_delta));
  return stores_bytes(warp, *site.code->function, *access.insn, instruction_of(*site.code, *access.insn), lane, there,
                      access.bytes);
}

/// Whether `by_lane` of the present access's warp is ordered behind what a lane did then.
bool Racecheck::is_behind(const Current& current, int by_lane, const WarpMoment& moment, int lane) {
  const WarpClock& clock = current.clock;
  const bool same_block = moment.block == current.block.number;
  if (same_block && moment.warp == current.access.warp->index)
    return lane == by_lane || clock.lane_knows(by_lane, lane, moment.epoch);
  const BlockProgress* const known = same_block ? &clock.block() : clock.grid().of(moment.block);
  return known != nullptr && (*known)[moment.warp].covers(moment.epoch, lane);
}

/// Whoever saw what was published through a location is ordered behind the publishing access itself, too; and so is
/// whoever is ordered behind that look. What was seen at other locations does not matter.
bool Racecheck::has_seen(const Current& current, int by_lane, std::uint64_t address) const {
  const bool is_shared = current.access.space == ptx::Space::kShared;
  const PublishedAt& all = is_shared ? current.home.published : published_;
  const Published* const found = all.find(location_of(address));
  if (found == nullptr) return false;
  const Published& published = *found;
  if (sights_ == kMostSights && published.time <= current.block.seen[current.access.warp->index]) return true;
  return std::any_of(published.seen_by.begin(), published.seen_by.end(), [&](const WarpMoment& sight) {
    for (Mask rest = sight.lanes; rest != 0; rest &= rest - 1)
      if (is_behind(current, by_lane, sight, __builtin_ctz(rest))) return true;
    return false;
  });
}

/// Whether a write is ordered before the lane's present access.
bool Racecheck::is_over(const Current& current, int by_lane, std::uint64_t address, const AccessRecord& write) const {
  if (!write.strong()) return is_ordered(current, by_lane, write);
  // In its first epoch a warp has not had a fence: it has published nothing that others could have seen.
  const auto is_published = [](Epoch epoch) { return epoch > 1; };
  if (write.by() == AccessRecord::By::kLanes)
    return is_ordered(current, by_lane, write) || (is_published(write.epoch()) && has_seen(current, by_lane, address));
  const StrongWriters& all = current.access.space == ptx::Space::kShared ? current.home.writers : writers_;
  const StrongWriters::OfWord* const writers = all.at(location_of(address));
  if (writers == nullptr) return is_ordered(current, by_lane, write) || has_seen(current, by_lane, address);
  const bool seen = has_seen(current, by_lane, address);
  if (!writers->earlier.empty() && !seen && !is_ordered(current, by_lane, writers->earlier)) return false;
  return std::all_of(writers->latest.begin(), writers->latest.end(), [&](const WarpMoment& writer) {
    if (seen && is_published(writer.epoch)) return true;
    for (Mask rest = writer.lanes; rest != 0; rest &= rest - 1)
      if (!is_behind(current, by_lane, writer, __builtin_ctz(rest))) return false;
    return true;
  });
}

}  // namespace vgpu
