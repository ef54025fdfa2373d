// Draws expected, got and difference pictures.
#include "labs/image/illustrate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "datasets/image.h"

namespace lanewise::labs::image_lab {
namespace {

constexpr int kSeenFrom = 256;      // pixels: the longer side of a magnified picture
constexpr int kThinnestDrawn = 48;  // pixels: the shorter side, so that a single row or column can be seen too
constexpr int kToleratedLevels = 1;

using Colour = std::array<std::uint8_t, 3>;

// How one direction of the picture is drawn: `group` pixels as one, magnified to `magnified` dots.
struct Scale {
  std::int64_t group = 1;
  std::int64_t magnified = 1;

  std::int64_t drawn(std::int64_t extent) const { return (extent + group - 1) / group * magnified; }
};

struct Scales {
  Scale across, down;
};

Scales scales_for(std::int64_t width, std::int64_t height) {
  const std::int64_t longest = std::max(width, height);
  const std::int64_t group = std::max<std::int64_t>(1, (longest + kLongestSide - 1) / kLongestSide);
  const std::int64_t magnified = std::max<std::int64_t>(1, kSeenFrom / longest);
  const auto scale = [=](std::int64_t extent) {
    const std::int64_t thin = (kThinnestDrawn + extent - 1) / extent;
    return Scale{extent >= group ? group : extent, std::max(magnified, thin)};
  };
  return {scale(width), scale(height)};
}

// The pixel of a group that is furthest off.
std::size_t worst_of(const std::uint8_t* want, const std::uint8_t* have, std::int64_t width, std::int64_t top,
                     std::int64_t bottom, std::int64_t left, std::int64_t right) {
  auto worst = static_cast<std::size_t>(top * width + left);
  for (std::int64_t row = top; row < bottom; ++row)
    for (std::int64_t col = left; col < right; ++col) {
      const auto i = static_cast<std::size_t>(row * width + col);
      if (std::abs(have[i] - want[i]) > std::abs(have[worst] - want[worst])) worst = i;
    }
  return worst;
}

// The strength begins well above black, so that two levels of difference are seen as well as two hundred.
Colour difference_colour(int want, int have) {
  const int off = have - want;
  if (std::abs(off) <= kToleratedLevels) {
    const auto dark = static_cast<std::uint8_t>(want / 4);
    return {dark, dark, dark};
  }
  const int strength = 110 + std::min(145, std::abs(off));
  if (off > 0) return {static_cast<std::uint8_t>(strength), static_cast<std::uint8_t>(strength * 55 / 100), 0};
  return {0, static_cast<std::uint8_t>(strength * 60 / 100), static_cast<std::uint8_t>(strength)};
}

// Fills a picture with colour_of(row, col, bottom, right) of each group of pixels.
template <class ColourOf>
Image drawn(std::int64_t width, std::int64_t height, const ColourOf& colour_of) {
  const auto [across, down] = scales_for(width, height);
  Image image{static_cast<int>(across.drawn(width)), static_cast<int>(down.drawn(height)), 3, {}};
  image.pixels.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 3);
  for (std::int64_t top = 0; top < height; top += down.group)
    for (std::int64_t left = 0; left < width; left += across.group) {
      const Colour colour =
          colour_of(top, left, std::min(height, top + down.group), std::min(width, left + across.group));
      for (std::int64_t y = 0; y < down.magnified; ++y)
        for (std::int64_t x = 0; x < across.magnified; ++x) {
          const std::int64_t row = top / down.group * down.magnified + y;
          const std::int64_t col = left / across.group * across.magnified + x;
          std::copy(colour.begin(), colour.end(), &image.pixels[static_cast<std::size_t>(row * image.width + col) * 3]);
        }
    }
  return image;
}

Image grey_picture(const std::uint8_t* levels, std::int64_t width, std::int64_t height) {
  return drawn(width, height, [=](std::int64_t row, std::int64_t col, std::int64_t, std::int64_t) {
    const std::uint8_t level = levels[row * width + col];
    return Colour{level, level, level};
  });
}

}  // namespace

std::vector<std::string> illustrate(const Array& expected, const Array& got, const std::filesystem::path& folder) {
  const std::int64_t height = expected.shape.at(0);
  const std::int64_t width = expected.shape.at(1);
  if (width == 0 || height == 0) return {};
  const std::uint8_t* want = elements<std::uint8_t>(expected);
  const std::uint8_t* have = elements<std::uint8_t>(got);
  const Image difference =
      drawn(width, height, [=](std::int64_t top, std::int64_t left, std::int64_t bottom, std::int64_t right) {
        const std::size_t i = worst_of(want, have, width, top, bottom, left, right);
        return difference_colour(want[i], have[i]);
      });
  std::vector<std::string> written;
  const auto write = [&](const char* name, const Image& image) {
    if (!write_image(folder / name, image)) written.emplace_back(name);
  };
  write("expected.png", grey_picture(want, width, height));
  write("got.png", grey_picture(have, width, height));
  write("difference.png", difference);
  return written;
}

}  // namespace lanewise::labs::image_lab
