// What a matrix instruction does, as decoded: the elements it multiplies or moves, and which lane holds which of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {

enum class MatrixType : std::uint8_t { kF16, kBF16, kTF32, kE4M3, kE5M2, kF32, kF64, kS8, kU8, kS4, kU4, kB1, kS32 };

/// Bits of an element in a register. Those of single bits are taken 32 together, as the hardware does.
constexpr std::uint32_t bits_of(MatrixType type) {
  switch (type) {
    case MatrixType::kF64:
      return 64;
    case MatrixType::kF16:
    case MatrixType::kBF16:
      return 16;
    case MatrixType::kE4M3:
    case MatrixType::kE5M2:
    case MatrixType::kS8:
    case MatrixType::kU8:
      return 8;
    case MatrixType::kS4:
    case MatrixType::kU4:
      return 4;
    default:
      return 32;
  }
}

/// D = A * B + C; A has m rows, B n columns, both k elements of each.
struct MatrixProduct {
  std::uint32_t m = 0, n = 0, k = 0;
  MatrixType a = MatrixType::kF16, b = MatrixType::kF16;
  MatrixType c = MatrixType::kF32, d = MatrixType::kF32;
  /// The most products that the machine code adds in a step; the architecture may allow for fewer.
  std::uint32_t together = 64;
  bool saturates = false;    ///< of integers: stops at the ends of their range
  bool is_and = false;       ///< of single bits: a & b instead of a ^ b
  std::uint32_t device = 0;  ///< its compute capability, 90 for 9.0: they round differently
};

/// A matrix spread over the registers of a warp.
struct Fragment {
  std::uint32_t rows = 0, columns = 0;
  std::uint32_t bits = 32;           ///< of an element
  std::uint32_t register_bits = 32;  ///< of a lane
  std::uint32_t registers = 0;
  std::uint32_t distinct = 0;  ///< of these; the others repeat them
  /// Where element i of a lane's register r lies in the matrix: entry (r * 32 + lane) * per_register() + i. Numbered
  /// row after row; those of B, which has no use for its rows, column after column. An element may be held several
  /// times.
  std::vector<std::uint16_t> element;

  std::uint32_t per_register() const { return register_bits / bits; }
  std::uint32_t place(std::uint32_t reg, std::uint32_t lane, std::uint32_t i) const {
    return element[(reg * kLanes + lane) * per_register() + i];
  }
};

/// Elements of a fragment that follow each other both in a lane's registers and in memory.
struct FragmentAccess {
  std::uint32_t first = 0;  ///< its number among the lane's elements
  std::uint32_t count = 0;
};

/// Eight elements of 16 bits for each lane that gives ldmatrix or stmatrix an address.
using MatrixRows = std::array<std::array<std::uint16_t, 8>, kLanes>;

/// One matrix instruction; lives as long as the code.
struct MatrixOperation {
  /// Its lanes wait for each other here first, and for those of no other instruction.
  SyncOperation meeting;
  MatrixProduct product;
  /// Of what is loaded, stored or moved, `d` alone.
  Fragment a, b, c, d;
  std::vector<std::uint32_t> a_slots, b_slots, c_slots, d_slots;
  bool is_transposed = false;  ///< ldmatrix, stmatrix: .trans
  // Of a fragment that is loaded or stored:
  bool goes_down = false;  ///< its lines are far apart in memory, rather than the elements of a line
  ptx::Space space = ptx::Space::kGeneric;
  std::vector<FragmentAccess> accesses;
};

}  // namespace vgpu
