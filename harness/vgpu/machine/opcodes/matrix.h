// What the files of matrix instructions share: how lanes meet at one, and how its operands are read.
#pragma once

#include <memory>
#include <string>

#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/matrix_operation.h"
#include "harness/vgpu/machine/opcodes/exchange.h"

namespace vgpu {

/// wmma.load and wmma.store; wmma.mma is with mma.
void build_fragment_load(Builder& b);
void build_fragment_store(Builder& b);

/// All 32 lanes must execute a matrix instruction. Those that are not among `lanes` have ended, have not existed, or
/// have gone another way: a fault, of which this returns what a handler has to.
const Insn* lanes_are_missing(Warp& warp, const Insn* insn, Mask lanes);

/// What executes a product, by the kind of its sums.
struct MatrixHandlers {
  Handler floats, doubles, integers;
};

/// mma and wmma.mma, of which that has been taken.
void build_matrix_product(Builder& b, bool is_wmma, const MatrixHandlers& handlers);

namespace {

inline const MatrixOperation& matrix_operation_of(const Insn* insn) {
  return *static_cast<const MatrixOperation*>(insn->extra);
}

/// Lanes that come to a matrix instruction one by one wait for each other, and exchange nothing.
struct Gather {
  static void collect(Warp&, const Insn*, Mask, Exchange&) {}
  static void finish(Warp&, const Insn*, Mask, const Exchange&) {}
};

/// Storage for an instruction that lives as long as the code.
inline MatrixOperation& new_operation(Builder& b) {
  auto operation = std::make_shared<MatrixOperation>();
  operation->meeting = {&Gather::collect, &Gather::finish, nullptr};
  b.keep(operation);
  return *operation;
}

/// Comes before the instruction that does the work: its lanes wait for each other here.
inline void emit_meeting(Builder& b, const MatrixOperation& operation) {
  b.constant(b.insn.c, kAllLanes, SlotSize::k32);
  b.insn.extra = &operation.meeting;
  b.emit(&exchange<Gather>);
}

/// The registers {a, b, ...} of an operand, or one register by itself.
inline std::vector<const ptx::Operand*> registers_of(const ptx::Operand& operand) {
  if (operand.kind != ptx::Operand::Kind::kVector) return {&operand};
  std::vector<const ptx::Operand*> all;
  for (const ptx::Operand& each : operand.elements) all.push_back(&each);
  return all;
}

/// `slots` become those of as many registers as the fragment has, to be read or written.
template <bool Reading>
void take_fragment(Builder& b, const ptx::Operand& operand, const Fragment& fragment,
                   std::vector<std::uint32_t>& slots) {
  const std::vector<const ptx::Operand*> all = registers_of(operand);
  if (all.size() != fragment.registers)
    b.refuse(b.spelled() + " with " + std::to_string(all.size()) + " registers where " +
             std::to_string(fragment.registers) + " belong");
  slots.assign(all.size(), 0);
  const SlotSize size = fragment.register_bits == 64 ? SlotSize::k64 : SlotSize::k32;
  for (std::size_t n = 0; n < all.size(); ++n)
    if (Reading)
      b.read(slots[n], *all[n], size);
    else
      b.write(slots[n], *all[n], size);
}

/// The name of a type of element; false if it is none.
inline bool matrix_type_named(std::string_view name, MatrixType& type) {
  struct Named {
    std::string_view name;
    MatrixType type;
  };
  constexpr Named kTypes[] = {{"f16", MatrixType::kF16},   {"bf16", MatrixType::kBF16}, {"tf32", MatrixType::kTF32},
                              {"e4m3", MatrixType::kE4M3}, {"e5m2", MatrixType::kE5M2}, {"f32", MatrixType::kF32},
                              {"f64", MatrixType::kF64},   {"s8", MatrixType::kS8},     {"u8", MatrixType::kU8},
                              {"s4", MatrixType::kS4},     {"u4", MatrixType::kU4},     {"b1", MatrixType::kB1},
                              {"s32", MatrixType::kS32}};
  for (const Named& each : kTypes) {
    if (each.name != name) continue;
    type = each.type;
    return true;
  }
  return false;
}

/// Takes every modifier that names a type, in order.
inline std::vector<MatrixType> take_matrix_types(Builder& b) {
  std::vector<MatrixType> types;
  MatrixType type{};
  for (const std::string_view modifier : b.instruction().modifiers)
    if (matrix_type_named(modifier, type) && b.take(modifier)) types.push_back(type);
  return types;
}

inline void refuse_other_operands(Builder& b, std::size_t least, std::size_t most) {
  if (b.operand_count() < least || b.operand_count() > most)
    b.refuse(b.spelled() + " with " + std::to_string(b.operand_count()) + " operands");
}

/// Takes a shape such as m16n8k16; the product of another one is left as it is.
inline void take_shape(Builder& b, MatrixProduct& product) {
  for (const std::string_view modifier : b.instruction().modifiers) {
    std::uint32_t numbers[3] = {};
    std::size_t at = 0;
    bool is_shape = true;
    for (std::size_t n = 0; n < 3 && is_shape; ++n) {
      is_shape = at < modifier.size() && modifier[at] == "mnk"[n];
      for (++at; is_shape && at < modifier.size() && modifier[at] >= '0' && modifier[at] <= '9'; ++at)
        numbers[n] = numbers[n] * 10 + static_cast<std::uint32_t>(modifier[at] - '0');
      is_shape = is_shape && at < 10;  // none is longer, and no number wraps
    }
    if (!is_shape || at != modifier.size() || !b.take(modifier)) continue;
    product.m = numbers[0];
    product.n = numbers[1];
    product.k = numbers[2];
    return;
  }
}

}  // namespace
}  // namespace vgpu
