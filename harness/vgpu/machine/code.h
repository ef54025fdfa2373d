// Decoded code: what a warp executes. Operands are offsets into a frame, where every register is a vector of 32 lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu {

struct Code;
struct Insn;
struct MathFunction;
class Translation;
struct Warp;

/// Executes one instruction for the active lanes and returns the next one, or null when the running group of lanes has
/// to stop (it parked, waits, ended or faulted; the warp knows which).
using Handler = const Insn* (*)(Warp&, const Insn*);

/// One decoded instruction; a cache line. `dst`, `a`, `b`, `c` are byte offsets into the frame. What `offset`, `target`
/// and `extra` mean is the handler's own business.
struct alignas(64) Insn {
  Handler run = nullptr;
  std::uint32_t guard = 0;  ///< offset of the guard predicate, a lane mask; offset 0 holds all ones
  Mask guard_flip = 0;      ///< all ones for @!p
  std::uint32_t dst = 0;
  std::uint32_t a = 0, b = 0, c = 0;
  union {
    std::int64_t offset = 0;  ///< added to addresses; small numbers
    std::uint32_t more[2];    ///< or two more offsets into the frame
  };
  const Insn* target = nullptr;  ///< of a branch
  const void* extra = nullptr;   ///< owned by Code, or static
  std::uint32_t source = 0;      ///< index into the function's body, for places
  std::uint32_t index = 0;       ///< of this instruction in Code::insns
};

/// Registers whose value does not change while a warp lives: they are written into the frame when it is made.
enum class Special : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kZero,
  kClusteridX,
  kClusteridY,
  kClusteridZ,
  kNclusteridX,
  kNclusteridY,
  kNclusteridZ,
  kClusterCtaidX,
  kClusterCtaidY,
  kClusterCtaidZ,
  kClusterNctaidX,
  kClusterNctaidY,
  kClusterNctaidZ,
  kClusterCtarank,
  kClusterNctarank,
  kIsExplicitCluster,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kDynamicSharedBytes,
  kTotalSharedBytes,
  kGridWorkspaceHigh,
  kGridWorkspaceLow,
};

/// Where a call's results and arguments lie in the caller's local memory, and what is called.
struct CallSite {
  const ptx::Function* callee = nullptr;  ///< null for an indirect call
  const Code* code = nullptr;             ///< of the callee, set when the kernel is linked
  const MathFunction* math = nullptr;     ///< what is called instead, if the device's library has it
  std::vector<std::uint32_t> results;
  std::vector<std::uint32_t> arguments;
};

struct SpecialSlot {
  Special which;
  std::uint32_t offset;
  std::uint32_t bytes;  ///< of one lane: 4 or 8
};

/// What an instruction reads or writes in its frame.
struct OperandSlot {
  std::uint32_t offset;
  std::uint32_t lane_bytes;  ///< 0: a lane mask
  bool is_written;
};

/// One function, decoded for one kernel.
struct Code {
  const ptx::Module* module = nullptr;
  const ptx::Function* function = nullptr;
  std::vector<Insn> insns;
  std::uint32_t frame_bytes = 0;
  std::vector<std::byte> constants;  ///< copied to `constants_offset` of every new frame
  std::uint32_t constants_offset = 0;
  std::vector<SpecialSlot> specials;
  std::uint32_t local_bytes = 0;              ///< a lane's .local and .param variables, results and parameters included
  std::vector<std::uint32_t> result_offsets;  ///< where results and parameters lie in a lane's local memory
  std::vector<std::uint32_t> parameter_offsets;          ///< (functions only; a kernel's parameters are the launch's)
  std::deque<std::vector<std::uint32_t>> operand_lists;  ///< storage for `extra`
  std::deque<std::vector<const Insn*>> target_lists;     ///< likewise, of brx
  std::deque<CallSite> call_sites;                       ///< likewise, of calls
  std::vector<std::shared_ptr<void>> kept;               ///< likewise, of whatever else
  /// How many instructions of the kernel's other functions are numbered before these: instruction i is number
  /// first_number + i of the kernel.
  std::uint32_t first_number = 0;
  /// Of watched code: the operands of instruction i, guards left out, are [first_operand[i], first_operand[i + 1]).
  std::vector<OperandSlot> operands;
  std::vector<std::uint32_t> first_operand;
  std::shared_ptr<Translation> translation;  ///< null if nothing of it is translated
};

/// What executes this instruction alone, whether translated code stands there or not.
Handler interpreter_of(const Code& code, const Insn* insn);

/// The PTX instruction that an instruction was made from.
inline const ptx::Instruction& instruction_of(const Code& code, const Insn& insn) {
  return code.function->body[insn.source];
}

/// Where the CUDA source of an instruction is.
inline ptx::SourcePlace place_of(const Code& code, const Insn& insn) {
  return ptx::place_of(*code.module, code.function->body[insn.source].location);
}

}  // namespace vgpu
