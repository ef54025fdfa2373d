// Waiting for and ordering against other threads: bar, barrier, fences, nanosleep, and what needs no work on this
// machine.
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/cluster.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/machine/opcodes/exchange.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

struct BarrierOperands {
  std::uint32_t id, threads;
};

/// `a` holds the barrier's number, `b` the number of threads (0 for the whole block); both are the same for all lanes.
inline BarrierOperands operands(Warp& warp, const Insn* insn, Mask lanes) {
  const int lane = __builtin_ctz(lanes);
  return {lanes_at<std::uint32_t>(warp, insn->a)[lane], lanes_at<std::uint32_t>(warp, insn->b)[lane]};
}

inline const Insn* bad_barrier(Warp& warp, const Insn* insn, Mask lanes, const BarrierOperands& o) {
  if (o.id >= Block::kBarriers)
    return warp.fault(insn, FaultKind::kTrap, __builtin_ctz(lanes),
                      "barrier " + std::to_string(o.id) + " does not exist; a block has barriers 0 to 15");
  if (o.threads % kLanes != 0)
    return warp.fault(insn, FaultKind::kTrap, __builtin_ctz(lanes),
                      "a barrier for " + std::to_string(o.threads) + " threads: the number must be a multiple of 32");
  return nullptr;
}

inline bool is_bad(const BarrierOperands& o) { return o.id >= Block::kBarriers || o.threads % kLanes != 0; }

const Insn* barrier_sync(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  const BarrierOperands o = operands(warp, insn, lanes);
  if (is_bad(o)) return bad_barrier(warp, insn, lanes, o);
  return warp.block->arrive(warp, insn, lanes, o.id, o.threads, true, false);
}

const Insn* barrier_arrive(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  const BarrierOperands o = operands(warp, insn, lanes);
  if (is_bad(o)) return bad_barrier(warp, insn, lanes, o);
  return warp.block->arrive(warp, insn, lanes, o.id, o.threads, false, false);
}

enum class Vote { kCount, kAll, kAny };

/// bar.red: arrives with a vote, and comes back to the same instruction for the outcome.
template <Vote Asked>
const Insn* barrier_vote(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  const BarrierOperands o = operands(warp, insn, lanes);
  if (is_bad(o)) return bad_barrier(warp, insn, lanes, o);
  if (!warp.resumed) {
    warp.block->vote(o.id, lanes, mask_at(warp, insn->c) ^ static_cast<Mask>(insn->offset));
    return warp.block->arrive(warp, insn, lanes, o.id, o.threads, true, true);
  }
  warp.resumed = false;
  const BarrierVotes& votes = warp.block->result(o.id);
  if constexpr (Asked == Vote::kCount) {
    const std::uint32_t count = votes.count;
    set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), lanes, [=](int) { return count; });
  } else {
    set_mask(mask_at(warp, insn->dst), lanes, (Asked == Vote::kAll ? votes.all : votes.any) ? kAllLanes : 0);
  }
  return insn + 1;
}

void read_barrier(Builder& b, std::size_t first, std::size_t end) {
  b.read(b.insn.a, b.operand(first), SlotSize::k32);
  if (first + 1 < end)
    b.read(b.insn.b, b.operand(first + 1), SlotSize::k32);
  else
    b.constant(b.insn.b, 0, SlotSize::k32);
}

/// offset: whether what came before is to be seen by those that wait.
const Insn* cluster_arrive(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  return lanes == 0 ? insn + 1 : warp.block->cluster().arrive(warp, insn, lanes, insn->offset != 0);
}

const Insn* cluster_wait(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  return lanes == 0 ? insn + 1 : warp.block->cluster().wait(warp, insn, lanes);
}

void build_cluster_barrier(Builder& b) {
  const int what = b.take_one_of({"arrive", "wait"});
  if (what < 0) b.refuse(b.spelled());
  if (what == 0) {
    b.insn.offset = b.take("relaxed") ? 0 : 1;
    b.take("release");  // as without either
  } else {
    b.take("acquire");
  }
  b.take("aligned");
  b.emit(what == 0 ? &cluster_arrive : &cluster_wait);
}

void build_barrier(Builder& b) {
  if (b.take("cluster")) return build_cluster_barrier(b);
  b.take("cta");
  b.take("aligned");
  const int what = b.take_one_of({"sync", "arrive", "red"});
  if (what == 0) {
    read_barrier(b, 0, b.operand_count());
    return b.emit(&barrier_sync);
  }
  if (what == 1) {
    read_barrier(b, 0, b.operand_count());
    return b.emit(&barrier_arrive);
  }
  if (what < 0) b.refuse(b.spelled());
  const int vote = b.take_one_of({"popc", "and", "or"});
  b.take_type();
  if (vote < 0) b.refuse(b.spelled());
  b.write(b.insn.dst, b.operand(0), vote == 0 ? SlotSize::k32 : SlotSize::kMask);
  read_barrier(b, 1, b.operand_count() - 1);
  Mask flip;
  b.read_predicate(b.insn.c, flip, b.operand(b.operand_count() - 1));
  b.insn.offset = flip;
  b.emit(vote == 0 ? &barrier_vote<Vote::kCount> : vote == 1 ? &barrier_vote<Vote::kAll> : &barrier_vote<Vote::kAny>);
}

/// bar.warp.sync: lanes exchange nothing but their presence.
struct Meet {
  static void collect(Warp&, const Insn*, Mask, Exchange&) {}
  static void finish(Warp& warp, const Insn*, Mask lanes, const Exchange& all) {
    const bool is_first_group = (all.lanes & -all.lanes & lanes) != 0;  // each group of lanes finishes by itself
    if (warp.observer != nullptr && is_first_group) warp.observer->lanes_meet(warp, all.lanes);
  }
};

void build_warp_barrier(Builder& b) {
  b.take("warp");
  b.take("sync");
  b.read(b.insn.c, b.operand(0), SlotSize::k32);
  emit_exchange<Meet>(b);
}

void build_bar(Builder& b) {
  for (const std::string_view modifier : b.instruction().modifiers)
    if (modifier == "warp") return build_warp_barrier(b);
  build_barrier(b);
}

const Insn* do_nothing(Warp&, const Insn* insn) { return insn + 1; }

/// Memory operations take effect in the order the machine executes them: who needs to know of fences is the observer.
/// offset: whether it is device-wide.
const Insn* fence(Warp& warp, const Insn* insn) {
  if (warp.observer == nullptr) return insn + 1;
  if (const Mask lanes = guarded_lanes(warp, insn)) warp.observer->fence(warp, lanes, insn->offset != 0);
  return insn + 1;
}

void build_fence(Builder& b) {
  const int scope_of_membar = b.take_one_of({"cta", "cluster", "gl", "gpu", "sys"});
  // What a fence is comes before what it orders: mbarrier_init.release.
  b.take_one_of({"mbarrier_init", "proxy", "acq_rel", "sc", "acquire", "release"});
  const int scope_of_fence = b.take_one_of({"cta", "cluster", "gpu", "sys"});
  b.take_one_of({"release", "alias", "async", "async.global", "async.shared", "generic", "tensormap::generic"});
  b.take_one_of({"global", "shared::cta", "shared::cluster"});
  b.take_one_of({"cluster", "gpu", "sys"});
  b.insn.offset = scope_of_membar > 0 || scope_of_fence > 0;
  b.emit(&fence);
}

/// A thread that sleeps waits for somebody: others get their turn. It does for a millisecond at most (PTX ISA,
/// "nanosleep"), and a warp as long as its longest lane.
const Insn* sleep(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  constexpr std::uint32_t kMost = 1'000'000;
  const std::uint32_t* const wanted = lanes_at<std::uint32_t>(warp, insn->a);
  std::uint32_t longest = 0;
  each_lane(lanes, [&](int lane) { longest = wanted[lane] > longest ? wanted[lane] : longest; });
  warp.sleep(longest < kMost ? longest : kMost);
  return insn + 1;
}
void build_nanosleep(Builder& b) {
  b.take_type();
  b.read(b.insn.a, b.operand(0), SlotSize::k32);
  b.emit(&sleep);
}

void build_nothing(Builder& b) {
  b.take_one_of({"wait", "launch_dependents"});
  b.take("mask");
  b.emit(&do_nothing);
}

constexpr OpcodeRow kRows[] = {
    {"bar", &build_bar},
    {"barrier", &build_barrier},
    {"membar", &build_fence},
    {"fence", &build_fence},
    {"nanosleep", &build_nanosleep},
    {"griddepcontrol", &build_nothing},  // dependent launches start when the one before has ended
    {"pmevent", &build_nothing},
};

}  // namespace

const OpcodeTable VGPU_ROWS(barriers) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
