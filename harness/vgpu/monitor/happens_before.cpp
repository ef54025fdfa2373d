#include "harness/vgpu/monitor/happens_before.h"

#include <algorithm>
#include <atomic>

namespace vgpu {
namespace {

/// Whether any lane's epoch in `a` is later than in `b` and than `all`. Without a branch, so that lanes are compared
/// side by side: as signed numbers, which every x86-64 can do.
bool is_any_later(const LaneEpochs& a, const LaneEpochs& b, Epoch all) {
  const auto floor = static_cast<std::int32_t>(all);
  std::int32_t later = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const auto of_a = static_cast<std::int32_t>(a[lane]), of_b = static_cast<std::int32_t>(b[lane]);
    later |= static_cast<std::int32_t>(of_a > of_b) & static_cast<std::int32_t>(of_a > floor);
  }
  return later != 0;
}

}  // namespace

void WarpProgress::set_each(std::shared_ptr<const LaneEpochs> epochs) {
  latest = *std::max_element(epochs->begin(), epochs->end());
  each = std::move(epochs);
}

bool WarpProgress::covers(const WarpProgress& other) const {
  if (all < other.all) return false;
  if (other.each == nullptr || other.each == each || other.latest <= all) return true;
  return other.latest <= latest && !is_any_later(*other.each, *each, all);
}

void WarpProgress::join(const WarpProgress& other) {
  all = std::max(all, other.all);
  if (other.each == nullptr || other.each == each) return;
  const bool adds = each == nullptr || other.latest > latest || is_any_later(*other.each, *each, 0);
  if (!adds) return;
  if (each == nullptr || (latest <= other.latest && !is_any_later(*each, *other.each, 0))) {
    each = other.each;
    latest = other.latest;
    return;
  }
  auto joined = std::make_shared<LaneEpochs>(*each);
  for (int lane = 0; lane < kLanes; ++lane) (*joined)[lane] = std::max((*joined)[lane], (*other.each)[lane]);
  set_each(std::move(joined));
}

void join(BlockProgress& to, const BlockProgress& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t warp = 0; warp < from.size(); ++warp) to[warp].join(from[warp]);
}

// --- GridProgress ---

namespace {

std::uint64_t next_branch_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// Whether each of two covers the other.
struct Relation {
  bool covers = true, is_covered = true;

  static Relation of(const BlockProgress& ours, const BlockProgress& theirs) {
    Relation both{ours.size() >= theirs.size(), theirs.size() >= ours.size()};
    const std::size_t warps = std::min(ours.size(), theirs.size());
    for (std::size_t warp = 0; warp < warps && (both.covers || both.is_covered); ++warp) {
      both.covers = both.covers && ours[warp].covers(theirs[warp]);
      both.is_covered = both.is_covered && theirs[warp].covers(ours[warp]);
    }
    return both;
  }
};

}  // namespace

GridProgress::Branch::Branch() : number(next_branch_number()) {}
GridProgress::Branch::Branch(const Branch& other) : blocks(other.blocks), number(next_branch_number()) {}

const BlockProgress* GridProgress::of(std::uint32_t block) const {
  const std::uint32_t at = block / kWidth;
  if (at >= branches_.size() || branches_[at].branch == nullptr) return nullptr;
  return branches_[at].branch->blocks[block % kWidth].get();
}

void GridProgress::learn(std::uint32_t block, std::shared_ptr<const BlockProgress> progress) {
  const std::uint32_t at = block / kWidth;
  if (at >= branches_.size()) branches_.resize(at + 1);
  std::shared_ptr<const Branch>& branch = branches_[at].branch;
  auto changed = branch ? std::make_shared<Branch>(*branch) : std::make_shared<Branch>();
  changed->blocks[block % kWidth] = std::move(progress);
  branch = std::move(changed);
}

/// Warps that learn of one thing share it from then on, so that they need only look at the pointer when they meet it
/// again: at a barrier of the whole grid each of them learns of all.
void GridProgress::join(Known& known, const std::shared_ptr<const Branch>& other) {
  std::shared_ptr<const Branch>& ours = known.branch;
  known.includes = other->number;
  if (ours == nullptr) {
    ours = other;
    return;
  }
  std::array<Relation, kWidth> by_block;
  Relation all;
  for (std::uint32_t i = 0; i < kWidth; ++i) {
    const BlockProgress *const one = ours->blocks[i].get(), *const theirs = other->blocks[i].get();
    if (one == theirs) continue;
    by_block[i] = one == nullptr      ? Relation{false, true}
                  : theirs == nullptr ? Relation{true, false}
                                      : Relation::of(*one, *theirs);
    all.covers &= by_block[i].covers;
    all.is_covered &= by_block[i].is_covered;
  }
  if (all.is_covered) ours = other;
  if (all.is_covered || all.covers) return;
  auto joined = std::make_shared<Branch>(*ours);
  for (std::uint32_t i = 0; i < kWidth; ++i) {
    if (by_block[i].covers) continue;
    std::shared_ptr<const BlockProgress>& block = joined->blocks[i];
    if (by_block[i].is_covered) {
      block = other->blocks[i];
      continue;
    }
    auto both = std::make_shared<BlockProgress>(*block);
    vgpu::join(*both, *other->blocks[i]);
    block = std::move(both);
  }
  ours = std::move(joined);
}

void GridProgress::join(const GridProgress& other) {
  if (branches_.size() < other.branches_.size()) branches_.resize(other.branches_.size());
  for (std::size_t i = 0; i < other.branches_.size(); ++i) {
    const std::shared_ptr<const Branch>& theirs = other.branches_[i].branch;
    Known& known = branches_[i];
    if (theirs != nullptr && theirs != known.branch && known.includes != theirs->number) join(known, theirs);
  }
}

// --- WarpClock ---

WarpClock::WarpClock(std::uint32_t index, std::uint32_t warps_of_block) : index_(index), block_(warps_of_block) {}

/// In the memory that it has: programs have many blocks.
void WarpClock::restart() {
  if (is_fresh_) return;
  is_fresh_ = true;
  now_ = block_floor_ = warp_floor_ = 1;
  lane_knows_all_.fill(0);
  pairs_.reset();
  std::fill(block_.begin(), block_.end(), WarpProgress{});
  grid_ = {};
  grid_time_ = 0;
  fenced_ = {};
  fenced_lanes_ = 0;
  fenced_before_.clear();
  reads_.reset();
}

void WarpClock::lanes_meet(Mask lanes, Mask living) {
  is_fresh_ = false;
  ++now_;
  if ((living & ~lanes) == 0) {
    lane_knows_all_.fill(now_);
    pairs_.reset();
    warp_floor_ = now_;
    if (block_.size() == 1) block_floor_ = now_;
    return;
  }
  if (!pairs_) pairs_ = std::make_unique<Pairs>(Pairs{});
  Epoch of_all = 0;
  LaneEpochs of_each{};
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    of_all = std::max(of_all, lane_knows_all_[lane]);
    for (int other = 0; other < kLanes; ++other) of_each[other] = std::max(of_each[other], (*pairs_)[lane][other]);
    of_each[lane] = now_;
  }
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    lane_knows_all_[lane] = of_all;
    (*pairs_)[lane] = of_each;
  }
}

void WarpClock::fence(Mask lanes, std::uint32_t block, bool device_wide, std::uint32_t time) {
  is_fresh_ = false;
  ++now_;
  WarpProgress& own = block_[index_];
  const bool alone = (lanes & (lanes - 1)) == 0;
  if (alone) {
    const int lane = __builtin_ctz(lanes);
    auto each = pairs_ ? std::make_shared<LaneEpochs>((*pairs_)[lane]) : std::make_shared<LaneEpochs>();
    (*each)[lane] = now_;
    own.set_each(std::move(each));
    own.all = std::max(own.all, lane_knows_all_[lane]);
  } else {
    own.all = now_;
  }
  const Fenced own_before = device_wide ? Fenced{} : fenced(lanes);
  const auto drop = [&](const std::pair<Mask, Fenced>& before) { return (before.first & lanes) != 0; };
  fenced_before_.erase(std::remove_if(fenced_before_.begin(), fenced_before_.end(), drop), fenced_before_.end());
  const bool was_of_one = fenced_lanes_ != 0 && (fenced_lanes_ & (fenced_lanes_ - 1)) == 0;
  if (was_of_one && (fenced_lanes_ & lanes) == 0) fenced_before_.emplace_back(fenced_lanes_, fenced_);
  fenced_lanes_ = lanes;
  fenced_.block = std::make_shared<const BlockProgress>(block_);
  if (!device_wide) {
    fenced_.grid = own_before.grid;
    fenced_.time = own_before.time;
    return;
  }
  fenced_.grid = grid_;
  fenced_.grid.learn(block, fenced_.block);
  fenced_.time = time;
}

const WarpClock::Fenced& WarpClock::fenced(Mask lanes) const {
  for (const auto& [lane, before] : fenced_before_)
    if (lane == lanes) return before;
  return fenced_;
}

void WarpClock::learn(Mask lanes, const BlockProgress& block) {
  is_fresh_ = false;
  join(block_, block);
  const Epoch own = block[index_].all;
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    Epoch& known = lane_knows_all_[__builtin_ctz(rest)];
    known = std::max(known, own);
  }
  const LaneEpochs* const each = block[index_].each.get();
  if (each == nullptr) return;
  // Lanes of this warp published for others of it, as a lock passes from lane to lane.
  if (!pairs_) pairs_ = std::make_unique<Pairs>(Pairs{});
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    LaneEpochs& known = (*pairs_)[__builtin_ctz(rest)];
    for (int lane = 0; lane < kLanes; ++lane) known[lane] = std::max(known[lane], (*each)[lane]);
  }
}

void WarpClock::learn(Mask lanes, std::uint32_t own_block, const GridProgress& grid, std::uint32_t time) {
  is_fresh_ = false;
  grid_.join(grid);
  grid_time_ = std::max(grid_time_, time);
  if (const BlockProgress* const own = grid.of(own_block)) learn(lanes, *own);
}

std::shared_ptr<const GridProgress> WarpClock::tell_of_reads(Mask lanes, std::uint32_t block) {
  is_fresh_ = false;
  ++now_;
  auto own = std::make_shared<BlockProgress>(block_);
  WarpProgress& warp = (*own)[index_];
  auto each = std::make_shared<LaneEpochs>();
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    warp.all = std::max(warp.all, lane_knows_all_[lane]);
    for (int other = 0; pairs_ && other < kLanes; ++other)
      (*each)[other] = std::max((*each)[other], (*pairs_)[lane][other]);
  }
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) (*each)[__builtin_ctz(rest)] = now_;
  warp.set_each(std::move(each));
  auto told = reads_ != nullptr ? std::make_shared<GridProgress>(*reads_) : std::make_shared<GridProgress>();
  told->join(grid_);
  told->learn(block, std::move(own));
  return told;
}

void WarpClock::learn_of_reads(const std::shared_ptr<const GridProgress>& reads) {
  if (reads == nullptr || reads == reads_) return;
  is_fresh_ = false;
  if (reads_ == nullptr) {
    reads_ = reads;
    return;
  }
  auto joined = std::make_shared<GridProgress>(*reads_);
  joined->join(*reads);
  reads_ = std::move(joined);
}

WarpClock::Arrival WarpClock::arrive() {
  is_fresh_ = false;
  Arrival arrival{block_, grid_, fenced_, grid_time_, reads_};
  arrival.block[index_].all = ++now_;
  return arrival;
}

void WarpClock::barrier_opens(const std::vector<WarpClock*>& warps, const std::vector<Arrival>& gone_on) {
  if (warps.empty()) return;
  Epoch next = 0;
  std::uint32_t time = 0;
  for (const WarpClock* warp : warps) {
    next = std::max(next, warp->now_ + 1);
    time = std::max(time, warp->grid_time_);
  }
  if (gone_on.empty() && warps.size() == warps[0]->block_.size() &&
      std::all_of(warps.begin(), warps.end(), [](const WarpClock* warp) { return warp->knows_own_block_only(); }))
    return whole_block_meets(warps, next);
  BlockProgress block(warps[0]->block_.size());
  if (warps.size() != block.size())  // if all have come, what they knew is less than what they know now
    for (const WarpClock* warp : warps) join(block, warp->block_);
  for (const WarpClock* warp : warps) block[warp->index_].all = next;
  for (const Arrival& arrival : gone_on) {
    join(block, arrival.block);
    time = std::max(time, arrival.grid_time);
    warps[0]->grid_.join(arrival.grid);
    warps[0]->fenced_.grid.join(arrival.fenced.grid);
    warps[0]->fenced_.time = std::max(warps[0]->fenced_.time, arrival.fenced.time);
    warps[0]->learn_of_reads(arrival.reads);
  }
  for (std::size_t i = 1; i < warps.size(); ++i) {
    warps[0]->grid_.join(warps[i]->grid_);
    warps[0]->fenced_.grid.join(warps[i]->fenced_.grid);
    warps[0]->fenced_.time = std::max(warps[0]->fenced_.time, warps[i]->fenced_.time);
    warps[0]->learn_of_reads(warps[i]->reads_);
  }
  const auto fenced = std::make_shared<const BlockProgress>(block);
  for (WarpClock* warp : warps) {
    warp->is_fresh_ = false;
    warp->now_ = warp->warp_floor_ = next;
    if (warps.size() == block.size()) warp->block_floor_ = next;
    warp->lane_knows_all_.fill(next);
    warp->pairs_.reset();
    std::copy(block.begin(), block.end(), warp->block_.begin());
    warp->grid_ = warps[0]->grid_;
    warp->grid_time_ = time;
    warp->fenced_ = {fenced, warps[0]->fenced_.grid, warps[0]->fenced_.time};
    warp->fenced_lanes_ = 0;
    warp->fenced_before_.clear();
    warp->reads_ = warps[0]->reads_;
  }
}

/// Of other blocks nothing is known, so that there is nothing to join. What the warps may publish from then on lies
/// where it did after their last barrier, unless somebody has it still.
void WarpClock::whole_block_meets(const std::vector<WarpClock*>& warps, Epoch next) {
  std::shared_ptr<BlockProgress> fenced = std::move(warps[0]->met_);
  for (WarpClock* warp : warps) {
    warp->is_fresh_ = false;
    warp->now_ = warp->warp_floor_ = warp->block_floor_ = next;
    warp->lane_knows_all_.fill(next);
    warp->pairs_.reset();
    for (WarpProgress& known : warp->block_) {
      known.all = next;
      known.latest = 0;
      if (known.each != nullptr) known.each.reset();
    }
    warp->fenced_lanes_ = 0;
    warp->fenced_before_.clear();
  }
  const bool is_shared = fenced != nullptr && warps[0]->fenced_.block == fenced &&
                         static_cast<std::size_t>(fenced.use_count()) == warps.size() + 1;
  if (is_shared &&
      std::all_of(warps.begin(), warps.end(), [&](const WarpClock* warp) { return warp->fenced_.block == fenced; })) {
    for (WarpProgress& known : *fenced) known.all = next;
  } else {
    fenced = std::make_shared<BlockProgress>(warps.size());
    for (WarpProgress& known : *fenced) known.all = next;
    for (WarpClock* warp : warps) warp->fenced_.block = fenced;
  }
  warps[0]->met_ = std::move(fenced);
}

}  // namespace vgpu
