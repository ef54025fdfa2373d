// Exchanges between the lanes of a warp: the part that every .sync instruction shares.
#pragma once

#include "harness/vgpu/machine/opcodes/lane_loops.h"

namespace vgpu {
namespace {

/// The member mask is the same for all lanes of the instruction; the first one's is taken.
inline Mask members_of(Warp& warp, std::uint32_t slot, Mask lanes) {
  return lanes_at<Mask>(warp, slot)[__builtin_ctz(lanes)];
}

/// Runs Op over the lanes that its member mask, operand c, names.
template <class Op>
const Insn* exchange(Warp& warp, const Insn* insn) {
  const Mask here = guarded_lanes(warp, insn);
  if (here == 0) return insn + 1;
  const Mask members = members_of(warp, insn->c, here);
  if ((members & warp.lanes & ~warp.exited & ~here) != 0) return warp.wait_for_lanes(insn, here, members);
  Exchange all;
  all.lanes = here;
  Op::collect(warp, insn, here, all);
  Op::finish(warp, insn, here, all);
  return insn + 1;
}

template <class Op>
struct OperationOf {
  static constexpr SyncOperation kValue = {&Op::collect, &Op::finish};
};

template <class Op>
void emit_exchange(Builder& b) {
  b.insn.extra = &OperationOf<Op>::kValue;
  b.emit(&exchange<Op>);
}

}  // namespace
}  // namespace vgpu
