// The pictures of wrong pictures: there, of a size that can be seen, and honest about where the difference lies.
#include "labs/image/illustrate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "datasets/image.h"
#include "datasets/scratch_folder.h"

namespace lanewise::labs::image_lab {
namespace {

Array grey(std::int64_t width, std::int64_t height, std::uint8_t level) {
  Array array = make_array<std::uint8_t>("out", {height, width});
  std::fill_n(elements<std::uint8_t>(array), width * height, level);
  return array;
}

Image drawn(const ScratchFolder& folder, const char* name) {
  return std::get<Image>(read_image(folder.path() / name, 3));
}

// Dots that are not grey: those that mark a difference.
std::size_t coloured_dots(const Image& image) {
  std::size_t dots = 0;
  for (std::size_t i = 0; i < image.pixels.size(); i += 3) dots += image.pixels[i] != image.pixels[i + 2];
  return dots;
}

TEST(Illustrate, WritesThreePicturesOfOneSize) {
  const ScratchFolder folder;
  const auto names = illustrate(grey(76, 62, 100), grey(76, 62, 50), folder.path());
  EXPECT_EQ(names, (std::vector<std::string>{"expected.png", "got.png", "difference.png"}));
  const Image expected = drawn(folder, "expected.png");
  for (const auto& name : names) {
    const Image image = drawn(folder, name.c_str());
    EXPECT_EQ(image.width, expected.width);
    EXPECT_EQ(image.height, expected.height);
  }
  EXPECT_EQ(expected.pixels[0], 100);
  EXPECT_EQ(drawn(folder, "got.png").pixels[0], 50);
}

TEST(Illustrate, ASinglePixelIsDrawnLargeEnoughToSee) {
  const ScratchFolder folder;
  ASSERT_EQ(illustrate(grey(1, 1, 0), grey(1, 1, 255), folder.path()).size(), 3u);
  const Image difference = drawn(folder, "difference.png");
  EXPECT_GE(difference.width, 200);
  EXPECT_GE(difference.height, 200);
  EXPECT_EQ(coloured_dots(difference), difference.pixels.size() / 3);
}

TEST(Illustrate, ASingleRowAndAColumnHaveThickness) {
  for (const auto& [width, height] : {std::pair{1000, 1}, {1, 1000}}) {
    const ScratchFolder folder;
    ASSERT_EQ(illustrate(grey(width, height, 0), grey(width, height, 255), folder.path()).size(), 3u);
    const Image difference = drawn(folder, "difference.png");
    EXPECT_GE(std::min(difference.width, difference.height), 40);
    EXPECT_EQ(std::max(difference.width, difference.height), 1000);
  }
}

TEST(Illustrate, TheShapeOfSmallPicturesIsKept) {
  const ScratchFolder folder;
  ASSERT_EQ(illustrate(grey(64, 128, 0), grey(64, 128, 0), folder.path()).size(), 3u);
  const Image image = drawn(folder, "got.png");
  EXPECT_EQ(image.height, 2 * image.width);
}

TEST(Illustrate, OneWrongPixelOfALargePictureShows) {
  const ScratchFolder folder;
  const Array expected = grey(5003, 3001, 100);
  Array got = expected;
  elements<std::uint8_t>(got)[2999 * 5003 + 4001] = 250;
  ASSERT_EQ(illustrate(expected, got, folder.path()).size(), 3u);
  const Image difference = drawn(folder, "difference.png");
  EXPECT_LE(difference.width, kLongestSide);
  EXPECT_EQ(coloured_dots(difference), 1u);
}

TEST(Illustrate, TooBrightAndTooDarkHaveDifferentColours) {
  const ScratchFolder folder;
  Array got = grey(2, 1, 100);
  elements<std::uint8_t>(got)[0] = 102;
  elements<std::uint8_t>(got)[1] = 98;
  ASSERT_EQ(illustrate(grey(2, 1, 100), got, folder.path()).size(), 3u);
  const Image difference = drawn(folder, "difference.png");
  const std::size_t last = difference.pixels.size() - 3;
  EXPECT_GT(difference.pixels[0], difference.pixels[2]);            // orange
  EXPECT_LT(difference.pixels[last], difference.pixels[last + 2]);  // blue
  EXPECT_GT(difference.pixels[0], 100) << "two levels must be seen as well as two hundred";
}

TEST(Illustrate, WhatTheJudgeAllowsIsNotMarked) {
  const ScratchFolder folder;
  ASSERT_EQ(illustrate(grey(8, 8, 100), grey(8, 8, 101), folder.path()).size(), 3u);
  EXPECT_EQ(coloured_dots(drawn(folder, "difference.png")), 0u);
}

TEST(Illustrate, APictureWithoutPixelsHasNoPictures) {
  const ScratchFolder folder;
  EXPECT_TRUE(illustrate(grey(0, 7, 0), grey(0, 7, 0), folder.path()).empty());
}

TEST(Illustrate, WhatCannotBeWrittenIsNotNamed) {
  EXPECT_TRUE(illustrate(grey(2, 2, 0), grey(2, 2, 9), "/no/such/folder").empty());
}

}  // namespace
}  // namespace lanewise::labs::image_lab
