// The right answers of the lab image.
#include "labs/image/oracle.h"

#include <algorithm>

namespace lanewise::labs::image_lab {

Extent extent_of(const Problem& problem) {
  return {integer_scalar(problem, "width"), integer_scalar(problem, "height")};
}

BoxSums::BoxSums(const std::uint8_t* pixels, Extent extent)
    : width_(extent.width), table_(static_cast<std::size_t>((extent.width + 1) * (extent.height + 1))) {
  for (std::int64_t row = 0; row < extent.height; ++row) {
    std::int64_t row_sum = 0;
    for (std::int64_t col = 0; col < extent.width; ++col) {
      row_sum += pixels[row * extent.width + col];
      table_[static_cast<std::size_t>((row + 1) * (width_ + 1) + col + 1)] = at(row, col + 1) + row_sum;
    }
  }
}

Array grayscale_oracle(const Problem& problem) {
  const auto [width, height] = extent_of(problem);
  const std::uint8_t* rgb = elements<std::uint8_t>(find_array(problem.inputs, "rgb"));
  Array result = make_array<std::uint8_t>("gray", {height, width});
  std::uint8_t* gray = elements<std::uint8_t>(result);
  for (std::int64_t i = 0; i < width * height; ++i) gray[i] = grey_of(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
  return result;
}

Array blur_oracle(const Problem& problem) {
  const auto [width, height] = extent_of(problem);
  const std::int64_t radius = integer_scalar(problem, "radius");
  const BoxSums sums(elements<std::uint8_t>(find_array(problem.inputs, "in")), {width, height});
  Array result = make_array<std::uint8_t>("out", {height, width});
  std::uint8_t* out = elements<std::uint8_t>(result);
  for (std::int64_t row = 0; row < height; ++row) {
    const std::int64_t top = std::max<std::int64_t>(0, row - radius);
    const std::int64_t bottom = std::min(height, row + radius + 1);
    for (std::int64_t col = 0; col < width; ++col) {
      const std::int64_t left = std::max<std::int64_t>(0, col - radius);
      const std::int64_t right = std::min(width, col + radius + 1);
      *out++ = rounded_mean(sums.sum(top, bottom, left, right), (bottom - top) * (right - left));
    }
  }
  return result;
}

}  // namespace lanewise::labs::image_lab
