// Exchanges between the lanes of a warp: the part that every .sync instruction shares.
#pragma once

#include <type_traits>

#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/machine/opcodes/lane_loops.h"

namespace vgpu {
namespace {

/// The lanes among `lanes` that name the same members as the first of them does.
inline Mask same_members(const Mask* named, Mask lanes) {
  const Mask members = named[__builtin_ctz(lanes)];
  Mask difference = 0;
  for (int lane = 0; lane < kLanes; ++lane) difference |= named[lane] ^ members;
  if (__builtin_expect(difference == 0, 1)) return lanes;
  Mask same = 0;
  each_lane(lanes, [&](int lane) { same |= static_cast<Mask>(named[lane] == members) << lane; });
  return same;
}

/// Lanes that their own mask leaves out: undefined in CUDA, told to the observer, and done as if they were named.
__attribute__((noinline, cold)) inline void tell_of_mask(Warp& warp, const Insn* insn, Mask left_out, Mask members) {
  if (warp.observer == nullptr) return;
  each_lane(left_out, [&](int lane) { warp.observer->lane_not_in_mask(warp, insn, lane, members); });
}

__attribute__((noinline, cold)) inline void tell_of_exchange(Warp& warp, const Insn* insn, Mask lanes) {
  warp.observer->lanes_exchange(warp, {{insn, warp.frame, lanes}});
}

/// SyncOperation::undefined, of operations that have it.
template <class Op, class = void>
inline constexpr decltype(SyncOperation::undefined) kUndefinedOf = nullptr;
template <class Op>
inline constexpr decltype(SyncOperation::undefined) kUndefinedOf<Op, std::void_t<decltype(&Op::undefined)>> =
    &Op::undefined;

/// Runs Op over the lanes that its member mask, operand c, names. Lanes that name different members (the tiles of a
/// warp, each with its own mask) make exchanges of their own; one whose members are not all here waits for them.
template <class Op>
const Insn* exchange(Warp& warp, const Insn* insn) {
  const Mask* named = lanes_at<Mask>(warp, insn->c);
  const Insn* next = insn + 1;
  for (Mask left = guarded_lanes(warp, insn); left != 0;) {
    const Mask together = same_members(named, left);
    const Mask members = named[__builtin_ctz(together)];
    left &= ~together;
    if (__builtin_expect((together & ~members) != 0, 0)) tell_of_mask(warp, insn, together & ~members, members);
    if ((members & warp.lanes & ~warp.exited & ~together) != 0) {
      next = warp.wait_for_lanes(insn, together, members);
      continue;
    }
    if (__builtin_expect(warp.stepping, 0)) tell_of_exchange(warp, insn, together);
    Exchange all;
    all.lanes = together;
    Op::collect(warp, insn, together, all);
    Op::finish(warp, insn, together, all);
    if constexpr (kUndefinedOf<Op> != nullptr)
      if (__builtin_expect(together != kAllLanes, 0)) warp.tell_of_undefined({insn, warp.frame, together}, together);
  }
  return next;
}

template <class Op>
struct OperationOf {
  static constexpr SyncOperation kValue = {&Op::collect, &Op::finish, kUndefinedOf<Op>};
};

template <class Op>
void emit_exchange(Builder& b) {
  b.insn.extra = &OperationOf<Op>::kValue;
  b.emit(&exchange<Op>);
}

}  // namespace
}  // namespace vgpu
