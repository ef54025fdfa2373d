// What mistakes in grid and index give.
#include "labs/image/coverage.h"

#include <algorithm>
#include <utility>

#include "labs/image/oracle.h"

namespace lanewise::labs::image_lab {
namespace {

constexpr std::int64_t kBlockSides[] = {16, 32, 8};  // of square blocks, the most likely ones first

Array poisoned_like(const Array& array) {
  Array poisoned = array;
  std::fill(poisoned.bytes.begin(), poisoned.bytes.end(), kPoison);
  return poisoned;
}

// The right picture with every pixel moved to `place(row, col)`; those without a place inside the picture are lost,
// places that no pixel comes to keep the poison.
template <class Place>
std::function<std::vector<Array>(const Problem&)> moved(const Oracle& oracle, const Place& place) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const Extent extent = extent_of(problem);
    const Array right = oracle(problem);
    Array result = poisoned_like(right);
    for (std::int64_t row = 0; row < extent.height; ++row)
      for (std::int64_t col = 0; col < extent.width; ++col) {
        const std::int64_t to = place(extent, row, col);
        if (to >= 0 && to < extent.width * extent.height)
          result.bytes[static_cast<std::size_t>(to)] = right.bytes[static_cast<std::size_t>(row * extent.width + col)];
      }
    return {std::move(result)};
  };
}

// The right picture where `is_computed(extent, row, col)`, poison elsewhere.
template <class IsComputed>
std::function<std::vector<Array>(const Problem&)> partly(const Oracle& oracle, const IsComputed& is_computed) {
  return moved(oracle, [=](Extent extent, std::int64_t row, std::int64_t col) {
    return is_computed(extent, row, col) ? row * extent.width + col : -1;
  });
}

std::int64_t rounded_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

}  // namespace

std::vector<Misconception> coverage_mistakes(const Oracle& oracle) {
  std::vector<Misconception> list;
  list.push_back(
      {"rows and columns swapped",
       "The picture is mirrored across its diagonal: pixel (row, col) was stored at col * height + row. In a "
       "row-major picture its place is row * width + col.",
       moved(oracle, [](Extent extent, std::int64_t row, std::int64_t col) { return col * extent.height + row; })});
  list.push_back({"row length taken from the height",
                  "Rows were assumed to be height pixels long: pixel (row, col) was stored at row * height + col. A "
                  "row is width pixels long.",
                  [oracle](const Problem& problem) -> std::vector<Array> {
                    const Extent extent = extent_of(problem);
                    const Array right = oracle(problem);
                    Array result = poisoned_like(right);
                    for (std::int64_t row = 0; row < extent.height; ++row)
                      for (std::int64_t col = 0; col < extent.width; ++col) {
                        const std::int64_t at = row * extent.height + col;
                        if (at < extent.width * extent.height)
                          result.bytes[static_cast<std::size_t>(at)] = right.bytes[static_cast<std::size_t>(at)];
                      }
                    return {std::move(result)};
                  },
                  {"memcheck", "racecheck"}});
  for (const std::int64_t side : kBlockSides) {
    list.push_back({"partial blocks skipped",
                    "The pixels to the right of and below the last full block were never computed: the number of "
                    "blocks was rounded down. Round it up in both directions: (width + side - 1) / side.",
                    partly(oracle, [side](Extent extent, std::int64_t row, std::int64_t col) {
                      return row < extent.height / side * side && col < extent.width / side * side;
                    })});
  }
  for (const std::int64_t side : kBlockSides) {
    list.push_back({"grid made with width and height swapped",
                    "The blocks cover a picture as wide as this one is high and as high as it is wide. x counts "
                    "columns: the grid's x comes from the width, and in the kernel col, not row, comes from the x "
                    "members.",
                    partly(oracle, [side](Extent extent, std::int64_t row, std::int64_t col) {
                      return row < rounded_up(extent.width, side) && col < rounded_up(extent.height, side);
                    })});
  }
  for (const std::int64_t side : kBlockSides) {
    list.push_back(
        {"only the first block computed",
         "Only the pixels of one block were computed. Either the grid has a single block, or the index omits blockIdx "
         "* blockDim.",
         partly(oracle, [side](Extent, std::int64_t row, std::int64_t col) { return row < side && col < side; }),
         {"racecheck"}});
  }
  return list;
}

}  // namespace lanewise::labs::image_lab
