// What typical mistakes in turning a picture grey give.
#include <algorithm>
#include <string>
#include <utility>

#include "labs/image/coverage.h"
#include "labs/image/misconceptions.h"
#include "labs/image/oracle.h"

namespace lanewise::labs::image_lab {
namespace {

// A grey picture whose pixel i is level(rgb, i, number of pixels).
template <class Level>
std::function<std::vector<Array>(const Problem&)> every_pixel(const Level& level) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const auto [width, height] = extent_of(problem);
    const std::uint8_t* rgb = elements<std::uint8_t>(find_array(problem.inputs, "rgb"));
    Array result = make_array<std::uint8_t>("gray", {height, width});
    std::uint8_t* gray = elements<std::uint8_t>(result);
    for (std::int64_t i = 0; i < width * height; ++i) gray[i] = level(rgb, i, width * height);
    return {std::move(result)};
  };
}

// Pixel (row, col) gets the grey of the pixel whose place is col * height + row: the index is wrong where it reads.
std::vector<Array> read_transposed(const Problem& problem) {
  const auto [width, height] = extent_of(problem);
  const Array right = grayscale_oracle(problem);
  Array result = right;
  for (std::int64_t row = 0; row < height; ++row)
    for (std::int64_t col = 0; col < width; ++col)
      result.bytes[static_cast<std::size_t>(row * width + col)] =
          right.bytes[static_cast<std::size_t>(col * height + row)];
  return {std::move(result)};
}

// The first pixels only, as many as make whole groups.
std::function<std::vector<Array>(const Problem&)> whole_groups(std::int64_t pixels) {
  return [=](const Problem& problem) -> std::vector<Array> {
    Array result = grayscale_oracle(problem);
    const std::int64_t computed = element_count(result) / pixels * pixels;
    std::fill(result.bytes.begin() + computed, result.bytes.end(), kPoison);
    return {std::move(result)};
  };
}

}  // namespace

std::vector<Misconception> grayscale_mistakes() {
  std::vector<Misconception> list = coverage_mistakes(&grayscale_oracle);
  list.push_back({"rows and columns swapped",
                  "Pixel (row, col) was read at col * height + row. In a row-major picture its place is "
                  "row * width + col, and its first byte is at three times that.",
                  &read_transposed});
  list.push_back({"channel order reversed",
                  "Red and blue are swapped: the first of a pixel's three bytes is red, the last is blue.",
                  every_pixel([](const std::uint8_t* rgb, std::int64_t i, std::int64_t) {
                    return grey_of(rgb[3 * i + 2], rgb[3 * i + 1], rgb[3 * i]);
                  })});
  list.push_back({"planes instead of interleaved pixels",
                  "The picture was read as if all reds came first, then all greens, then all blues. Here the three "
                  "bytes of a pixel are next to each other: 3 * pixel, 3 * pixel + 1, 3 * pixel + 2.",
                  every_pixel([](const std::uint8_t* rgb, std::int64_t i, std::int64_t pixels) {
                    return grey_of(rgb[i], rgb[i + pixels], rgb[i + 2 * pixels]);
                  })});
  list.push_back({"pixel index not multiplied by 3",
                  "Neighbouring pixels overlap: a pixel has three bytes, so the first byte of pixel i is rgb[3 * i], "
                  "not rgb[i].",
                  every_pixel([](const std::uint8_t* rgb, std::int64_t i, std::int64_t) {
                    return grey_of(rgb[i], rgb[i + 1], rgb[i + 2]);
                  })});
  list.push_back({"weights of another standard",
                  "The weights are 0.299, 0.587 and 0.114, those of analogue television (ITU-R BT.601). This lab's are "
                  "0.21, 0.72 and 0.07.",
                  every_pixel([](const std::uint8_t* rgb, std::int64_t i, std::int64_t) {
                    const int thousandths = 299 * rgb[3 * i] + 587 * rgb[3 * i + 1] + 114 * rgb[3 * i + 2];
                    return static_cast<std::uint8_t>((thousandths + 500) / 1000);
                  })});
  list.push_back({"plain mean of the channels",
                  "Red, green and blue were given the same weight. The eye is most sensitive to green: the weights are "
                  "0.21, 0.72 and 0.07.",
                  every_pixel([](const std::uint8_t* rgb, std::int64_t i, std::int64_t) {
                    return rounded_mean(rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2], 3);
                  })});
  list.push_back({"each product cut to a whole number",
                  "Each product was converted to an integer before adding, which loses up to one level each time. Add "
                  "first, then round once.",
                  every_pixel([](const std::uint8_t* rgb, std::int64_t i, std::int64_t) {
                    return static_cast<std::uint8_t>(21 * rgb[3 * i] / 100 + 72 * rgb[3 * i + 1] / 100 +
                                                     7 * rgb[3 * i + 2] / 100);
                  })});
  for (const std::int64_t pixels : {16, 4})
    list.push_back(
        {"pixels left over after the last group skipped",
         "The last pixels, fewer than a thread takes, were never computed. When the number of pixels is not a "
         "multiple of " +
             std::to_string(pixels) + ", some threads have to compute single pixels.",
         whole_groups(pixels)});
  return list;
}

}  // namespace lanewise::labs::image_lab
