// Instructions in a row that are translated together: which ones can be, and what each of them does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/noted_reads.h"

namespace vgpu {

/// What an instruction does in each lane with its operands a, b and c.
enum class Operation : std::uint8_t {
  kMove32,
  kMove64,
  kAdd32,
  kSubtract32,
  kMultiply32,
  kMultiplyAdd32,
  kMultiplyHighS32,
  kMultiplyHighU32,
  kMinimumS32,
  kMinimumU32,
  kMaximumS32,
  kMaximumU32,
  kAbsolute32,
  kNegate32,
  kAnd32,
  kOr32,
  kXor32,
  kNot32,
  kShiftLeft32,
  kShiftRightU32,
  kShiftRightS32,
  kFunnelLeft32,   ///< the upper word of (b, a) shifted by c modulo 32
  kFunnelRight32,  ///< the lower one
  kCountOnes32,
  kAdd64,
  kSubtract64,
  kMultiply64,
  kAnd64,
  kOr64,
  kXor64,
  kNot64,
  kShiftLeft64,
  kShiftRightU64,
  kShiftRightS64,
  kWidenS32,  ///< to 64 bits
  kWidenU32,
  kNarrow64,  ///< to 32 bits
  kMultiplyWideS32,
  kMultiplyWideU32,
  kMultiplyAddWideS32,
  kMultiplyAddWideU32,
  kAddF32,
  kSubtractF32,
  kMultiplyF32,
  kDivideF32,
  kFusedMultiplyAddF32,
  kSquareRootF32,
  kAbsoluteF32,
  kNegateF32,
  kFloatFromS32,
  kFloatFromU32,
  kSubtractF64,
  kCompareS32,
  kCompareU32,
  kCompareF32,
  kCompareS64,
  kCompareU64,
  kSelect32,
  kSelect64,
  kAndPredicate,
  kOrPredicate,
  kXorPredicate,
  kNotPredicate,
  kMovePredicate,
  kParameter32,
  kParameter64,
  kLoad32,  ///< rows of global or shared memory
  kLoad64,
  kLoad32x2,  ///< of vectors, each element of which goes into a register of its own
  kLoad32x4,
};

/// Of the kCompare operations. The unordered ones hold where an operand is NaN, the others do not.
enum class Comparison : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqualOrNan,
  kNotEqualOrNan,
  kLessOrNan,
  kLessEqualOrNan,
  kGreaterOrNan,
  kGreaterEqualOrNan,
  kBothNumbers,
  kAnyNan,
};

struct Step {
  Operation operation;
  Comparison comparison = Comparison::kEqual;
  const Insn* insn = nullptr;
  std::uint32_t base = 0;  ///< of a load: an index into Passage::bases
};

/// Which frame slots an operation reads and writes, as bytes of a lane: 4 or 8; 0 for a lane mask, -1 for none.
struct OperandWidths {
  int dst, a, b, c;
};
OperandWidths widths_of(Operation operation);
bool is_load(Operation operation);
/// Of a load, in a lane.
std::uint32_t bytes_loaded(Operation operation);

/// The frame slots that a step writes.
struct Destinations {
  const std::uint32_t* slots;
  std::uint32_t count;

  const std::uint32_t* begin() const { return slots; }
  const std::uint32_t* end() const { return slots + count; }
  bool include(std::uint32_t slot) const;
};
Destinations destinations_of(const Step& step);

/// What the loads of a passage count from: a register whose lanes, in each half of the warp, hold the addresses of a
/// row or of one place.
struct RowBase {
  std::uint32_t slot = 0;
  bool is_global = false;  ///< and holds 64 bits a lane; else 32
  std::uint32_t bytes = 0;
  std::uint8_t contiguous = 0;           ///< bit h: what the code is made for in half h; else one place
  std::int64_t lowest = 0, highest = 0;  ///< of the loads' offsets
  std::vector<std::uint32_t> forgotten;  ///< places of Warp::base_tags that the loads make stale
};

constexpr std::size_t kMostRowBases = ReadBatch::kMostBases;

/// Straight-line code that nothing jumps into. If its last instruction is not the end of that, the next one is
/// translated by itself, or not at all.
struct Passage {
  const Code* code = nullptr;
  std::vector<Step> steps;
  std::vector<RowBase> bases;
  ReadBatch reads;  ///< those of shared memory
  bool is_watched = false;
  mutable std::uint64_t hits = 0, misses = 0;  ///< how often the addresses were such as it is made for, and others

  const Insn* first() const { return steps.front().insn; }
  const Insn* behind() const { return steps.back().insn + 1; }
};

/// What the instruction does; nothing if the translator does not know it.
std::optional<Step> recognise(const Code& code, const Insn& insn, bool is_watched);

/// Where jumps lead to, and where lanes meet: no passage goes on beyond these.
std::vector<bool> run_begins(const Code& code);

struct PassageOptions {
  bool is_watched;
  bool with_loads;    ///< whether loads may be part of it
  bool may_be_short;  ///< of a single instruction
  std::uint32_t end;  ///< index of an instruction that it does not go beyond
};

/// The passage that begins at `first`; empty if there is none worth translating.
Passage passage_from(const Code& code, const Insn* first, const std::vector<bool>& begins,
                     const PassageOptions& options);

}  // namespace vgpu
