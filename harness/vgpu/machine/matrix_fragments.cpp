#include "harness/vgpu/machine/matrix_fragments.h"

#include <algorithm>

namespace vgpu {
namespace {

/// Four lanes share a row of A or a column of B, and eight rows or columns make a register.
constexpr std::uint32_t kLanesOfLine = 4, kLinesOfRegister = 8;

bool is_transposed(const MatrixProduct& product) { return product.m == 8 && product.n == 32; }

/// A, or B's columns as lines. `paired`: lines 8 apart come before what follows along k.
Fragment operand(std::uint32_t lines, std::uint32_t k, MatrixType type, bool paired) {
  Fragment f;
  f.bits = bits_of(type);
  f.register_bits = std::max(f.bits, 32u);
  if (type == MatrixType::kB1) k /= 32;
  f.rows = lines;
  f.columns = k;
  const std::uint32_t along = kLanesOfLine * f.per_register();  // elements of a line in a register
  const std::uint32_t pair = paired && lines >= 2 * kLinesOfRegister ? 2 : 1;
  f.registers = lines / kLinesOfRegister * (k / along);
  for (std::uint32_t r = 0; r < f.registers; ++r) {
    const std::uint32_t block = r / pair % (k / along);
    const std::uint32_t eight = r % pair + r / pair / (k / along) * pair;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      for (std::uint32_t i = 0; i < f.per_register(); ++i) {
        const std::uint32_t line = eight * kLinesOfRegister + lane / kLanesOfLine;
        const std::uint32_t at = block * along + lane % kLanesOfLine * f.per_register() + i;
        f.element.push_back(static_cast<std::uint16_t>(line * k + at));
      }
  }
  return f;
}

}  // namespace

Fragment fragment_of_a(const MatrixProduct& product) {
  return operand(product.m, product.k, product.a, !is_transposed(product));
}

Fragment fragment_of_b(const MatrixProduct& product) {
  return operand(product.n, product.k, product.b, is_transposed(product));
}

/// Two neighbours along a row, then 8 rows further down, then 8 columns to the right.
Fragment fragment_of_sums(const MatrixProduct& product, MatrixType type) {
  const bool transposed = is_transposed(product);
  const std::uint32_t rows = transposed ? product.n : product.m;
  Fragment f;
  f.rows = product.m;
  f.columns = product.n;
  f.bits = bits_of(type);
  f.register_bits = std::max(f.bits, 32u);
  f.registers = product.m * product.n / kLanes / f.per_register();
  const std::uint32_t eights = rows / kLinesOfRegister;
  for (std::uint32_t r = 0; r < f.registers; ++r)
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      for (std::uint32_t i = 0; i < f.per_register(); ++i) {
        const std::uint32_t n = r * f.per_register() + i;
        const std::uint32_t row = n / 2 % eights * kLinesOfRegister + lane / kLanesOfLine;
        const std::uint32_t column = n / 2 / eights * kLinesOfRegister + lane % kLanesOfLine * 2 + n % 2;
        f.element.push_back(
            static_cast<std::uint16_t>(transposed ? column * f.columns + row : row * f.columns + column));
      }
  return f;
}

void repeat_registers(Fragment& fragment, std::uint32_t registers) {
  const std::size_t once = fragment.element.size();
  fragment.distinct = fragment.registers;
  for (; fragment.registers < registers; ++fragment.registers)
    for (std::size_t n = 0; n < std::size_t{kLanes} * fragment.per_register(); ++n)
      fragment.element.push_back(fragment.element[fragment.element.size() - once]);
}

std::vector<FragmentAccess> accesses_of(const Fragment& fragment, bool goes_down) {
  constexpr std::uint32_t kWidest = 128;  // bits
  const std::uint32_t elements =
      (fragment.distinct != 0 ? fragment.distinct : fragment.registers) * fragment.per_register();
  const std::uint32_t per = fragment.per_register();
  const auto follows = [&](std::uint32_t n) {  // in all lanes
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t before = fragment.place((n - 1) / per, lane, (n - 1) % per);
      const std::uint32_t here = fragment.place(n / per, lane, n % per);
      const bool next = goes_down ? here == before + fragment.columns
                                  : here == before + 1 && here / fragment.columns == before / fragment.columns;
      if (!next) return false;
    }
    return true;
  };
  std::vector<FragmentAccess> all;
  for (std::uint32_t n = 0; n < elements; ++n) {
    const bool joins = n != 0 && follows(n) && (n - all.back().first + 1) * fragment.bits <= kWidest;
    if (joins)
      ++all.back().count;
    else
      all.push_back({n, 1});
  }
  return all;
}

void spread_rows(const MatrixRows& rows, std::uint32_t matrix, bool is_transposed, std::uint32_t* lanes) {
  const auto* const of_matrix = rows.data() + std::size_t{8} * matrix;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t line = lane / 4, pair = lane % 4 * 2;
    const std::uint32_t low = is_transposed ? of_matrix[pair][line] : of_matrix[line][pair];
    const std::uint32_t high = is_transposed ? of_matrix[pair + 1][line] : of_matrix[line][pair + 1];
    lanes[lane] = low | high << 16;
  }
}

void collect_rows(const std::uint32_t* lanes, std::uint32_t matrix, bool is_transposed, MatrixRows& rows) {
  auto* const of_matrix = rows.data() + std::size_t{8} * matrix;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t line = lane / 4, pair = lane % 4 * 2;
    (is_transposed ? of_matrix[pair][line] : of_matrix[line][pair]) = static_cast<std::uint16_t>(lanes[lane]);
    (is_transposed ? of_matrix[pair + 1][line] : of_matrix[line][pair + 1]) =
        static_cast<std::uint16_t>(lanes[lane] >> 16);
  }
}

void transpose_rows(const std::uint32_t* from, std::uint32_t* to) {
  MatrixRows rows{};
  collect_rows(from, 0, false, rows);
  spread_rows(rows, 0, true, to);
}

}  // namespace vgpu
