// Control flow: bra, brx, call, ret, exit, trap, brkpt.
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/device_math.h"
#include "harness/vgpu/machine/device_runtime_calls.h"
#include "harness/vgpu/machine/kernel.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/opcodes/lane_loops.h"
#include "harness/vgpu/machine/opcodes/tables.h"
#include "harness/vgpu/machine/system_calls.h"

namespace vgpu {
namespace {

const Insn* branch(Warp& warp, const Insn* insn) {
  const Mask taken = guarded_lanes(warp, insn);
  if (taken == 0) return insn + 1;
  if (taken == warp.active) return warp.jump(insn, insn->target);
  return warp.part(insn, taken, insn->target);
}

void build_branch(Builder& b) {
  b.take("uni");
  if (b.operand(0).kind != ptx::Operand::Kind::kLabel) b.refuse("a branch to no label");
  b.emit(&branch);
}

const Insn* branch_by_index(Warp& warp, const Insn* insn) {
  const Mask taken = guarded_lanes(warp, insn);
  if (taken == 0) return insn + 1;
  if (taken != warp.active) warp.leave_behind(insn + 1, warp.active & ~taken);
  return warp.part_by_index(insn, taken, lanes_at<std::uint32_t>(warp, insn->a));
}

void build_branch_by_index(Builder& b) {
  b.take("idx");
  b.take("uni");
  b.read(b.insn.a, b.operand(0), SlotSize::k32);
  b.emit(&branch_by_index);
}

const Insn* exit_kernel(Warp& warp, const Insn* insn) { return warp.exit(insn, guarded_lanes(warp, insn)); }
void build_exit(Builder& b) { b.emit(&exit_kernel); }

const Insn* return_from_function(Warp& warp, const Insn* insn) {
  return warp.leave_function(insn, guarded_lanes(warp, insn));
}
void build_return(Builder& b) {
  b.take("uni");
  b.emit(&return_from_function);
}

const Insn* trap(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  return warp.fault(insn, FaultKind::kTrap, __builtin_ctz(lanes),
                    "the kernel executed a trap: its source calls __trap(), or the compiler put one where code "
                    "cannot work (see its warnings)");
}
void build_trap(Builder& b) { b.emit(&trap); }

const Insn* breakpoint(Warp&, const Insn* insn) { return insn + 1; }
void build_breakpoint(Builder& b) { b.emit(&breakpoint); }

// --- calls ---

const Insn* call_direct(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  return warp.enter_function(insn, lanes, *static_cast<const CallSite*>(insn->extra)->code);
}

/// Through a pointer: lanes with the first lane's target go now, the others come back to the call.
const Insn* call_indirect(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  const std::uint64_t* targets = lanes_at<std::uint64_t>(warp, insn->a);
  const int first = __builtin_ctz(lanes);
  Mask together = 0;
  each_lane(lanes, [&](int lane) { together |= static_cast<Mask>(targets[lane] == targets[first]) << lane; });
  const Code* const code = warp.block->launch().kernel().code_at(targets[first]);
  if (code == nullptr)
    return warp.fault(insn, FaultKind::kInvalidPc, first, "a call through a pointer that is not a device function");
  if (together != lanes) warp.leave_behind(insn, lanes & ~together);
  return warp.enter_function(insn, together, *code);
}

/// Functions that the device's system provides: printf, malloc and the like. They run on the lanes' local memory, where
/// the call left its arguments.
const Insn* call_system(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  return call_system_function(warp, insn, lanes, static_cast<SystemFunction>(insn->offset),
                              *static_cast<const CallSite*>(insn->extra));
}

std::vector<std::uint32_t> offsets_of(Builder& b, const ptx::Operand& list) {
  std::vector<std::uint32_t> offsets;
  for (const ptx::Operand& name : list.elements) {
    if (name.kind != ptx::Operand::Kind::kSymbol) b.refuse("a call whose arguments are not .param variables");
    const Builder::Symbol symbol = b.symbol(name);
    if (symbol.kind != Builder::Symbol::Kind::kLocal) b.refuse("a call whose arguments are not .param variables");
    offsets.push_back(static_cast<std::uint32_t>(symbol.value));
  }
  return offsets;
}

/// call (results), function, (arguments) {, prototype}; each list may be missing.
void build_call(Builder& b) {
  b.take("uni");
  CallSite& site = b.call_site();
  std::size_t n = 0;
  if (b.operand(n).kind == ptx::Operand::Kind::kVector) site.results = offsets_of(b, b.operand(n++));
  const ptx::Operand& target = b.operand(n++);
  if (n < b.operand_count() && b.operand(n).kind == ptx::Operand::Kind::kVector)
    site.arguments = offsets_of(b, b.operand(n++));
  b.insn.extra = &site;
  if (b.is_register(target)) {
    b.read(b.insn.a, target, SlotSize::k64);
    return b.emit(&call_indirect);
  }
  const SystemFunction system = b.system_function(target);
  if (system != SystemFunction::kNone) {
    site.math = math_function_named(target.name);
    if (site.math != nullptr && (site.arguments.size() != site.math->arguments || site.results.size() != 1))
      b.refuse("a call of " + std::string(target.name) + " with other arguments than it takes");
    b.insn.offset = static_cast<std::int64_t>(system);
    return b.emit(&call_system);
  }
  if (const std::string runtime = device_runtime_name(target.name); !runtime.empty())
    b.refuse(runtime + "() in device code");
  site.callee = b.symbol(target).function;
  if (site.callee == nullptr || !site.callee->has_body)
    b.refuse("a call of a function that the module does not define");
  b.emit(&call_direct);
}

constexpr OpcodeRow kRows[] = {
    {"bra", &build_branch}, {"brx", &build_branch_by_index}, {"call", &build_call},        {"ret", &build_return},
    {"exit", &build_exit},  {"trap", &build_trap},           {"brkpt", &build_breakpoint},
};

}  // namespace

const OpcodeTable VGPU_ROWS(control) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
