// What the 128 bytes of a CUtensorMap hold: a tensor in global memory, and the boxes in which it is copied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vgpu {

/// NVIDIA leaves the layout open; this one is ours. The driver API writes it (cuTensorMapEncodeTiled), and kernels read
/// it as they would anything else in memory: nothing of it is to be trusted before is_sound().
struct TensorMap {
  static constexpr std::uint32_t kMostDimensions = 5, kLargestBox = 256, kLargestStep = 8;
  static constexpr std::uint64_t kMark = 0x4C57544D41503031;  ///< what says that this is one

  std::uint64_t mark = 0;
  std::uint64_t address = 0;                                ///< of the tensor, a multiple of 16
  std::array<std::uint64_t, kMostDimensions> length{};      ///< elements in each dimension, the innermost first
  std::array<std::uint64_t, kMostDimensions - 1> stride{};  ///< bytes from one to the next in each other dimension
  std::array<std::uint16_t, kMostDimensions> box{};         ///< elements of a box
  std::array<std::uint8_t, kMostDimensions>
      step{};  ///< every step-th of these is copied; the innermost dimension has none
  std::uint8_t dimensions = 0;
  std::uint8_t element_bytes = 0;
  std::uint8_t swizzle = 0;         ///< log2 of how many chunks of 16 bytes change places: 1, 2, 3; 0: none do
  std::uint8_t fills_with_nan = 0;  ///< of what is outside of the tensor; else it reads as zeros
  std::uint8_t rounds_to_tf32 = 0;

  std::uint32_t row_bytes() const { return std::uint32_t{box[0]} * element_bytes; }
  /// Bytes from one row of a box to the next in shared memory: a row has the whole span that is swizzled.
  std::uint32_t pitch() const { return swizzle == 0 ? row_bytes() : 16U << swizzle; }
  /// Rows of a box in dimension `d`, which is not the innermost one.
  std::uint32_t rows_along(std::uint32_t d) const { return (box[d] + std::uint32_t{step[d]} - 1) / step[d]; }

  bool is_sound() const {
    if (mark != kMark || dimensions == 0 || dimensions > kMostDimensions || swizzle > 3) return false;
    if (element_bytes == 0 || element_bytes > 8 || (element_bytes & (element_bytes - 1)) != 0) return false;
    for (std::uint32_t d = 0; d < dimensions; ++d) {
      if (length[d] == 0 || length[d] > std::uint64_t{1} << 32) return false;
      if (box[d] == 0 || box[d] > kLargestBox || step[d] == 0 || step[d] > kLargestStep) return false;
      if (d > 0 && (stride[d - 1] % 16 != 0 || stride[d - 1] >= std::uint64_t{1} << 40)) return false;
    }
    if (rounds_to_tf32 != 0 && element_bytes != 4) return false;
    return address % 16 == 0 && row_bytes() % 16 == 0 && (swizzle == 0 || row_bytes() <= pitch());
  }
};
static_assert(sizeof(TensorMap) <= 128, "a CUtensorMap has no more");

}  // namespace vgpu
