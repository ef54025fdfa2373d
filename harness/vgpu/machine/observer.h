// Events of a running kernel, for observers. The machine knows none of them, and they do not know each other.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu {

class Block;
class Cluster;
class Launch;
class NotedReads;
struct Participant;
struct Warp;

enum class AccessKind : std::uint8_t { kLoad, kStore, kAtomic };

/// One memory instruction of one warp. Addresses are in the space's own terms: device addresses for kGlobal, offsets
/// for kShared, offsets into the lane's own memory for kLocal.
struct MemoryAccess {
  const Warp* warp;
  const Insn* insn;
  ptx::Space space;
  AccessKind kind;
  std::uint32_t bytes;  ///< of one lane
  Mask lanes;
  const std::uint32_t* narrow;    ///< the addresses, 32 bits wide, or null:
  const std::uint64_t* wide;      ///< then these. Lanes outside `lanes` repeat the address of one that is inside
  std::uint64_t lowest, highest;  ///< of the addresses
  bool aligned;                   ///< all of them, to `bytes`
  std::uint8_t contiguous = 0;    ///< bit h: the lanes of half h, all in `lanes`, follow each other `bytes` apart
  std::uint8_t uniform = 0;       ///< bit h: they have one address. Either may be unset where nobody has looked
  std::uint32_t copy = 0;         ///< of an asynchronous copy's store: the copy's number in its warp, from 1
  std::uint32_t part = 0;         ///< of a matrix fragment: the number, among a lane's elements, of its first
  std::uint32_t ahead = 0;        ///< of a bulk copy's piece: bytes before it in its target's 16
  std::uint32_t run = 0;  ///< of a bulk copy's piece: the bytes of the run that begins with it; 0: it is not the first
  /// Whose shared memory it is: another block of the cluster, which is there. Null: the warp's own.
  const Block* home = nullptr;

  std::uint64_t address(int lane) const { return narrow != nullptr ? narrow[lane] : wide[lane]; }
};

/// A read of shared memory that was noted when it took place. Its warp may be elsewhere by now.
struct NotedRead {
  MemoryAccess access;
  const Code* code;  ///< that the instruction is part of
  bool was_shown;    ///< to access() already: an observer put it here itself
};

/// Shared addresses [low, high); none if that is empty.
struct QuietRange {
  std::uint32_t low = 0, high = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;

  virtual void launch_begins(const Launch&) {}
  virtual void launch_ends(Launch&) {}
  virtual void block_begins(const Block&) {}
  /// The last of its threads has ended.
  virtual void block_ends(const Block&) {}

  /// Lanes arrive at barrier `id`, which waits for `threads` threads, or for the whole block if that is 0.
  virtual void barrier_reached(const Warp&, const Insn* /*at*/, Mask /*lanes*/, std::uint32_t /*id*/,
                               std::uint32_t /*threads*/) {}
  /// The lanes that arrived at a barrier, by warp, may continue.
  virtual void barrier_opens(const Block&, std::uint32_t /*id*/, const std::vector<Mask>& /*arrived*/) {}
  /// Lanes arrive at their cluster's barrier; `releases`: with all that they did before.
  virtual void cluster_barrier_reached(const Warp&, const Insn* /*at*/, Mask /*lanes*/, bool /*releases*/) {}
  /// All threads of the cluster have arrived or ended.
  virtual void cluster_barrier_opens(const Cluster&) {}
  /// These lanes, which have waited for that if need be, continue.
  virtual void cluster_barrier_passed(const Warp&, const Insn* /*at*/, Mask /*lanes*/) {}
  /// These lanes wait for each other at __syncwarp, and all have arrived.
  virtual void lanes_meet(const Warp&, Mask /*lanes*/) {}
  /// Lanes that waited at a reconvergence point continue without the others that it expects, because nothing else can.
  /// (Not reported for lanes that only exit.)
  virtual void lanes_go_ahead(const Warp&, Mask /*ahead*/, Mask /*left_behind*/) {}
  /// A lane executes a .sync instruction whose mask names only other lanes.
  virtual void lane_not_in_mask(const Warp&, const Insn* /*at*/, int /*lane*/, Mask /*members*/) {}
  /// __threadfence() and similar fences; only other blocks need it device-wide.
  virtual void fence(const Warp&, Mask /*lanes*/, bool /*device_wide*/) {}

  /// A warp with Warp::stepping set is about to execute an instruction.
  virtual void instruction(Warp&, const Insn* /*at*/) {}
  /// Lanes of such a warp, all of which have reached the same .sync instruction, exchange values now.
  virtual void lanes_exchange(Warp&, const std::vector<Participant>&) {}
  /// Lanes have taken, by a shuffle, values of lanes that take no part in it: each that of the lane `sources`.
  virtual void values_are_undefined(Warp&, const Participant&, const LaneNumbers& /*sources*/) {}

  /// The running lanes have executed the instructions from `first` to `last`, in a row; they are the warp's active
  /// lanes still, and the code is that of its frame. For observers that watch runs, as is the next one.
  virtual void run_ends(const Warp&, const Insn* /*first*/, const Insn* /*last*/) {}
  /// A branch makes the active lanes diverge.
  virtual void lanes_part(const Warp&, const Insn* /*branch*/) {}
  /// Lanes have compared values with each other, and there were `different` distinct ones.
  virtual void values_match(const Warp&, std::uint32_t /*different*/) {}
  /// Lanes sleep for so long, at most. For observers that watch runs.
  virtual void warp_sleeps(const Warp&, std::uint32_t /*nanoseconds*/) {}
  /// A warp reads its clock, or the timer derived from it, which shows `clock`: see Warp::clock. For those as well.
  virtual void clock_is_read(const Warp&, const Insn* /*at*/, std::uint64_t /*clock*/) {}
  virtual bool watches_runs() const { return false; }

  /// Called before the access takes place. Returns the lanes that may go ahead; the others read zeros and write
  /// nothing.
  virtual Mask access(const MemoryAccess& access) = 0;
  /// Instead of that: an access to shared memory of a block of the cluster that is not there. `rank` is that of one
  /// that has ended, or no block's. True if this has been reported and the kernel goes on without the access.
  virtual bool block_is_missing(const MemoryAccess&, std::uint32_t /*rank*/) { return false; }
  /// An atomic operation, shown to access() before, has taken place, and these lanes have left another
  /// value than they found. For observers that watch runs.
  virtual void atomic_took_place(const MemoryAccess&, Mask /*changed*/) {}
  /// A store with MemoryAccess::copy set is shown to access() when its copy begins, and may take place at any time from
  /// then on until this: the bytes have arrived, for these lanes of it. Its warp may be elsewhere by now; the
  /// instruction is part of the code. `awaited_at`: where the lanes wait for it; null if they do not.
  virtual void copy_arrives(const MemoryAccess& /*store*/, const Code&, const Insn* /*awaited_at*/) {}
  /// False if access() lets everything go ahead and need not be called.
  virtual bool watches_accesses() const { return true; }

  /// Around a read of shared memory, just shown: where this block's reads need be noted only, to be shown later and
  /// together (noted_reads.h). Whoever gives a range takes it back, through Block::noted_reads(), when that changes.
  virtual QuietRange quiet_range(const MemoryAccess&) { return {}; }
  /// Whether it is to be shown reads that were noted.
  virtual bool wants_noted_reads() const { return false; }
  /// Reads that were noted. They took place since the last event of this kind.
  virtual void reads_were_noted(const Block&, const NotedReads&) {}
};

}  // namespace vgpu
