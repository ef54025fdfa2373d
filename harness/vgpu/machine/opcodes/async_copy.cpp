// Asynchronous copies into and out of shared memory, and the barriers that tell when they are done: cp.async,
// cp.async.bulk, st.async, mbarrier. What cp.async copies arrives when a thread waits for it (pending_copies.h). Bulk
// copies are made at once, which is one of the moments they may take place. The barriers are kept exactly.
#include "harness/vgpu/machine/opcodes/async_copy.h"

#include "harness/vgpu/machine/cluster.h"
#include "harness/vgpu/machine/opcodes/access.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

constexpr bool kWatched = true, kUnwatched = false;

const Insn* do_nothing(Warp&, const Insn* insn) { return insn + 1; }

// --- cp.async: 4, 8 or 16 bytes a lane, from global to shared ---

/// a: source address (64 bits), b: destination (32 bits), c: bytes to read, the rest is zeros.
/// offset: bytes of one lane.
template <bool Watched>
const Insn* copy_lanes(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  const auto bytes = static_cast<std::uint32_t>(insn->offset);
  const std::uint32_t* wanted = lanes_at<std::uint32_t>(warp, insn->c);
  LaneAddresses<std::uint64_t> from;
  std::memcpy(from.at, lanes_at<std::uint64_t>(warp, insn->a), sizeof from.at);
  LaneAddresses<std::uint32_t> to;
  std::memcpy(to.at, lanes_at<std::uint32_t>(warp, insn->b), sizeof to.at);
  bring_home(warp, to);
  stand_in(to, lanes);
  PendingCopies& copies = PendingCopies::of(warp);
  PendingCopies::Copy& copy = copies.next();
  auto& data = copy.data;
  Mask whole = 0, partly = 0;
  each_lane(lanes, [&](int lane) {
    whole |= static_cast<Mask>(wanted[lane] >= bytes) << lane;
    partly |= static_cast<Mask>(wanted[lane] < bytes && wanted[lane] != 0) << lane;
  });
  if (whole != 0) {
    LaneAddresses<std::uint64_t> at = from;
    stand_in(at, whole);
    const Reach source = reach<ptx::Space::kGlobal, Watched>(warp, insn, AccessKind::kLoad, bytes, whole, at);
    if (source.faulted) return nullptr;
    each_lane(source.lanes, [&](int lane) { std::memcpy(data[lane], source.base + at.at[lane], bytes); });
  }
  // Lanes that want less read no byte beyond it: what follows may be the end of an array.
  for (std::uint32_t n = 0; partly != 0; ++n) {
    LaneAddresses<std::uint64_t> at;
    for (int lane = 0; lane < kLanes; ++lane) at.at[lane] = from.at[lane] + n;
    stand_in(at, partly);
    const Reach source = reach<ptx::Space::kGlobal, Watched>(warp, insn, AccessKind::kLoad, 1, partly, at);
    if (source.faulted) return nullptr;
    each_lane(source.lanes, [&](int lane) { data[lane][n] = source.base[at.at[lane]]; });
    each_lane(partly, [&](int lane) { partly &= ~(static_cast<Mask>(wanted[lane] == n + 1) << lane); });
  }
  Mask going = lanes;
  if constexpr (Watched) {
    MemoryAccess store = event_of(warp, insn, ptx::Space::kShared, AccessKind::kStore, bytes, lanes, to);
    store.copy = copy.number;
    going = warp.observer->access(store);
    if (going == 0) return insn + 1;
    stand_in(to, going);
  }
  const Reach target = reach<ptx::Space::kShared, kUnwatched>(warp, insn, AccessKind::kStore, bytes, going, to);
  if (target.faulted) return nullptr;
  copy.insn = insn;
  copy.code = warp.frame->code;
  copy.lanes = going;
  copy.bytes = bytes;
  copy.is_watched = Watched;
  for (int lane = 0; lane < kLanes; ++lane) copy.to[lane] = to.at[lane];
  copies.begin(warp);
  return insn + 1;
}

const Insn* close_group(Warp& warp, const Insn* insn) {
  if (warp.copies != nullptr) warp.copies->close_group(guarded_lanes(warp, insn));
  return insn + 1;
}

/// offset: how many groups may be under way still.
const Insn* wait_for_groups(Warp& warp, const Insn* insn) {
  if (warp.copies != nullptr)
    warp.copies->arrive_but_latest(warp, guarded_lanes(warp, insn), static_cast<std::uint64_t>(insn->offset), insn);
  return insn + 1;
}

const Insn* wait_for_copies(Warp& warp, const Insn* insn) {
  if (warp.copies != nullptr) warp.copies->arrive(warp, guarded_lanes(warp, insn), insn);
  return insn + 1;
}

void build_copy_lanes(Builder& b) {
  b.take_one_of({"ca", "cg"});
  b.take_one_of({"shared", "shared::cta"});
  b.take("global");
  b.take_one_of({"L2::64B", "L2::128B", "L2::256B"});
  const std::size_t operands = b.operand_count() - (b.take("L2::cache_hint") ? 1 : 0);  // a hint changes no result
  const Address to(b, b.operand(0), SlotSize::k32), from(b, b.operand(1), SlotSize::k64);
  to.read_into(b.insn.b);
  from.read_into(b.insn.a);
  const ptx::Operand& size = b.operand(2);
  if (size.kind != ptx::Operand::Kind::kImmediate || (size.bits != 4 && size.bits != 8 && size.bits != 16))
    b.refuse(b.spelled() + " of a size other than 4, 8 or 16");
  if (operands > 3)
    b.read(b.insn.c, b.operand(3), SlotSize::k32);
  else
    b.constant(b.insn.c, size.bits, SlotSize::k32);
  b.insn.offset = static_cast<std::int64_t>(size.bits);
  b.emit(b.monitored() ? &copy_lanes<kWatched> : &copy_lanes<kUnwatched>);
}

void build_wait_for_groups(Builder& b) {
  if (b.operand(0).kind != ptx::Operand::Kind::kImmediate)
    b.refuse(b.spelled() + " for a number that is not a constant");
  b.insn.offset = static_cast<std::int64_t>(b.operand(0).bits & 0xFFFFFFFF);
  b.emit(&wait_for_groups);
}

// --- mbarrier: a barrier object in shared memory ---

/// Our layout of the 64 bits, which PTX leaves open: arrivals pending and expected (20 bits each), bytes of copies
/// under way (22 bits, two's complement), and the phase's parity on top.
struct MemoryBarrier {
  std::uint32_t pending, expected;
  std::int32_t transactions;
  bool phase;

  static MemoryBarrier unpack(std::uint64_t bits) {
    const auto transactions = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 40 & 0x3FFFFF) << 10) >> 10;
    return {static_cast<std::uint32_t>(bits & 0xFFFFF), static_cast<std::uint32_t>(bits >> 20 & 0xFFFFF), transactions,
            (bits >> 63) != 0};
  }
  std::uint64_t pack() const {
    return std::uint64_t{pending} | std::uint64_t{expected} << 20 |
           (static_cast<std::uint64_t>(static_cast<std::uint32_t>(transactions)) & 0x3FFFFF) << 40 |
           std::uint64_t{phase} << 63;
  }
  /// So many bytes more are under way.
  void move(std::uint32_t bytes) {
    transactions = static_cast<std::int32_t>(static_cast<std::uint32_t>(transactions) + bytes);
  }
  void complete_if_done() {
    if (pending != 0 || transactions != 0) return;
    phase = !phase;
    pending = expected;
  }
};

enum class BarrierStep {
  kInit,
  kInvalidate,
  kArrive,
  kArriveDrop,
  kExpect,
  kArriveExpect,
  kTest,
  kTestParity,
  kTry,
  kTryParity,
  kCopiesArrive,         ///< the copies of a thread are done: one arrival
  kCountedCopiesArrive,  ///< likewise, for which the barrier was to wait in addition: nothing on balance
  kBytesArrive
};

/// Whether other blocks may see what is in its shared memory.
bool is_of_cluster(const Warp& warp) { return warp.block->launch().shape().cluster.count() > 1; }

/// The block that a barrier at this shared address lies in, which has been reached.
Block& home_of(Warp& warp, std::uint32_t address) {
  Block* const home = address < kRankBytes
                          ? nullptr
                          : warp.block->cluster().block(static_cast<std::uint32_t>(address / kRankBytes) - 1);
  return home != nullptr ? *home : *warp.block;
}

bool is_same_line(const ptx::SourcePlace& a, const ptx::SourcePlace& b) {
  return a.line != 0 && a.line == b.line && a.file == b.file;
}

/// Keeps what the barrier at a shared address is told about bytes in this phase, in case a wait for it never ends.
void note_bytes(Warp& warp, const Insn* insn, std::uint32_t address, bool expects, std::uint32_t bytes) {
  BarrierBytes& known = home_of(warp, address).barrier_bytes(address % kRankBytes);
  (expects ? known.expected : known.arrived) += bytes;
  if (!expects) return;
  if (!known.by_others && known.expected_by != nullptr && known.expected_by != insn)
    known.by_others = !is_same_line(place_of(*known.code, *known.expected_by), place_of(*warp.frame->code, *insn));
  known.code = warp.frame->code;
  known.expected_by = insn;
}

/// A try_wait that fails waits until the phase ends, whichever block of the cluster ends it, as long as others of its
/// own block can go on; it polls if none can.
/// a: address of the object (32 bits, shared); b: count, bytes, parity or (64 bits) state; dst: state or outcome.
template <BarrierStep Step, bool Watched>
const Insn* barrier_step(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  constexpr bool kHasCopiesArrive = Step == BarrierStep::kCopiesArrive || Step == BarrierStep::kCountedCopiesArrive;
  if (kHasCopiesArrive && warp.copies != nullptr) warp.copies->arrive(warp, lanes, nullptr);
  if (Watched && (kHasCopiesArrive || Step == BarrierStep::kBytesArrive))
    warp.observer->fence(warp, lanes, is_of_cluster(warp));  // a thread that sees it also sees what was copied
  LaneAddresses<std::uint64_t> addresses;
  const std::uint32_t* object = lanes_at<std::uint32_t>(warp, insn->a);
  for (int lane = 0; lane < kLanes; ++lane) addresses.at[lane] = object[lane];
  stand_in(addresses, lanes);
  const Reach on = reach<ptx::Space::kShared, Watched>(warp, insn, AccessKind::kAtomic, 8, lanes, addresses);
  if (on.faulted) return nullptr;
  constexpr bool kTries = Step == BarrierStep::kTry || Step == BarrierStep::kTryParity;
  constexpr bool kTests = Step == BarrierStep::kTest || Step == BarrierStep::kTestParity || kTries;
  Mask passed = 0;
  each_lane(on.lanes, [&](int lane) {
    std::byte* const at = on.base + addresses.at[lane];
    const auto before = load_one<std::uint64_t>(at);
    MemoryBarrier barrier = MemoryBarrier::unpack(before);
    constexpr bool kHasState = Step == BarrierStep::kTest || Step == BarrierStep::kTry;
    const std::uint32_t operand = kHasState ? 0 : lanes_at<std::uint32_t>(warp, insn->b)[lane];
    switch (Step) {
      case BarrierStep::kInit:
        barrier = {operand, operand, 0, false};
        break;
      case BarrierStep::kInvalidate:
        break;
      case BarrierStep::kArrive:
      case BarrierStep::kCopiesArrive:
        barrier.pending -= operand;
        break;
      case BarrierStep::kCountedCopiesArrive:
        break;
      case BarrierStep::kBytesArrive:
        barrier.move(0 - operand);
        break;
      case BarrierStep::kArriveDrop:
        barrier.pending -= operand;
        barrier.expected -= operand;
        break;
      case BarrierStep::kExpect:
        barrier.move(operand);
        break;
      case BarrierStep::kArriveExpect:
        barrier.move(operand);
        barrier.pending -= 1;
        break;
      case BarrierStep::kTest:
      case BarrierStep::kTry:
        passed |= static_cast<Mask>(barrier.phase !=
                                    MemoryBarrier::unpack(lanes_at<std::uint64_t>(warp, insn->b)[lane]).phase)
                  << lane;
        return;
      case BarrierStep::kTestParity:
      case BarrierStep::kTryParity:
        passed |= static_cast<Mask>(barrier.phase != ((operand & 1) != 0)) << lane;
        return;
    }
    const bool phase = barrier.phase;
    constexpr bool kExpects = Step == BarrierStep::kExpect || Step == BarrierStep::kArriveExpect;
    if (kExpects || Step == BarrierStep::kBytesArrive) note_bytes(warp, insn, object[lane], kExpects, operand);
    if (Step == BarrierStep::kInit) home_of(warp, object[lane]).forget_barrier_bytes(object[lane] % kRankBytes);
    if (Step != BarrierStep::kInit && Step != BarrierStep::kExpect) barrier.complete_if_done();
    if (barrier.phase != phase) home_of(warp, object[lane]).phase_ends(object[lane] % kRankBytes, warp.clock());
    const std::uint64_t after = barrier.pack();
    std::memcpy(at, &after, sizeof after);
    if (insn->dst != 0) lanes_at<std::uint64_t>(warp, insn->dst)[lane] = before;
  });
  if constexpr (kTests) {
    warp.waits_by = passed == 0 ? insn : nullptr;
    warp.waits_for = object[__builtin_ctz(lanes)];
    const bool waits = kTries && passed == 0 && on.lanes == warp.active && !warp.resumed;
    warp.resumed = false;
    if (waits && warp.block->waits_for_phases()) return warp.wait_at_barrier(insn, lanes, Block::kMemoryBarrier, true);
    if (passed == 0) warp.polls += Warp::kSamePlace;
    set_mask(mask_at(warp, insn->dst), on.lanes, passed);
  }
  return insn + 1;
}

/// mbarrier.pending_count works on a state, not on the object.
const Insn* pending_count(Warp& warp, const Insn* insn) {
  const std::uint64_t* state = lanes_at<std::uint64_t>(warp, insn->a);
  set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), guarded_lanes(warp, insn),
            [=](int lane) { return MemoryBarrier::unpack(state[lane]).pending; });
  return insn + 1;
}

template <BarrierStep Step>
void emit_step(Builder& b) {
  b.emit(b.monitored() ? &barrier_step<Step, kWatched> : &barrier_step<Step, kUnwatched>);
}

void build_mbarrier(Builder& b) {
  const int step = b.take_one_of(
      {"init", "inval", "arrive", "arrive_drop", "expect_tx", "test_wait", "try_wait", "pending_count", "complete_tx"});
  const bool expects = step == 2 && b.take("expect_tx");
  const bool parity = b.take("parity");
  b.take_one_of({"release", "acquire", "relaxed"});
  b.take_one_of({"cta", "cluster"});
  b.take("noComplete");  // a promise that the phase will not end
  b.take_one_of({"shared", "shared::cta", "shared::cluster"});
  b.take_type();
  if (step == 7) {
    b.write(b.insn.dst, b.operand(0), SlotSize::k32);
    b.read(b.insn.a, b.operand(1), SlotSize::k64);
    return b.emit(&pending_count);
  }
  std::size_t n = b.operand(0).kind == ptx::Operand::Kind::kAddress ? 0 : 1;  // behind a result, if there is one
  const Address object(b, b.operand(n++), SlotSize::k32);
  if (n == 2) b.write(b.insn.dst, b.operand(0), step == 5 || step == 6 ? SlotSize::kMask : SlotSize::k64);
  object.read_into(b.insn.a);
  const bool tests_state = (step == 5 || step == 6) && !parity;
  if (n < b.operand_count())
    b.read(b.insn.b, b.operand(n++), tests_state ? SlotSize::k64 : SlotSize::k32);
  else
    b.constant(b.insn.b, 1, SlotSize::k32);  // arrive without a count counts for one
  switch (step) {
    case 0:
      return emit_step<BarrierStep::kInit>(b);
    case 1:
      return emit_step<BarrierStep::kInvalidate>(b);
    case 2:
      return expects ? emit_step<BarrierStep::kArriveExpect>(b) : emit_step<BarrierStep::kArrive>(b);
    case 3:
      return emit_step<BarrierStep::kArriveDrop>(b);
    case 4:
      return emit_step<BarrierStep::kExpect>(b);
    case 5:
      return parity ? emit_step<BarrierStep::kTestParity>(b) : emit_step<BarrierStep::kTest>(b);
    case 6:
      return parity ? emit_step<BarrierStep::kTryParity>(b) : emit_step<BarrierStep::kTry>(b);
    case 8:
      return emit_step<BarrierStep::kBytesArrive>(b);
    default:
      b.refuse(b.spelled());
  }
}

// --- cp.async.bulk: one lane copies a block of bytes ---

const Insn* odd_size(Warp& warp, const Insn* insn, int lane, std::uint32_t bytes) {
  return warp.fault(insn, FaultKind::kTrap, lane,
                    "a bulk copy of " + std::to_string(bytes) + " bytes: the size must be a multiple of 16");
}

}  // namespace

const Insn* too_much(Warp& warp, const Insn* insn, int lane) {
  return warp.fault(
      insn, FaultKind::kBudget, lane,
      "the kernel was stopped: its copies have used up the instruction budget, and it seems to run forever");
}

namespace {

/// a: source, b: destination, c: bytes.
template <bool IntoShared, bool Watched>
const Insn* copy_bulk(Warp& warp, const Insn* insn) {
  for (Mask rest = guarded_lanes(warp, insn); rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::uint64_t global = lanes_at<std::uint64_t>(warp, IntoShared ? insn->a : insn->b)[lane];
    const std::uint64_t shared = lanes_at<std::uint32_t>(warp, IntoShared ? insn->b : insn->a)[lane];
    const std::uint32_t bytes = lanes_at<std::uint32_t>(warp, insn->c)[lane];
    if (bytes % kBulkGrain != 0) return odd_size(warp, insn, lane, bytes);
    if (!warp.block->launch().affords(std::min(bytes, kMostBulkBytes))) return too_much(warp, insn, lane);
    for (std::uint32_t done = 0; done < std::min(bytes, kMostBulkBytes); done += kBulkGrain) {
      LaneAddresses<std::uint64_t> in_global, in_shared;
      const Reach g = reach_piece<ptx::Space::kGlobal, Watched>(
          warp, insn, IntoShared ? AccessKind::kLoad : AccessKind::kStore, kBulkGrain, lane, global + done,
          done == 0 ? std::min(bytes, kMostBulkBytes) : 0, in_global);
      if (g.faulted) return nullptr;
      const Reach s =
          reach_piece<ptx::Space::kShared, Watched>(warp, insn, IntoShared ? AccessKind::kStore : AccessKind::kLoad,
                                                    kBulkGrain, lane, shared + done, 0, in_shared);
      if (s.faulted) return nullptr;
      if (g.lanes == 0 || s.lanes == 0) continue;
      std::byte* const at_global = g.base + in_global.at[lane];
      std::byte* const at_shared = s.base + in_shared.at[lane];
      std::memcpy(IntoShared ? at_shared : at_global, IntoShared ? at_global : at_shared, kBulkGrain);
      if (!IntoShared) note_written(warp, Mask{1} << lane, in_global);
    }
  }
  return insn + 1;
}

/// The same from the block's own shared memory into another block's.
template <bool Watched>
const Insn* copy_bulk_to_cluster(Warp& warp, const Insn* insn) {
  for (Mask rest = guarded_lanes(warp, insn); rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::uint64_t source = lanes_at<std::uint32_t>(warp, insn->a)[lane];
    const std::uint64_t target = lanes_at<std::uint32_t>(warp, insn->b)[lane];
    const std::uint32_t bytes = lanes_at<std::uint32_t>(warp, insn->c)[lane];
    if (bytes % kBulkGrain != 0) return odd_size(warp, insn, lane, bytes);
    if (!warp.block->launch().affords(std::min(bytes, kMostBulkBytes))) return too_much(warp, insn, lane);
    for (std::uint32_t done = 0; done < std::min(bytes, kMostBulkBytes); done += kBulkGrain) {
      LaneAddresses<std::uint64_t> from, to;
      const Reach f = reach_piece<ptx::Space::kShared, Watched>(warp, insn, AccessKind::kLoad, kBulkGrain, lane,
                                                                source + done, 0, from);
      if (f.faulted) return nullptr;
      const Reach t = reach_piece<ptx::Space::kShared, Watched>(warp, insn, AccessKind::kStore, kBulkGrain, lane,
                                                                target + done, 0, to);
      if (t.faulted) return nullptr;
      if (f.lanes != 0 && t.lanes != 0) std::memcpy(t.base + to.at[lane], f.base + from.at[lane], kBulkGrain);
    }
  }
  return insn + 1;
}

void build_copy_bulk(Builder& b) {
  if (b.take("tensor")) return build_tensor_copy(b);
  if (b.take("prefetch")) {
    b.take("L2");
    b.take("global");
    b.take("L2::cache_hint");
    return b.emit(&do_nothing);
  }
  if (b.take("multicast::cluster")) b.refuse(b.spelled());
  b.take("L2::cache_hint");  // an operand more, which changes no result
  if (b.take("bulk_group")) {
    b.take("global");
    b.take("shared::cta");
    const Address to(b, b.operand(0), SlotSize::k64), from(b, b.operand(1), SlotSize::k32);
    to.read_into(b.insn.b);
    from.read_into(b.insn.a);
    b.read(b.insn.c, b.operand(2), SlotSize::k32);
    return b.emit(b.monitored() ? &copy_bulk<false, kWatched> : &copy_bulk<false, kUnwatched>);
  }
  if (!b.take("mbarrier::complete_tx::bytes")) b.refuse(b.spelled());
  b.take_one_of({"shared::cluster", "shared::cta"});
  const bool from_global = b.take("global");
  if (!from_global && !b.take("shared::cta")) b.refuse(b.spelled());
  const Address to(b, b.operand(0), SlotSize::k32), from(b, b.operand(1), from_global ? SlotSize::k64 : SlotSize::k32),
      object(b, b.operand(3), SlotSize::k32);
  to.read_into(b.insn.b);
  from.read_into(b.insn.a);
  b.read(b.insn.c, b.operand(2), SlotSize::k32);
  if (from_global)
    b.emit(b.monitored() ? &copy_bulk<true, kWatched> : &copy_bulk<true, kUnwatched>);
  else
    b.emit(b.monitored() ? &copy_bulk_to_cluster<kWatched> : &copy_bulk_to_cluster<kUnwatched>);
  object.read_into(b.insn.a);
  b.read(b.insn.b, b.operand(2), SlotSize::k32);
  emit_step<BarrierStep::kBytesArrive>(b);
}

/// cp.async.mbarrier.arrive: the copies of the thread so far arrive at a barrier when they are done, as they are.
void build_copies_arrive(Builder& b) {
  b.take("arrive");
  const bool is_expected = b.take("noinc");
  b.take_one_of({"shared", "shared::cta"});
  b.take_type();
  const Address object(b, b.operand(0), SlotSize::k32);
  object.read_into(b.insn.a);
  b.constant(b.insn.b, 1, SlotSize::k32);
  return is_expected ? emit_step<BarrierStep::kCopiesArrive>(b) : emit_step<BarrierStep::kCountedCopiesArrive>(b);
}

// --- st.async: a store into another block's shared memory, told to an mbarrier there ---

/// a: address (32 bits), extra: registers, offset: bytes of each. It takes place at once, as bulk copies do.
template <bool Watched>
const Insn* store_async(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  const auto& registers = *static_cast<const std::vector<std::uint32_t>*>(insn->extra);
  const auto bytes = static_cast<std::uint32_t>(insn->offset);
  LaneAddresses<std::uint64_t> addresses;
  const std::uint32_t* const at = lanes_at<std::uint32_t>(warp, insn->a);
  for (int lane = 0; lane < kLanes; ++lane) addresses.at[lane] = at[lane];
  stand_in(addresses, lanes);
  const auto all = static_cast<std::uint32_t>(registers.size()) * bytes;
  const Reach to = reach<ptx::Space::kShared, Watched>(warp, insn, AccessKind::kStore, all, lanes, addresses);
  if (to.faulted) return nullptr;
  each_lane(to.lanes, [&](int lane) {
    std::byte* target = to.base + addresses.at[lane];
    for (const std::uint32_t offset : registers) {
      std::memcpy(target, warp.registers + offset + static_cast<std::uint32_t>(lane) * bytes, bytes);
      target += bytes;
    }
  });
  return insn + 1;
}

/// cp.async and similar: as the modifiers specify.
void build_cp(Builder& b) {
  b.take("async");
  const int group = b.take_one_of({"commit_group", "wait_group", "wait_all"});
  if (group >= 0 && b.take("bulk")) {
    b.take("read");
    return b.emit(&do_nothing);  // every bulk copy is done already
  }
  if (group == 0) return b.emit(&close_group);
  if (group == 1) return build_wait_for_groups(b);
  if (group == 2) return b.emit(&wait_for_copies);
  if (b.take("reduce")) b.refuse(b.spelled());
  if (b.take("mbarrier")) return build_copies_arrive(b);
  if (b.take("bulk")) return build_copy_bulk(b);
  build_copy_lanes(b);
}

constexpr OpcodeRow kRows[] = {
    {"cp", &build_cp},
    {"mbarrier", &build_mbarrier},
};

}  // namespace

bool bytes_arrive(Warp& warp, const Insn* insn, int lane, std::uint64_t object, std::uint32_t bytes) {
  const Mask one = Mask{1} << lane;
  if (warp.observer != nullptr) warp.observer->fence(warp, one, is_of_cluster(warp));
  LaneAddresses<std::uint64_t> at;
  for (std::uint64_t& each : at.at) each = object;
  const Reach on = reach_as_watched<ptx::Space::kShared>(warp, insn, AccessKind::kAtomic, 8, one, at);
  if (on.faulted || on.lanes == 0) return !on.faulted;
  std::byte* const bits = on.base + at.at[lane];
  MemoryBarrier barrier = MemoryBarrier::unpack(load_one<std::uint64_t>(bits));
  const bool phase = barrier.phase;
  const auto address = static_cast<std::uint32_t>(object);
  note_bytes(warp, insn, address, false, bytes);
  barrier.move(0 - bytes);
  barrier.complete_if_done();
  if (barrier.phase != phase) home_of(warp, address).phase_ends(address % kRankBytes, warp.clock());
  const std::uint64_t after = barrier.pack();
  std::memcpy(bits, &after, sizeof after);
  return true;
}

void build_async_store(Builder& b) {
  b.take("weak");
  if (!b.take("shared::cluster") || !b.take("mbarrier::complete_tx::bytes")) b.refuse(b.spelled());
  const int vector = b.take_one_of({"v2", "v4"});
  const ptx::Type type = b.take_type();
  const std::uint32_t bytes = ptx::size_of(type);
  if (bytes != 4 && bytes != 8) b.refuse(b.spelled());
  const Address to(b, b.operand(0), SlotSize::k32), object(b, b.operand(2), SlotSize::k32);
  const std::size_t count = vector < 0 ? 1 : vector == 0 ? 2 : 4;
  const ptx::Operand& value = b.operand(1);
  if (vector >= 0 && value.elements.size() != count) b.refuse(b.spelled() + " of another number of registers");
  std::vector<std::uint32_t>& list = b.operand_list(count);
  for (std::size_t n = 0; n < count; ++n) b.read(list[n], vector < 0 ? value : value.elements[n], slot_for(type));
  to.read_into(b.insn.a);
  b.insn.extra = &list;
  b.insn.offset = bytes;
  b.emit(b.monitored() ? &store_async<kWatched> : &store_async<kUnwatched>);
  object.read_into(b.insn.a);
  b.constant(b.insn.b, count * bytes, SlotSize::k32);
  emit_step<BarrierStep::kBytesArrive>(b);
}

const OpcodeTable VGPU_ROWS(async_copy) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
