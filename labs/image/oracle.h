// What the lab image's functions must give, in exact integer arithmetic; and the box sums it is computed with.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::image_lab {

/// Extents of a problem's picture.
struct Extent {
  std::int64_t width = 0;
  std::int64_t height = 0;
};
Extent extent_of(const Problem& problem);

/// 0.21 r + 0.72 g + 0.07 b to the nearest whole number, halves up: the weights are hundredths, so nothing is lost.
constexpr std::uint8_t grey_of(int r, int g, int b) {
  return static_cast<std::uint8_t>((21 * r + 72 * g + 7 * b + 50) / 100);
}

/// sum / count to the nearest whole number, halves up; sum >= 0, count > 0.
constexpr std::uint8_t rounded_mean(std::int64_t sum, std::int64_t count) {
  assert(count > 0);
  return static_cast<std::uint8_t>((2 * sum + count) / (2 * count));  // NOLINT(clang-analyzer-core.DivideZero)
}

/// Sums over rectangles of a picture in constant time: an integral image, whose entry (row, col) is the sum of all
/// pixels above row and left of col. (F. Crow, "Summed-area tables for texture mapping", SIGGRAPH 1984.)
class BoxSums {
 public:
  /// `pixels`: height rows of width bytes.
  BoxSums(const std::uint8_t* pixels, Extent extent);

  /// Sum over rows [top, bottom) and columns [left, right), all inside the picture.
  std::int64_t sum(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) const {
    return at(bottom, right) - at(top, right) - at(bottom, left) + at(top, left);
  }

 private:
  std::int64_t at(std::int64_t row, std::int64_t col) const {
    return table_[static_cast<std::size_t>(row * (width_ + 1) + col)];
  }

  std::int64_t width_;
  std::vector<std::int64_t> table_;  // (height + 1) x (width + 1)
};

Array grayscale_oracle(const Problem& problem);
Array blur_oracle(const Problem& problem);

}  // namespace lanewise::labs::image_lab
