// Which products of matrices there are, and how an instruction's operands hold them. Compiled once; what executes them
// is in matrix_multiply.cpp.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "harness/vgpu/machine/matrix_fragments.h"
#include "harness/vgpu/machine/opcodes/matrix.h"

namespace vgpu {
namespace {

/// Types that go together, and the shapes of their products.
struct Products {
  std::initializer_list<MatrixType> operands;
  std::initializer_list<MatrixType> sums;
  bool is_mixed;  ///< A and B may have different ones of the types
  struct Shape {
    std::uint32_t m, n, k;
  };
  std::initializer_list<Shape> mma, wmma;
};

constexpr std::initializer_list<Products::Shape> kNone = {}, kSquare = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};

bool is_one_of(MatrixType type, std::initializer_list<MatrixType> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool exists(const MatrixProduct& p, bool is_wmma) {
  using T = MatrixType;
  const Products all[] = {
      {{T::kF16}, {T::kF16, T::kF32}, false, {{16, 8, 8}, {16, 8, 16}}, kSquare},
      {{T::kBF16}, {T::kF32}, false, {{16, 8, 8}, {16, 8, 16}}, kSquare},
      {{T::kTF32}, {T::kF32}, false, {{16, 8, 4}, {16, 8, 8}}, {{16, 16, 8}}},
      {{T::kE4M3, T::kE5M2}, {T::kF32}, true, {{16, 8, 32}}, kNone},
      {{T::kF64}, {T::kF64}, false, {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}}, {{8, 8, 4}}},
      {{T::kS8, T::kU8}, {T::kS32}, !is_wmma, {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}}, kSquare},
      {{T::kS4, T::kU4}, {T::kS32}, !is_wmma, {{8, 8, 32}, {16, 8, 32}, {16, 8, 64}}, {{8, 8, 32}}},
      {{T::kB1}, {T::kS32}, false, {{8, 8, 128}, {16, 8, 128}, {16, 8, 256}}, {{8, 8, 128}}},
  };
  for (const Products& row : all) {
    if (!is_one_of(p.a, row.operands) || !is_one_of(p.b, row.operands) || (p.a != p.b && !row.is_mixed)) continue;
    if (!is_one_of(p.c, row.sums) || !is_one_of(p.d, row.sums) || (p.c != p.d && !is_wmma)) continue;
    for (const Products::Shape& shape : is_wmma ? row.wmma : row.mma)
      if (shape.m == p.m && shape.n == p.n && shape.k == p.k) return true;
  }
  return false;
}

Handler handler_of(const MatrixProduct& p, const MatrixHandlers& handlers) {
  if (p.a == MatrixType::kF64) return handlers.doubles;
  return p.d == MatrixType::kS32 ? handlers.integers : handlers.floats;
}

/// `sync` and `aligned` are mandatory. The layouts say how A and B lay in memory: of registers, only one is possible.
void take_common(Builder& b) {
  if (!b.take("sync")) b.refuse(b.spelled() + " without .sync");
  b.take("aligned");
}

}  // namespace

void build_matrix_product(Builder& b, bool is_wmma, const MatrixHandlers& handlers) {
  if (b.take("sp") || b.take("sp::ordered_metadata")) b.refuse(b.spelled() + " (products of sparse matrices)");
  refuse_other_operands(b, 4, 4);
  take_common(b);
  MatrixOperation& operation = new_operation(b);
  MatrixProduct& p = operation.product;
  take_shape(b, p);
  const bool a_is_row = b.take("row"), b_is_column = b.take("col");
  if (!is_wmma && (!a_is_row || !b_is_column)) b.refuse(b.spelled() + " of other layouts than .row.col");
  b.take("row");
  b.take("col");
  p.saturates = b.take("satfinite");
  const bool is_xor = b.take("xor");
  p.is_and = b.take("and");
  const std::vector<MatrixType> types = take_matrix_types(b);
  if (types.size() == 4) {
    p.d = types[0], p.a = types[1], p.b = types[2], p.c = types[3];
  } else if (is_wmma && types.size() == 2) {  // of f16, which is not spelled
    p.d = types[0], p.c = types[1];
  } else {
    b.refuse(b.spelled());
  }
  const bool is_bits = p.a == MatrixType::kB1;
  if (is_bits != b.take("popc") || (is_bits && is_xor == p.is_and)) b.refuse(b.spelled());
  if (p.saturates && p.d != MatrixType::kS32) b.refuse(b.spelled());
  if (p.d == MatrixType::kF64) b.take("rn");
  if (p.m == 8 && p.n == 8 && p.k == 4 && p.a == MatrixType::kF16)
    b.refuse(b.spelled() + ", which only Volta computes with tensor cores");
  if (!exists(p, is_wmma)) b.refuse(b.spelled());
  constexpr std::uint32_t kHalfOfK = 4;  // ptxas makes two instructions of it (on an H200, as its results show)
  if (is_wmma && p.a == MatrixType::kTF32) p.together = kHalfOfK;
  operation.a = fragment_of_a(p);
  operation.b = fragment_of_b(p);
  operation.c = fragment_of_sums(p, p.c);
  operation.d = fragment_of_sums(p, p.d);
  if (is_wmma && p.a == MatrixType::kF16) {
    constexpr std::uint32_t kRegistersOfHalf = 8;
    repeat_registers(operation.a, kRegistersOfHalf);
    repeat_registers(operation.b, kRegistersOfHalf);
  }
  emit_meeting(b, operation);
  take_fragment<false>(b, b.operand(0), operation.d, operation.d_slots);
  take_fragment<true>(b, b.operand(1), operation.a, operation.a_slots);
  take_fragment<true>(b, b.operand(2), operation.b, operation.b_slots);
  take_fragment<true>(b, b.operand(3), operation.c, operation.c_slots);
  b.insn.extra = &operation;
  b.emit(handler_of(p, handlers));
}

const Insn* lanes_are_missing(Warp& warp, const Insn* insn, Mask lanes) {
  const ptx::Instruction& instruction = instruction_of(*warp.frame->code, *insn);
  std::string name(instruction.opcode);
  if (instruction.opcode == "wmma") name.append(".").append(instruction.modifiers.front());
  const int missing = __builtin_ctz(~lanes);
  const Mask one = Mask{1} << missing;
  const char* const why = (warp.lanes & one) == 0    ? " does not exist: the block's size is no multiple of 32"
                          : (warp.exited & one) != 0 ? " has ended"
                                                     : " is not among them";
  return warp.fault(insn, FaultKind::kTrap, __builtin_ctz(lanes),
                    name + " is executed by all 32 threads of a warp together, but thread " + std::to_string(missing) +
                        " of the warp" + why);
}

}  // namespace vgpu
