// 32 lanes in lock step, and what happens when they part: groups of lanes, the points where they meet again, call
// frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/endless_loop.h"
#include "harness/vgpu/machine/fault.h"
#include "harness/vgpu/machine/known_bases.h"
#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/machine/pending_copies.h"

namespace vgpu {

class Block;
class Observer;
struct MemoryAccess;

/// The registers of one function call, for all lanes that made it together.
struct Frame {
  const Code* code = nullptr;
  std::byte* registers = nullptr;  ///< code->frame_bytes, 64-byte aligned
  std::uint32_t local_base = 0;    ///< where the function's variables begin in a lane's local memory
  Frame* caller = nullptr;
  const Insn* call = nullptr;  ///< the call instruction in the caller
  std::uint64_t number = 0;    ///< of its warp's calls: the next one may have its frame in the same place
  std::unique_ptr<std::byte[]> storage;
};

/// A point that diverged lanes are to reach before they go on together. They wait there as long as the others are under
/// way; a warp that gets nowhere lets them go on early, so that no lane depends on another one's progress. A call is
/// such a point too: the lanes that made it meet behind it.
struct Rendezvous {
  const Insn* point = nullptr;  ///< a meeting instruction or a call
  Frame* frame = nullptr;
  Frame* callee = nullptr;  ///< of a call: what its lanes execute in, freed when the last of them has returned
  Mask expected = 0;
  Mask arrived = 0;
  std::int32_t parent = -1;  ///< the rendezvous that the whole group was heading for before it parted
  bool in_use = false;
};

enum class GroupState : std::uint8_t {
  kReady,
  kAtBarrier,   ///< waits for other warps
  kAtWarpSync,  ///< waits for other lanes of this warp, at a .sync instruction
};

/// Lanes that take part in an exchange from one place.
struct Participant {
  const Insn* at;
  Frame* frame;
  Mask lanes;
};

/// Lanes that execute together.
struct Group {
  const Insn* pc = nullptr;
  Frame* frame = nullptr;
  Mask lanes = 0;
  std::int32_t rendezvous = -1;
  GroupState state = GroupState::kReady;
  bool resumed = false;       ///< goes on with the second half of the instruction it waited at
  bool gave_way = false;      ///< in this turn
  std::uint32_t barrier = 0;  ///< for kAtBarrier
  Mask sync_lanes = 0;        ///< for kAtWarpSync: the lanes named in the instruction's mask
};

/// What lanes hand each other at a .sync instruction; which of the values depends on the instruction.
struct Exchange {
  Mask lanes = 0;  ///< that take part
  Mask votes = 0;
  alignas(64) std::uint32_t value32[kLanes] = {};
  alignas(64) std::uint64_t value[kLanes] = {};
};

/// A .sync instruction in two halves, so that groups of lanes at different places can take part in one exchange: every
/// group first collects its lanes' values, then each takes its results out.
struct SyncOperation {
  void (*collect)(Warp&, const Insn*, Mask lanes, Exchange&);
  void (*finish)(Warp&, const Insn*, Mask lanes, const Exchange&);
  /// Those of `lanes` whose results are undefined if only the lanes `present` take part, as each comes from the lane
  /// `sources`; null if such an instruction has none.
  Mask (*undefined)(Warp&, const Insn*, Mask lanes, Mask present, LaneNumbers& sources);
};

/// Why a group stopped running.
enum class Stop : std::uint8_t { kNone, kParted, kWaiting, kYielded, kGone, kFault };

struct Warp {
  // --- what handlers touch all the time ---
  std::byte* registers = nullptr;  ///< of the running group's frame
  Mask active = 0;                 ///< lanes of the running group
  bool resumed = false;            ///< see Group
  bool is_mixed = false;           ///< with a schedule seed: see let_others_in
  Stop stop = Stop::kNone;
  Mask carry = 0;  ///< the carry bit of each lane (add.cc and similar)
  /// How much what it did since it last yielded or stored looks like waiting for others: each read of the place that it
  /// has read before, and sleeping.
  std::uint32_t polls = 0;
  static constexpr std::uint32_t kSamePlace = 16, kLooksLikeWaiting = 64;
  std::uint32_t polls_enough = 0;   ///< to give way at the next backward jump; less if it has waited before this turn
  bool polled = false;              ///< any such read in this turn
  std::uint64_t polled_at = 0;      ///< the latest place; of shared memory, inverted
  const Insn* polled_by = nullptr;  ///< the instruction that read it
  const Insn* waits_by =
      nullptr;  ///< the latest test of a memory barrier; null once one has passed, or after a polling read
  std::uint32_t waits_for = 0;  ///< the barrier's shared address
  bool polls_to_take = false;   ///< rather than to read: what is there in between does not matter
  std::int32_t rendezvous = -1;
  const Insn* segment = nullptr;  ///< first instruction of the straight run being executed
  std::uint64_t executed = 0;     ///< warp instructions, up to `segment`
  std::uint64_t clock_ahead = 0;  ///< of these: its clock, by what the warp has waited, and when its block began
  std::uint64_t lane_instructions = 0;
  /// Once `executed` is past this, it looks at the loop that it is in, or yields to others, at the next backward jump.
  std::uint64_t yield_at = 0;
  std::uint64_t turn_ends = 0;                    ///< when it yields, rather than looks
  std::byte* shared = nullptr;                    ///< shared memory: the machine's address of shared address 0
  std::uint64_t shared_low = 0, shared_span = 0;  ///< addresses [low, low + span) exist
  std::uint64_t global_low = 0, global_span = 0;  ///< likewise for device memory
  std::ptrdiff_t global_delta = 0;
  std::byte* local = nullptr;      ///< lane after lane
  std::uint32_t local_stride = 0;  ///< bytes of a lane's local memory
  const std::byte* parameters = nullptr;
  std::uint32_t parameter_bytes = 0;
  Frame* frame = nullptr;
  Observer* observer = nullptr;      ///< null when nobody watches
  Observer* run_observer = nullptr;  ///< the same one, if it watches runs
  /// Set by an observer that wants to see each instruction of this warp before it is executed.
  mutable bool stepping = false;
  /// Of the running group in its frame, since it was taken up: whose bases are known, 0 for nobody's. By themselves, so
  /// that they are forgotten at once.
  std::uint32_t base_tags[KnownBase::kMost] = {};
  KnownBase bases[KnownBase::kMost];

  // --- the rest ---
  Block* block = nullptr;
  std::uint32_t index = 0;  ///< in the block
  Mask lanes = 0;           ///< lanes that exist
  Mask exited = 0;
  std::uint32_t fruitless_turns = 0;    ///< turns that ended in giving way, in a row
  bool polling = false;                 ///< the last turn ended in giving way at a loop that looks like waiting,
  bool took = false;                    ///< or behind an atomic that took something: see let_others_in,
  std::uint64_t took_at = 0;            ///< there,
  bool tells = false;                   ///< or before a write that tells others something: see let_others_look,
  bool early = false;                   ///< or before an atomic that is the others' turn: see let_others_catch_up
  const Insn* clock_read_by = nullptr;  ///< the instruction that read the clock last,
  std::uint64_t clock_read_after = 0;   ///< by then executed
  std::vector<Group> groups;            ///< all groups but the running one
  std::vector<Rendezvous> meetings;
  std::unique_ptr<Frame> kernel_frame;
  std::vector<std::unique_ptr<Frame>> call_frames;
  std::uint64_t calls = 0;
  std::unique_ptr<PendingCopies> copies;  ///< null until there is one
  LoopWatch loop;

  /// Prepares the warp for a block: all its lanes at the kernel's first instruction.
  void start(Mask lanes);

  /// Runs until every group waits, has ended or has yielded. False if a fault stopped the warp.
  bool run();

  /// The warp's own clock, up to `segment`: an instruction takes a clock, and what others do meanwhile takes none,
  /// unless the warp waits for them at a barrier. A warp that times its own work sees only that work; to let time pass,
  /// it must execute or sleep for as long.
  std::uint64_t clock() const { return executed + clock_ahead; }
  void be_no_earlier_than(std::uint64_t clock);
  static constexpr std::uint64_t kClocksOfNanosecond = 2;  ///< about as on every GPU since Volta

  bool ended() const { return exited == lanes; }
  bool has_ready_group() const;
  // --- for handlers; each returns what the handler returns ---

  /// Leaves the straight run at `from` (inclusive) and goes on at `to`; backward jumps may give way to other warps.
  const Insn* jump(const Insn* from, const Insn* to);
  /// Some lanes jump to `target`, the others go on behind `branch`.
  const Insn* part(const Insn* branch, Mask taken, const Insn* target);
  /// Each lane to its own target: `which[lane]` is an index into the branch's list.
  const Insn* part_by_index(const Insn* branch, Mask taken, const std::uint32_t* which);
  /// A point where parted lanes meet.
  const Insn* meet(const Insn* point);
  /// `leaving` lanes end. The rest, if any, goes on behind `at`.
  const Insn* exit(const Insn* at, Mask leaving);
  /// `leaving` lanes return from a function; from the kernel's own frame that is exit.
  const Insn* leave_function(const Insn* at, Mask leaving);
  /// `calling` lanes enter `code`, with arguments and results where the call's CallSite says.
  const Insn* enter_function(const Insn* call, Mask calling, const Code& code);
  /// Some lanes stay at `at`, to execute it later, the running group goes on with the others.
  void leave_behind(const Insn* at, Mask lanes_left_behind);
  /// What it did in memory, and found there what others may change.
  enum class Did : std::uint8_t { kRead, kChangeShared, kChangeGlobal };
  /// The running group has read, at `at`, what other threads may be about to change. If it has done nothing else, it
  /// may be waiting for that; if it has changed it, others may be, as for a lock. With a schedule seed, now and then
  /// others come first: all other warps, or some of the group's own lanes. Without one they do whenever something was
  /// changed, so that who has to wait on a GPU has to wait here. A program must not depend on any of that.
  const Insn* let_others_in(const Insn* at, Did did);
  /// The running group is about to write, at `at`, what others may be waiting for, and does so when they had their
  /// turn: what they find then is what is there now. It comes back to `at` with `resumed` set.
  const Insn* let_others_look(const Insn* at);
  /// The running group is about to execute the atomic `at`, but others that can go on are so far behind by their clocks
  /// that they would come to theirs first. It waits for them: a work queue serves the warp that is free first, as on a
  /// GPU, and not each in turn.
  const Insn* let_others_catch_up(const Insn* at);
  /// The running group waits at the barrier; released, it goes on behind `at`, or at `at` itself with `resumed` set.
  const Insn* wait_at_barrier(const Insn* at, Mask waiting, std::uint32_t barrier, bool comes_back);
  /// `here` lanes are at the .sync instruction `at`, which names `members`, of which some are missing.
  const Insn* wait_for_lanes(const Insn* at, Mask here, Mask members);
  /// Tells who watches runs of how many different values lanes have compared. (Opcodes must not do so themselves: what
  /// is defined in Observer would be compiled for one processor there, and taken for others.)
  void tell_of_match(std::uint32_t different) const;
  /// Likewise of an atomic: see Observer::atomic_took_place.
  void tell_of_atomic(const MemoryAccess& access, Mask changed) const;
  /// Tells the observer which of the lanes that have taken part in an exchange, among those `present`, have got what is
  /// undefined. The current registers are theirs.
  void tell_of_undefined(const Participant& receivers, Mask present);
  /// Sleeps, and lets others have their turn.
  void sleep(std::uint32_t nanoseconds);
  /// What the clock shows at `at`.
  std::uint64_t read_clock(const Insn* at);
  /// Stops the kernel. `lane` is the one to blame.
  const Insn* fault(const Insn* at, FaultKind kind, int lane, std::string sentence);

  /// The running group has executed everything from `segment` to `at`, and a new straight run begins behind it.
  void count_up_to(const Insn* at) {
    const auto instructions = static_cast<std::uint64_t>(at - segment) + 1;
    executed += instructions;
    lane_instructions += instructions * static_cast<std::uint64_t>(__builtin_popcount(active));
    if (__builtin_expect(run_observer != nullptr, 0)) tell_of_run(at);
    segment = at + 1;
  }

  /// Lets lanes that wait at rendezvous go on alone. False if none waits.
  bool release_early();
  bool waits_at(std::uint32_t barrier) const;
  /// Lets the groups that wait at a barrier go on, at that time. False if there are none.
  bool release_barrier(std::uint32_t barrier, std::uint64_t clock);
  /// Likewise those that wait at the memory barrier at a shared address.
  void release_from_object(std::uint32_t address, std::uint64_t clock);

 private:
  bool pick();
  Group& put_off(const Insn* pc, Mask lanes);
  std::int32_t meeting_at(const Insn* point, Frame* where);
  bool complete(std::int32_t meeting);
  void close(std::int32_t meeting);
  void lanes_left();
  void try_exchanges();
  bool try_exchange(const Insn* at, Mask members);
  void unite_groups();
  const Insn* step(const Insn* insn);
  const Insn* give_way(const Insn* next);
  void forget_bases() {
    for (std::uint32_t& tag : base_tags) tag = 0;
  }
  const Insn* look_at_loop(const Insn* begin);
  template <class Which>
  bool release_groups(const Which& is_released, std::uint64_t clock);
  void free_call_frame(const Frame* callee);
  void tell_of_run(const Insn* last);
};

/// Handlers that the decoder itself places.
Handler meeting_handler();
Handler return_handler();

/// Lanes of the running group for which the instruction's guard holds.
inline Mask guarded_lanes(const Warp& warp, const Insn* insn) {
  Mask guard;
  __builtin_memcpy(&guard, warp.registers + insn->guard, sizeof guard);
  return warp.active & (guard ^ insn->guard_flip);
}

}  // namespace vgpu
