// What instructions do to marks: where the marks of a result come from.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/warp.h"
#include "harness/vgpu/monitor/marks.h"

namespace vgpu {

/// What an instruction does with marked operands.
enum class Conduct : std::uint8_t {
  kNothing,         ///< no register is concerned
  kComputes,        ///< a marked operand marks the whole result
  kComputesByLane,  ///< ... or less, which depends on where the mark is, and on the other operands
  kMovesBits,       ///< every bit of the result is one of the first operand's, or of several; the others say which
  kAnd,             ///< a zero that is not marked gives one
  kOr,              ///< likewise a one
  kJoins,           ///< a bit is marked if that bit of an operand is
  kLogic,           ///< lop3: a bit is marked if it could be another one
  kCompares,        ///< setp
  kSelects,         ///< by its last operand; else it moves bits
  kLoads,
  kStores,
  kAtomic,
  kExchanges,  ///< between lanes
  kBranches,   ///< by a register
  kCalls,
  kReturns,
  kCopies,      ///< from memory to memory
  kMultiplies,  ///< matrices
  kTransposes,  ///< likewise
  kWaits,       ///< at a barrier of some kind
};

/// Of the instruction; found out anew with every call.
Conduct conduct_of(const Code& code, const Insn& insn);

/// The operands of an instruction, the guard left out.
struct OperandRange {
  const OperandSlot *first, *last;

  const OperandSlot* begin() const { return first; }
  const OperandSlot* end() const { return last; }
};
inline OperandRange operands_of(const Code& code, const Insn& insn) {
  const OperandSlot* const all = code.operands.data();
  return {all + code.first_operand[insn.index], all + code.first_operand[insn.index + 1]};
}

/// The operand at that offset of the frame that the instruction reads; null if that is no operand of it.
const OperandSlot* operand_read(const Code& code, const Insn& insn, std::uint32_t offset);

/// Moves the marks of an instruction of the running group that is about to be executed for `lanes`.
void move_marks(Warp& warp, const Insn* insn, Conduct conduct, WarpMarks& marks, Mask lanes);

/// What is known of the outcome of a vote or a match.
struct Verdict {
  Mask marked = 0;          ///< lanes whose value is
  OriginId origin = 0;      ///< of the first of them
  bool is_settled = false;  ///< the others decide alone
  bool is_by_lane = false;  ///< the outcome is a mask, in which each lane has its own bit
};
Verdict vote_marks(const std::vector<Participant>& participants, WarpMarks& marks);

/// Those of a shuffle, which lanes of several groups take part in.
void shuffle_marks(Warp& warp, const std::vector<Participant>& participants, WarpMarks& marks);

}  // namespace vgpu
