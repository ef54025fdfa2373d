// What typical mistakes in blurring a picture give.
#include <algorithm>
#include <string>
#include <utility>

#include "labs/image/coverage.h"
#include "labs/image/misconceptions.h"
#include "labs/image/oracle.h"

namespace lanewise::labs::image_lab {
namespace {

// Rows [top, bottom) and columns [left, right); empty if an end comes before its beginning.
struct Window {
  std::int64_t top, bottom, left, right;
};

std::int64_t pixels_in(Window w) {
  return std::max<std::int64_t>(0, w.bottom - w.top) * std::max<std::int64_t>(0, w.right - w.left);
}

Window whole_window(std::int64_t row, std::int64_t col, std::int64_t radius) {
  return {row - radius, row + radius + 1, col - radius, col + radius + 1};
}

Window clipped(Window w, Window to) {
  return {std::max(w.top, to.top), std::min(w.bottom, to.bottom), std::max(w.left, to.left),
          std::min(w.right, to.right)};
}

Window picture(Extent extent) { return {0, extent.height, 0, extent.width}; }

using Outcome = std::function<std::vector<Array>(const Problem&)>;

// What dividing integers by 0 gives on a GPU; converting 0.0f / 0 gives 0.
constexpr std::uint8_t kIntegerQuotientOfNothing = 255;

// A picture whose pixel (row, col) is level(sum over window(extent, radius, row, col), pixels in it, radius). The
// window must lie inside the picture; over an empty one the pixel is of_nothing.
template <class WindowOf, class Level>
Outcome over_windows(const WindowOf& window_of, const Level& level, std::uint8_t of_nothing = 0) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const Extent extent = extent_of(problem);
    const std::int64_t radius = integer_scalar(problem, "radius");
    const BoxSums sums(elements<std::uint8_t>(find_array(problem.inputs, "in")), extent);
    Array result = make_array<std::uint8_t>("out", {extent.height, extent.width});
    std::uint8_t* out = elements<std::uint8_t>(result);
    for (std::int64_t row = 0; row < extent.height; ++row)
      for (std::int64_t col = 0; col < extent.width; ++col, ++out) {
        const Window w = window_of(extent, radius, row, col);
        const std::int64_t count = pixels_in(w);
        *out = count == 0 ? of_nothing : level(sums.sum(w.top, w.bottom, w.left, w.right), count, radius);
      }
    return {std::move(result)};
  };
}

// The mean over another window, itself cut at the border.
template <class WindowOf>
Outcome mean_over(const WindowOf& window_of, std::uint8_t of_nothing = 0) {
  return over_windows([=](Extent extent, std::int64_t radius, std::int64_t row,
                          std::int64_t col) { return clipped(window_of(radius, row, col), picture(extent)); },
                      [](std::int64_t sum, std::int64_t count, std::int64_t) { return rounded_mean(sum, count); },
                      of_nothing);
}

Window right_window(Extent extent, std::int64_t radius, std::int64_t row, std::int64_t col) {
  return clipped(whole_window(row, col, radius), picture(extent));
}

// The mean over the whole window of a picture that goes on beyond its border with outside(extent, row, col), an index
// into the picture; a negative one stands for a black pixel.
template <class Outside>
Outcome with_border(const Outside& outside) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const Extent extent = extent_of(problem);
    const std::int64_t radius = integer_scalar(problem, "radius");
    const std::uint8_t* in = elements<std::uint8_t>(find_array(problem.inputs, "in"));
    Array result = make_array<std::uint8_t>("out", {extent.height, extent.width});
    if (extent.width == 0 || extent.height == 0) return {std::move(result)};  // no pixel that a border could repeat
    const Extent wide{extent.width + 2 * radius, extent.height + 2 * radius};
    std::vector<std::uint8_t> padded;
    padded.reserve(static_cast<std::size_t>(wide.width * wide.height));
    for (std::int64_t row = -radius; row < extent.height + radius; ++row)
      for (std::int64_t col = -radius; col < extent.width + radius; ++col) {
        const std::int64_t from = outside(extent, row, col);
        padded.push_back(from < 0 || from >= extent.width * extent.height ? std::uint8_t{0} : in[from]);
      }
    const BoxSums sums(padded.data(), wide);
    const std::int64_t side = 2 * radius + 1;
    std::uint8_t* out = elements<std::uint8_t>(result);
    for (std::int64_t row = 0; row < extent.height; ++row)
      for (std::int64_t col = 0; col < extent.width; ++col)
        *out++ = rounded_mean(sums.sum(row, row + side, col, col + side), side * side);
    return {std::move(result)};
  };
}

// The last rows and columns of a window are counted, but not added.
Outcome without_ends(std::int64_t rows, std::int64_t cols) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const Extent extent = extent_of(problem);
    const std::int64_t radius = integer_scalar(problem, "radius");
    const BoxSums sums(elements<std::uint8_t>(find_array(problem.inputs, "in")), extent);
    Array result = make_array<std::uint8_t>("out", {extent.height, extent.width});
    std::uint8_t* out = elements<std::uint8_t>(result);
    for (std::int64_t row = 0; row < extent.height; ++row)
      for (std::int64_t col = 0; col < extent.width; ++col) {
        const Window w = right_window(extent, radius, row, col);
        *out++ = rounded_mean(sums.sum(w.top, w.bottom - rows, w.left, w.right - cols), pixels_in(w));
      }
    return {std::move(result)};
  };
}

// Only the position in the array is tested: a window that leaves its row at one side enters a neighbouring row at the
// other, and every pixel found that way counts.
std::vector<Array> sides_not_tested(const Problem& problem) {
  const Extent extent = extent_of(problem);
  const std::int64_t radius = integer_scalar(problem, "radius");
  const std::uint8_t* in = elements<std::uint8_t>(find_array(problem.inputs, "in"));
  const std::int64_t pixels = extent.width * extent.height;
  std::vector<std::int64_t> sum_before(static_cast<std::size_t>(pixels + 1));  // of the picture as one line
  for (std::int64_t i = 0; i < pixels; ++i)
    sum_before[static_cast<std::size_t>(i + 1)] = sum_before[static_cast<std::size_t>(i)] + in[i];
  Array result = make_array<std::uint8_t>("out", {extent.height, extent.width});
  std::uint8_t* out = elements<std::uint8_t>(result);
  for (std::int64_t row = 0; row < extent.height; ++row)
    for (std::int64_t col = 0; col < extent.width; ++col) {
      std::int64_t sum = 0;
      std::int64_t count = 0;
      for (std::int64_t r = row - radius; r <= row + radius; ++r) {
        const std::int64_t first = std::clamp<std::int64_t>(r * extent.width + col - radius, 0, pixels);
        const std::int64_t end = std::clamp<std::int64_t>(r * extent.width + col + radius + 1, 0, pixels);
        sum += sum_before[static_cast<std::size_t>(end)] - sum_before[static_cast<std::size_t>(first)];
        count += end - first;
      }
      *out++ = rounded_mean(sum, count);
    }
  return {std::move(result)};
}

// Two passes, with the sums of the first in bytes.
std::vector<Array> row_sums_in_bytes(const Problem& problem) {
  const Extent extent = extent_of(problem);
  const std::int64_t radius = integer_scalar(problem, "radius");
  const BoxSums sums(elements<std::uint8_t>(find_array(problem.inputs, "in")), extent);
  Array result = make_array<std::uint8_t>("out", {extent.height, extent.width});
  std::uint8_t* out = elements<std::uint8_t>(result);
  for (std::int64_t row = 0; row < extent.height; ++row)
    for (std::int64_t col = 0; col < extent.width; ++col) {
      const Window w = right_window(extent, radius, row, col);
      std::int64_t sum = 0;
      for (std::int64_t r = w.top; r < w.bottom; ++r) sum += sums.sum(r, r + 1, w.left, w.right) % 256;
      *out++ = rounded_mean(sum, pixels_in(w));
    }
  return {std::move(result)};
}

void add_border_mistakes(std::vector<Misconception>& list) {
  list.push_back(
      {"divisor fixed at the whole window",
       "Near the border the picture darkens: sums over fewer pixels were divided by (2 * radius + 1) squared. "
       "Divide by the number of pixels that were added.",
       with_border([](Extent extent, std::int64_t row, std::int64_t col) -> std::int64_t {
         const bool inside = row >= 0 && row < extent.height && col >= 0 && col < extent.width;
         return inside ? row * extent.width + col : -1;
       })});
  list.push_back({"border pixels repeated outwards",
                  "Beyond the border, the nearest pixel of the picture was repeated (clamped coordinates). Here, "
                  "window pixels outside the picture are left out of both the sum and the count.",
                  with_border([](Extent extent, std::int64_t row, std::int64_t col) {
                    return std::clamp<std::int64_t>(row, 0, extent.height - 1) * extent.width +
                           std::clamp<std::int64_t>(col, 0, extent.width - 1);
                  })});
  list.push_back({"left and right border not tested",
                  "At the left and right borders, pixels of neighbouring rows were added: col - 1 of column 0 is the "
                  "end of the row above. Test the column as well as the row.",
                  &sides_not_tested});
}

void add_window_mistakes(std::vector<Misconception>& list) {
  const auto short_by = [&list](std::int64_t rows, std::int64_t cols, const char* what) {
    for (const std::uint8_t of_nothing : {std::uint8_t{0}, kIntegerQuotientOfNothing})
      list.push_back({"window ends one pixel short",
                      std::string("The window stops before its last ") + what +
                          ": a loop runs while offset < radius. Both ends belong to it: offset <= radius.",
                      mean_over(
                          [=](std::int64_t radius, std::int64_t row, std::int64_t col) {
                            return Window{row - radius, row + radius + 1 - rows, col - radius, col + radius + 1 - cols};
                          },
                          of_nothing)});
    list.push_back({"window ends one pixel short",
                    std::string("The count includes the window's last ") + what +
                        ", but the sum does not: the loop runs while r < bottom or c < right. If these are the last of "
                        "the window, they belong to it: <=.",
                    without_ends(rows, cols)});
  };
  short_by(1, 1, "row and column");
  short_by(1, 0, "row");
  short_by(0, 1, "column");
  for (const std::uint8_t of_nothing : {std::uint8_t{0}, kIntegerQuotientOfNothing})
    list.push_back({"window one pixel too small on every side",
                    "The window is that of radius - 1. It should reach from -radius to +radius, both ends included.",
                    mean_over([](std::int64_t radius, std::int64_t row,
                                 std::int64_t col) { return whole_window(row, col, radius - 1); },
                              of_nothing)});
  list.push_back({"blurred along rows only", "Only pixels of the same row were averaged. The window is a square.",
                  mean_over([](std::int64_t radius, std::int64_t row, std::int64_t col) {
                    return Window{row, row + 1, col - radius, col + radius + 1};
                  })});
  list.push_back({"blurred along columns only", "Only pixels of the same column were averaged. The window is a square.",
                  mean_over([](std::int64_t radius, std::int64_t row, std::int64_t col) {
                    return Window{row - radius, row + radius + 1, col, col + 1};
                  })});
  for (const std::int64_t side : {16, 32, 8}) {
    list.push_back({"window cut at the block's tile",
                    "Pixels beyond the block's own tile were left out, which shows as a pattern of squares. A tile in "
                    "shared memory needs a halo: radius more pixels on every side.",
                    mean_over([side](std::int64_t radius, std::int64_t row, std::int64_t col) {
                      const std::int64_t top = row / side * side;
                      const std::int64_t left = col / side * side;
                      return clipped(whole_window(row, col, radius), {top, top + side, left, left + side});
                    })});
  }
}

}  // namespace

std::vector<Misconception> blur_mistakes() {
  std::vector<Misconception> list;
  add_border_mistakes(list);
  add_window_mistakes(list);
  list.push_back({"sum kept in one byte",
                  "The sum of a window does not fit in 8 bits, so it was reduced modulo 256. Sum in an int.",
                  over_windows(&right_window, [](std::int64_t sum, std::int64_t count, std::int64_t) {
                    return rounded_mean(sum % 256, count);
                  })});
  list.push_back(
      {"row sums kept in one byte",
       "The sum of a row's pixels does not fit in 8 bits, so it was reduced modulo 256. Keep the sums of the "
       "first pass in 16 bits or more.",
       &row_sums_in_bytes});
  list.push_back({"sum stored without dividing",
                  "The sum of the window, truncated to 8 bits, was stored instead of its mean.",
                  over_windows(&right_window, [](std::int64_t sum, std::int64_t, std::int64_t) {
                    return static_cast<std::uint8_t>(sum % 256);
                  })});
  list.push_back(
      {"not blurred at all", "The output is the unchanged input.",
       over_windows([](Extent, std::int64_t, std::int64_t row, std::int64_t col) { return whole_window(row, col, 0); },
                    [](std::int64_t sum, std::int64_t, std::int64_t) { return static_cast<std::uint8_t>(sum); })});
  for (auto& mistake : coverage_mistakes(&blur_oracle)) list.push_back(std::move(mistake));
  return list;
}

}  // namespace lanewise::labs::image_lab
