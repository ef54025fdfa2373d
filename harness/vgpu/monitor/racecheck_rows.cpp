// racecheck, many lanes at a time: where what was there before is the same for all of them, so is the answer.
#include <algorithm>

#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/monitor/racecheck.h"

namespace vgpu {
namespace {

constexpr int kHalfWarp = kLanes / 2;

}  // namespace

/// The most common reads, quickly: of what nobody has touched since the block's last barrier, or in a way that is noted
/// already. False if that is not plain to see; then nothing is changed that a closer look would not change as well.
bool Racecheck::adds_nothing_new(const MemoryAccess& access, Site& site, BlockState& block, const WarpClock& clock,
                                 AccessShadow& shadow, AccessTag floor) {
  if ((access.contiguous | access.uniform) != 3) return false;
  const std::uint32_t half_bytes = kHalfWarp * access.bytes;
  const bool are_alike = access.contiguous == 3 && access.address(kHalfWarp) == access.address(0);
  const bool is_one_row = access.contiguous == 3 && access.address(kHalfWarp) == access.address(0) + half_bytes;
  const auto is_noted_already = [&](const AccessRecord& reads) {
    return reads.is_of_warps_in(block.number, clock.now()) || reads.is_of_blocks_at(time_);
  };
  for (int half = 0; half < (are_alike || is_one_row ? 1 : 2); ++half) {
    const int lane = half * kHalfWarp;
    const bool is_row = (access.contiguous >> half & 1) != 0;
    const std::uint64_t address = access.address(lane);
    const std::uint32_t bytes = is_one_row ? 2 * half_bytes : is_row ? half_bytes : access.bytes;
    const AccessShadow::View view = shadow.view(address, access.bytes, true);
    if (!view.holds(address + bytes - 1)) return false;
    AccessTag* const reads = view.reads + view.cell(address);
    const AccessTag* const writes = view.writes + view.cell(address);
    const std::uint32_t cells = view.count(bytes);
    if (!is_row) {
      if (cells != 1 || writes[0] >= floor || reads[0] >= floor) return false;
      reads[0] = tag_of(access, site, block, clock) | AccessRecord::set_of_lanes(lane, lane + kHalfWarp - 1);
      continue;
    }
    if (view.has_writes && !scan_tags(writes, cells, floor).below()) return false;
    const TagScan scan = scan_tags(reads, cells, floor);
    if (scan.below() && are_alike)  // lanes 16 apart read each cell
      std::fill_n(reads, cells, tag_of(access, site, block, clock) | AccessRecord::set_of_lanes(0, kLanes - 1));
    else if (scan.below())
      put_in_row(reads, cells, cells / (bytes / access.bytes),
                 tag_of(access, site, block, clock) | AccessRecord::set_of_lanes(lane, lane));
    else if (!scan.equal() || !is_noted_already(table_.record(reads[0])))
      return false;
  }
  return true;
}

/// Likewise of writes.
bool Racecheck::is_first_write(const MemoryAccess& access, Site& site, BlockState& block, const WarpClock& clock,
                               AccessShadow& shadow, AccessTag floor) {
  if (access.contiguous != 3 || access.bytes > kPiece) return false;
  const std::uint32_t half_bytes = kHalfWarp * access.bytes;
  const bool is_one_row = access.address(kHalfWarp) == access.address(0) + half_bytes;
  for (int half = 0; half < (is_one_row ? 1 : 2); ++half) {
    const std::uint64_t address = access.address(half * kHalfWarp);
    const std::uint32_t bytes = is_one_row ? 2 * half_bytes : half_bytes;
    const AccessShadow::View view = shadow.view(address, access.bytes, false);
    if (!view.holds(address + bytes - 1)) return false;
    AccessTag *const writes = view.writes + view.cell(address), *const reads = view.reads + view.cell(address);
    const std::uint32_t cells = view.count(bytes);
    const TagScan read = scan_tags(reads, cells, floor);
    if (!read.below() || !scan_tags(writes, cells, floor).below()) return false;
    const AccessTag first =
        tag_of(access, site, block, clock) | AccessRecord::set_of_lanes(half * kHalfWarp, half * kHalfWarp);
    put_in_row(writes, cells, cells / (bytes / access.bytes), first);
    if (!read.none()) std::fill_n(reads, cells, AccessTag{0});
  }
  return true;
}

/// The halves of the warp whose lanes lie side by side or all at one place, as far as a look at all of their cells
/// together can settle them; returns these lanes.
Mask Racecheck::check_halves(const Current& current) {
  const MemoryAccess& access = current.access;
  constexpr Mask kOneHalf = (Mask{1} << kHalfWarp) - 1;
  if (access.kind == AccessKind::kAtomic || access.bytes > kPiece) return 0;
  if (access.uniform == 3 && access.kind == AccessKind::kLoad && access.lowest == access.highest) {
    AccessShadow::View view;
    check_piece(current, {0, current.tag | AccessRecord::set_of_lanes(0, kLanes - 1)}, access.lowest, access.bytes,
                view);
    return kAllLanes;
  }
  Mask done = 0;
  for (int half = 0; half < 2; ++half) {
    const int first = half * kHalfWarp;
    if ((access.contiguous >> half & 1) != 0) {
      done |= check_row(current, first);
    } else if ((access.uniform >> half & 1) != 0 && access.kind == AccessKind::kLoad) {
      AccessShadow::View view;
      check_piece(current, {first, current.tag | AccessRecord::set_of_lanes(first, first + kHalfWarp - 1)},
                  access.address(first), access.bytes, view);
      done |= kOneHalf << first;
    }
  }
  return done;
}

/// Sixteen lanes from this one on; returns those that are settled.
Mask Racecheck::check_row(const Current& current, int first_lane) {
  constexpr Mask kOneHalf = (Mask{1} << kHalfWarp) - 1;
  const Mask all = kOneHalf << first_lane;
  const MemoryAccess& access = current.access;
  const bool is_load = access.kind == AccessKind::kLoad;
  const std::uint64_t address = access.address(first_lane);
  const AccessShadow::View view = current.shadow.view(address, access.bytes, is_load);
  if (!view.holds(address + kHalfWarp * access.bytes - 1)) return 0;
  const std::uint32_t at = view.cell(address), cells = view.count(kHalfWarp * access.bytes);
  const auto row = [&](AccessTag* tags) {
    return Row{tags + at, cells, cells / kHalfWarp, first_lane, scan_tags(tags + at, cells, current.floor)};
  };
  const Row writes = row(view.writes), reads = row(view.reads);
  if (!is_settled(current, writes)) return 0;
  if (is_load) return add_reads(current, reads) ? all : add_reads_in_parts(current, reads);
  if (!is_settled(current, reads)) return 0;
  writes.put(current.tag);
  if (!reads.scan.none()) std::fill_n(reads.tags, cells, AccessTag{0});
  return all;
}

/// Of a row that several accesses have left, as where stencils overlap: lanes side by side whose cells have one record.
Mask Racecheck::add_reads_in_parts(const Current& current, const Row& row) {
  Mask done = 0;
  for (std::uint32_t lane = 0; lane < kHalfWarp;) {
    const std::uint32_t begin = lane * row.per_lane;
    std::uint32_t end = begin + 1;
    while (end < row.cells && (row.tags[end] ^ row.tags[begin]) < 1u << AccessTable::kLanesBits) ++end;
    const std::uint32_t count = end / row.per_lane - lane;
    if (count != 0) {
      const int first_lane = row.first_lane + static_cast<int>(lane);
      const TagScan scan = TagScan::of_one_record(row.tags[begin] < current.floor);
      if (add_reads(current, {row.tags + begin, count * row.per_lane, row.per_lane, first_lane, scan}))
        done |= ((Mask{1} << count) - 1) << first_lane;
    }
    lane += std::max(count, 1u);
  }
  return done;
}

bool Racecheck::Row::made_by_same_lanes() const {
  return has_lanes_in_row(tags, cells, per_lane, AccessRecord::set_of_lanes(first_lane, first_lane));
}

/// `tag`, with its lane, in each cell.
void Racecheck::Row::put(AccessTag tag) const {
  put_in_row(tags, cells, per_lane, tag | AccessRecord::set_of_lanes(first_lane, first_lane));
}

/// Whether all these earlier accesses are ordered before the present one, or were made by the same threads.
bool Racecheck::is_settled(const Current& current, const Row& row) const {
  if (row.scan.below()) return true;
  if (!row.scan.one_record()) return false;
  const AccessRecord before = table_.record(row.tags[0] & ~AccessTable::kLanesMask);
  if (is_over_for_all(current, before)) return true;
  return before.by() == AccessRecord::By::kLanes && before.block() == current.block.number &&
         before.warp() == current.access.warp->index && row.made_by_same_lanes();
}

/// Notes reads; false if they have to be looked at one by one.
bool Racecheck::add_reads(const Current& current, const Row& row) {
  if (is_settled(current, row)) {
    row.put(current.tag);
    return true;
  }
  if (!row.scan.one_record()) return false;
  const AccessRecord before = table_.record(row.tags[0] & ~AccessTable::kLanesMask);
  const AccessRecord me = table_.record(current.tag);
  if (before.by() != AccessRecord::By::kLanes && before.includes(me, time_)) return true;
  if (is_over_for_none(current, before)) {
    std::fill_n(row.tags, row.cells, fold_reads(current, row.tags[0], current.tag));
    return true;
  }
  if (before.by() != AccessRecord::By::kLanes || before.block() != me.block() || before.warp() != me.warp() ||
      before.epoch() != me.epoch() || before.strong() != me.strong())
    return false;
  // The same warp again, which nothing has ordered meanwhile, by the same or by other lanes.
  AccessTag own = AccessRecord::set_of_lanes(row.first_lane, row.first_lane);
  for (std::uint32_t n = 0; n < row.cells; ++own)
    for (const std::uint32_t end = n + row.per_lane; n < end; ++n) {
      const AccessTag known = row.tags[n] & AccessTable::kLanesMask, common = AccessRecord::common_set(known, own);
      if (common != known || known == own) row.tags[n] = current.tag | common;
    }
  return true;
}

/// Whether every lane of the warp is ordered behind what is known to be this record, whichever its lanes are.
bool Racecheck::is_over_for_all(const Current& current, const AccessRecord& before) const {
  const WarpClock& clock = current.clock;
  if (before.empty()) return true;
  if (before.by() == AccessRecord::By::kGrid) return !before.strong() && before.time() < clock.grid_time();
  if (before.block() == current.block.number) {
    if (before.epoch() < clock.block_floor()) return true;
    if (before.by() == AccessRecord::By::kBlock) return false;
    return before.epoch() <
           (before.warp() == current.access.warp->index ? clock.warp_floor() : clock.knows(before.warp()).all);
  }
  const BlockProgress* const known = clock.grid().of(before.block());
  return known != nullptr && before.by() == AccessRecord::By::kLanes && before.epoch() < (*known)[before.warp()].all;
}

/// Whether no lane of the warp is ordered behind it, whichever its lanes are; may be false although it is so.
bool Racecheck::is_over_for_none(const Current& current, const AccessRecord& before) const {
  if (before.by() == AccessRecord::By::kGrid) return before.time() >= current.clock.grid_time();
  const bool same_block = before.block() == current.block.number;
  const std::uint32_t own = current.access.warp->index;
  const BlockProgress* const known = same_block ? &current.clock.block() : current.clock.grid().of(before.block());
  if (known == nullptr) return true;
  if (before.by() == AccessRecord::By::kBlock) {
    for (std::uint32_t warp = 0; warp < known->size(); ++warp)
      if (!(same_block && warp == own) && before.epoch() >= (*known)[warp].all) return true;
    return false;
  }
  if (same_block && before.warp() == own) return false;
  const WarpProgress& progress = (*known)[before.warp()];
  return before.epoch() >= progress.all && progress.each == nullptr;
}

}  // namespace vgpu
