// The bars that the lab histogram draws.
#include "labs/histogram/illustrate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "datasets/image.h"
#include "datasets/scratch_folder.h"

namespace lanewise::histogram_test {
namespace {

using labs::histogram_lab::illustrate;

Array bins(const std::vector<std::uint32_t>& counts) {
  Array array = make_array<std::uint32_t>("bins", {static_cast<std::int64_t>(counts.size())});
  std::copy(counts.begin(), counts.end(), elements<std::uint32_t>(array));
  return array;
}

Image drawn(const ScratchFolder& folder, const char* name) {
  auto image = read_image(folder.path() / name, 3);
  return std::holds_alternative<Image>(image) ? std::get<Image>(std::move(image)) : Image{};
}

// The red sample of a dot: 250 is paper, 60 a bar, 217 too high, 47 too low.
int red(const Image& image, int row, int col) {
  return image.pixels[static_cast<std::size_t>(row * image.width + col) * 3];
}

TEST(HistogramIllustrate, BarsAreSquareRootsOfCounts) {
  const ScratchFolder folder;
  EXPECT_EQ(illustrate(bins({100, 25, 0}), bins({100, 25, 0}), folder.path()).size(), 3u);
  const Image image = drawn(folder, "expected.png");
  ASSERT_EQ(image.width, 3 * 170);
  ASSERT_EQ(image.height, 160);
  EXPECT_EQ(red(image, 0, 0), 60);      // the largest fills the picture
  EXPECT_EQ(red(image, 79, 170), 250);  // a quarter of it is half as high
  EXPECT_EQ(red(image, 80, 170), 60);
  EXPECT_EQ(red(image, 159, 340), 250);  // an empty bin has no bar
}

TEST(HistogramIllustrate, DifferencesPointUpAndDown) {
  const ScratchFolder folder;
  illustrate(bins({100, 100, 100}), bins({100, 101, 0xA5A5A5A5}), folder.path());
  Image image = drawn(folder, "difference.png");
  ASSERT_EQ(image.width, 510);
  for (int row = 0; row < image.height; ++row) ASSERT_EQ(red(image, row, 0), 250);  // none
  EXPECT_EQ(red(image, 79, 170), 217);                                              // a single count is seen
  EXPECT_EQ(red(image, 0, 340), 217);                                               // garbage is cut off at the top
  EXPECT_EQ(red(image, 80, 340), 250);
  illustrate(bins({100}), bins({0}), folder.path());
  image = drawn(folder, "difference.png");
  EXPECT_EQ(red(image, 79, 0), 250);
  EXPECT_EQ(red(image, 80, 0), 47);
}

TEST(HistogramIllustrate, ManyBinsShareABar) {
  const ScratchFolder folder;
  std::vector<std::uint32_t> counts(2'000'000, 1);
  illustrate(bins(counts), bins(counts), folder.path());
  const Image image = drawn(folder, "got.png");
  EXPECT_LE(image.width, 512);
  EXPECT_GE(image.width, 400);
}

TEST(HistogramIllustrate, NothingCountedIsAnEmptyPicture) {
  const ScratchFolder folder;
  EXPECT_EQ(illustrate(bins({0}), bins({0}), folder.path()).size(), 3u);
}

}  // namespace
}  // namespace lanewise::histogram_test
