// Draws bars.
#include "labs/histogram/illustrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "datasets/image.h"

namespace lanewise::labs::histogram_lab {
namespace {

constexpr int kHeight = 160;
constexpr int kLeastSeen = 3;  // dots of a difference that is not 0

using Colour = std::array<std::uint8_t, 3>;
constexpr Colour kPaper = {250, 250, 250};
constexpr Colour kInk = {60, 90, 130};
constexpr Colour kTooHigh = {217, 130, 43};
constexpr Colour kTooLow = {47, 111, 179};

// The sum of neighbouring bins that one bar stands for.
std::vector<double> bars_of(const Array& bins) {
  const std::uint32_t* counts = elements<std::uint32_t>(bins);
  const auto count = static_cast<std::int64_t>(element_count(bins));
  const std::int64_t group = (count + kMostBars - 1) / kMostBars;
  std::vector<double> bars(static_cast<std::size_t>((count + group - 1) / group));
  for (std::int64_t i = 0; i < count; ++i) bars[static_cast<std::size_t>(i / group)] += counts[i];
  return bars;
}

// Dots of a bar of `value`, if the largest that is expected fills `height`; larger ones are cut off.
int dots(double value, double largest, int height) {
  if (value <= 0) return 0;
  return static_cast<int>(std::lround(std::min(1.0, std::sqrt(value / std::max(1.0, largest))) * height));
}

Image empty_picture(std::size_t bars, int bar_width) {
  Image image{static_cast<int>(bars) * bar_width, kHeight, 3, {}};
  image.pixels.resize(static_cast<std::size_t>(image.width) * kHeight * 3, kPaper[0]);
  return image;
}

// Fills rows [top, bottom) of a bar.
void fill_bar(Image& image, std::size_t bar, int bar_width, int top, int bottom, const Colour& colour) {
  for (int row = top; row < bottom; ++row)
    for (int x = 0; x < bar_width; ++x) {
      const auto at = static_cast<std::size_t>(row * image.width + x) + bar * static_cast<std::size_t>(bar_width);
      std::copy(colour.begin(), colour.end(), &image.pixels[at * 3]);
    }
}

}  // namespace

std::vector<std::string> illustrate(const Array& expected, const Array& got, const std::filesystem::path& folder) {
  const std::vector<double> want = bars_of(expected);
  const std::vector<double> have = bars_of(got);
  const double largest = *std::max_element(want.begin(), want.end());
  const int bar_width = static_cast<int>(std::max<std::int64_t>(1, kMostBars / static_cast<std::int64_t>(want.size())));

  Image right = empty_picture(want.size(), bar_width);
  Image wrong = right;
  Image difference = right;
  for (std::size_t b = 0; b < want.size(); ++b) {
    fill_bar(right, b, bar_width, kHeight - dots(want[b], largest, kHeight), kHeight, kInk);
    fill_bar(wrong, b, bar_width, kHeight - dots(have[b], largest, kHeight), kHeight, kInk);
    const double off = have[b] - want[b];
    const int seen = off == 0 ? 0 : std::max(kLeastSeen, dots(std::abs(off), largest, kHeight / 2));
    if (off > 0) fill_bar(difference, b, bar_width, kHeight / 2 - seen, kHeight / 2, kTooHigh);
    if (off < 0) fill_bar(difference, b, bar_width, kHeight / 2, kHeight / 2 + seen, kTooLow);
  }

  std::vector<std::string> written;
  const auto write = [&](const char* name, const Image& image) {
    if (!write_image(folder / name, image)) written.emplace_back(name);
  };
  write("expected.png", right);
  write("got.png", wrong);
  write("difference.png", difference);
  return written;
}

}  // namespace lanewise::labs::histogram_lab
