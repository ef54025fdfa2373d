// Where the elements of several arrays lie in device memory, and in a copy without the gaps between them.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "harness/vgpu/libraries/device_work.h"

namespace vgpu::libraries {

/// Arrays of up to three dimensions: which array, and then its indices. The last varies fastest; leading dimensions
/// that an array has not are of one element.
struct ArrayLayout {
  std::array<std::size_t, 4> counts, strides;  ///< strides in elements
};

/// Rows in which they lie, as DeviceWork takes them.
struct ArrayRows {
  std::size_t width = 1, height = 1, pitch = 1;
  std::vector<std::size_t> offsets{0};   ///< of pieces of so many rows; empty if there would be more than kMostPieces
  std::array<std::size_t, 4> strides{};  ///< those of the layout, in the copy
};

/// All operands of a call have to fit into one message to the device.
inline constexpr std::size_t kMostPieces = 512;

ArrayRows rows_of(const ArrayLayout& layout);

/// The copy of such arrays while the work is done.
template <class T>
class ArrayCopy {
 public:
  ArrayCopy(DeviceWork& work, const T* device, const ArrayRows& rows, unsigned access)
      : first_(work.operand(device, rows.width, rows.height, rows.pitch, rows.offsets, access)),
        strides_(rows.strides) {}

  /// The beginning of a line along the last dimension.
  T* line(std::size_t array, std::size_t i, std::size_t j) const {
    return first_ + array * strides_[0] + i * strides_[1] + j * strides_[2];
  }
  /// From one element of a line to the next.
  std::size_t stride() const { return strides_[3]; }

 private:
  T* first_;
  std::array<std::size_t, 4> strides_;
};

}  // namespace vgpu::libraries
