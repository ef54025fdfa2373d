// Products of matrices that a warp holds together: mma, and wmma, which also loads and stores them. Which of them there
// are is in matrix_products.cpp.
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/opcodes/matrix.h"
#include "harness/vgpu/machine/opcodes/tables.h"
#include "harness/vgpu/machine/opcodes/tensor_sums.h"

namespace vgpu {
namespace {

/// The most elements of A, of m16n8k64, and of C, of m16n16k16.
constexpr std::uint32_t kMostElements = 1024, kMostSums = 256;

template <class Element, class Register>
void collect_matrix(const Warp& warp, const Fragment& f, const std::vector<std::uint32_t>& slots, Element* matrix) {
  const std::uint16_t* place = f.element.data();
  const auto mask = static_cast<Register>(~Register{0} >> (8 * sizeof(Register) - f.bits));
  for (const std::uint32_t slot : slots) {
    const auto* const from = reinterpret_cast<const Register*>(warp.registers + slot);
    for (int lane = 0; lane < kLanes; ++lane)
      for (std::uint32_t bit = 0; bit < f.register_bits; bit += f.bits)
        matrix[*place++] = static_cast<Element>(from[lane] >> bit & mask);
  }
}

template <class Element, class Register>
void spread_matrix(const Warp& warp, const Fragment& f, const std::vector<std::uint32_t>& slots,
                   const Element* matrix) {
  const std::uint16_t* place = f.element.data();
  for (const std::uint32_t slot : slots) {
    auto* const to = reinterpret_cast<Register*>(warp.registers + slot);
    for (int lane = 0; lane < kLanes; ++lane) {
      Register all = 0;
      for (std::uint32_t bit = 0; bit < f.register_bits; bit += f.bits)
        all |= static_cast<Register>(static_cast<Register>(matrix[*place++]) << bit);
      to[lane] = all;
    }
  }
}

template <class Element,
          void (*Multiply)(const MatrixProduct&, const Element*, const Element*, const Element*, Element*)>
const Insn* multiply(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  if (lanes != kAllLanes) return lanes_are_missing(warp, insn, lanes);
  const MatrixOperation& operation = matrix_operation_of(insn);
  Element a[kMostElements], b[kMostElements], c[kMostSums] = {}, d[kMostSums];
  collect_matrix<Element, Element>(warp, operation.a, operation.a_slots, a);
  collect_matrix<Element, Element>(warp, operation.b, operation.b_slots, b);
  collect_matrix<Element, Element>(warp, operation.c, operation.c_slots, c);
  MatrixProduct product = operation.product;
  product.device = warp.block->launch().options().compute_capability;
  Multiply(product, a, b, c, d);
  spread_matrix<Element, Element>(warp, operation.d, operation.d_slots, d);
  return insn + 1;
}

// --- the opcodes ---

constexpr MatrixHandlers kHandlers = {&multiply<std::uint32_t, &multiply_floats>,
                                      &multiply<std::uint64_t, &multiply_doubles>,
                                      &multiply<std::uint32_t, &multiply_integers>};

void build_mma(Builder& b) { build_matrix_product(b, false, kHandlers); }

void build_wmma(Builder& b) {
  if (b.take("load")) return build_fragment_load(b);
  if (b.take("store")) return build_fragment_store(b);
  if (!b.take("mma")) b.refuse(b.spelled());
  build_matrix_product(b, true, kHandlers);
}

constexpr OpcodeRow kRows[] = {
    {"mma", &build_mma},
    {"wmma", &build_wmma},
};

}  // namespace

const OpcodeTable VGPU_ROWS(matrix_multiply) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
