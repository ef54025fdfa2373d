// What each typical mistake makes of a picture, by hand and against the loops a student would have written.
#include "labs/image/test_pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace lanewise::image_test {
namespace {

TEST(GrayscaleMistakes, ByHand) {
  Problem problem = made("grayscale", picture("noise", 2, 1));
  const Bytes rgb = {100, 50, 200, 10, 20, 30};
  std::copy(rgb.begin(), rgb.end(), elements<std::uint8_t>(problem.inputs[0]));
  EXPECT_EQ(outcome("grayscale", "channel order reversed", problem), (Bytes{85, 21}));       // 42 + 36 + 7
  EXPECT_EQ(outcome("grayscale", "weights of another standard", problem), (Bytes{82, 18}));  // 29.9 + 29.35 + 22.8
  EXPECT_EQ(outcome("grayscale", "plain mean of the channels", problem), (Bytes{117, 20}));  // 350 / 3
  EXPECT_EQ(outcome("grayscale", "each product cut to a whole number", problem), (Bytes{71, 18}));  // 21+36+14, 2+14+2
  EXPECT_EQ(outcome("grayscale", "pixel index not multiplied by 3", problem), (Bytes{71, 155}));    // (50, 200, 10)
  // planes: (100, 200, 20) and (50, 10, 30)
  EXPECT_EQ(outcome("grayscale", "planes instead of interleaved pixels", problem), (Bytes{166, 20}));
}

TEST(GrayscaleMistakes, OfPixelsLeftOver) {
  const Problem problem = made("grayscale", picture("noise", 7, 3));  // 21 pixels: sixteen and five, or twenty and one
  Bytes sixteens = oracle("grayscale", problem), fours = sixteens;
  std::fill(sixteens.begin() + 16, sixteens.end(), kUntouched);
  fours[20] = kUntouched;
  EXPECT_EQ(outcome("grayscale", "pixels left over after the last group skipped", problem), sixteens);
  EXPECT_EQ(outcome("grayscale", "pixels left over after the last group skipped", problem, 1), fours);
}

TEST(CoverageMistakes, OfATinyPicture) {
  Problem problem = made("grayscale", picture("noise", 3, 2));
  for (int i = 0; i < 18; ++i) elements<std::uint8_t>(problem.inputs[0])[i] = static_cast<std::uint8_t>(10 * (i / 3));
  ASSERT_EQ(oracle("grayscale", problem), (Bytes{0, 10, 20, 30, 40, 50}));
  // pixel (row, col) at col * 2 + row
  EXPECT_EQ(outcome("grayscale", "rows and columns swapped", problem), (Bytes{0, 30, 10, 40, 20, 50}));
  // pixel (row, col) from col * 2 + row
  EXPECT_EQ(outcome("grayscale", "rows and columns swapped", problem, 1), (Bytes{0, 20, 40, 10, 30, 50}));
  // rows of two: places 0, 1, 2 and 2, 3, 4
  EXPECT_EQ(outcome("grayscale", "row length taken from the height", problem), (Bytes{0, 10, 20, 30, 40, kUntouched}));
  EXPECT_EQ(outcome("grayscale", "partial blocks skipped", problem), Bytes(6, kUntouched));
}

TEST(CoverageMistakes, OfBlocks) {
  const Problem problem = made("grayscale", picture("noise", 40, 20));
  const Bytes right = oracle("grayscale", problem);
  const Bytes partial = outcome("grayscale", "partial blocks skipped", problem);                   // 2 x 1 blocks of 16
  const Bytes swapped = outcome("grayscale", "grid made with width and height swapped", problem);  // 2 x 3 blocks
  const Bytes first = outcome("grayscale", "only the first block computed", problem);
  for (std::size_t row = 0; row < 20; ++row)
    for (std::size_t col = 0; col < 40; ++col) {
      const std::size_t i = row * 40 + col;
      EXPECT_EQ(partial[i], row < 16 && col < 32 ? right[i] : kUntouched);
      EXPECT_EQ(swapped[i], col < 32 ? right[i] : kUntouched);
      EXPECT_EQ(first[i], row < 16 && col < 16 ? right[i] : kUntouched);
    }
}

// Each of these is the loop a student would have written, held against the fast way the lab computes it.
TEST(BlurMistakes, AreWhatTheirLoopsGive) {
  for (const Grey& g : small_pictures()) {
    const int side = 2 * g.radius + 1;
    const std::string where =
        std::to_string(g.width) + " x " + std::to_string(g.height) + ", radius " + std::to_string(g.radius);
    const auto whole = [&](const Add& add) { return student_blur(g.width, g.height, -g.radius, g.radius, add); };

    EXPECT_EQ(outcome("blur", "divisor fixed at the whole window", g.problem),
              whole([&](int r, int c, long& sum, long& n) {
                if (g.inside(r, c)) sum += g.at(r, c);
                n = side * side;
              }))
        << where;
    EXPECT_EQ(outcome("blur", "border pixels repeated outwards", g.problem),
              whole([&](int r, int c, long& sum, long& n) {
                sum += g.at(std::clamp(r, 0, g.height - 1), std::clamp(c, 0, g.width - 1));
                ++n;
              }))
        << where;
    EXPECT_EQ(outcome("blur", "left and right border not tested", g.problem),
              whole([&](int r, int c, long& sum, long& n) {
                const int at = r * g.width + c;
                if (at < 0 || at >= g.width * g.height) return;
                sum += g.in[static_cast<std::size_t>(at)];
                ++n;
              }))
        << where;
    const auto within = [&](int r, int c, long& sum, long& n) {
      if (!g.inside(r, c)) return;
      sum += g.at(r, c);
      ++n;
    };
    EXPECT_EQ(outcome("blur", "window ends one pixel short", g.problem),
              student_blur(g.width, g.height, -g.radius, g.radius - 1, within))
        << where;
    const auto until = [&](int last_row, int last_col) {
      Bytes out;
      for (int row = 0; row < g.height; ++row)
        for (int col = 0; col < g.width; ++col) {
          long sum = 0, n = 0;
          for (int r = row - g.radius; r <= row + last_row; ++r)
            for (int c = col - g.radius; c <= col + last_col; ++c) within(r, c, sum, n);
          out.push_back(n == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>((2 * sum + n) / (2 * n)));
        }
      return out;
    };
    EXPECT_EQ(outcome("blur", "window ends one pixel short", g.problem, 3), until(g.radius - 1, g.radius)) << where;
    EXPECT_EQ(outcome("blur", "window ends one pixel short", g.problem, 6), until(g.radius, g.radius - 1)) << where;
    Bytes counted;  // r < bottom, where bottom is the last row of the window
    for (int row = 0; row < g.height; ++row)
      for (int col = 0; col < g.width; ++col) {
        const int top = std::max(row - g.radius, 0), bottom = std::min(row + g.radius, g.height - 1);
        const int left = std::max(col - g.radius, 0), right = std::min(col + g.radius, g.width - 1);
        const long n = static_cast<long>(bottom - top + 1) * (right - left + 1);
        long sum = 0;
        for (int r = top; r < bottom; ++r)
          for (int c = left; c <= right; ++c) sum += g.at(r, c);
        counted.push_back(static_cast<std::uint8_t>((2 * sum + n) / (2 * n)));
      }
    EXPECT_EQ(outcome("blur", "window ends one pixel short", g.problem, 5), counted) << where;
    EXPECT_EQ(outcome("blur", "window one pixel too small on every side", g.problem),
              student_blur(g.width, g.height, -g.radius + 1, g.radius - 1, within))
        << where;
  }
}

TEST(BlurMistakes, OfOneDirection) {
  const Problem problem = grey_picture(3, 2, 1, {0, 30, 60, 90, 120, 150});
  EXPECT_EQ(outcome("blur", "blurred along rows only", problem), (Bytes{15, 30, 45, 105, 120, 135}));
  EXPECT_EQ(outcome("blur", "blurred along columns only", problem), (Bytes{45, 75, 105, 45, 75, 105}));
  EXPECT_EQ(outcome("blur", "not blurred at all", problem), (Bytes{0, 30, 60, 90, 120, 150}));
}

TEST(BlurMistakes, OfSums) {
  const Problem problem = grey_picture(2, 1, 1, {200, 100});  // the sum of both is 300 = 256 + 44
  EXPECT_EQ(outcome("blur", "sum kept in one byte", problem), (Bytes{22, 22}));
  EXPECT_EQ(outcome("blur", "sum stored without dividing", problem), (Bytes{44, 44}));
  const Problem rows = grey_picture(2, 2, 1, {200, 100, 0, 56});  // 300 = 256 + 44 and 56
  EXPECT_EQ(outcome("blur", "row sums kept in one byte", rows), (Bytes{25, 25, 25, 25}));
}

TEST(BlurMistakes, OfEmptyWindowsAreWhatEitherDivisionGives) {
  const Problem problem = grey_picture(2, 1, 0, {10, 20});
  for (const char* name : {"window ends one pixel short", "window one pixel too small on every side"}) {
    EXPECT_EQ(outcome("blur", name, problem), (Bytes{0, 0})) << name;
    EXPECT_EQ(outcome("blur", name, problem, 1), (Bytes{255, 255})) << name;
  }
}

TEST(BlurMistakes, OfATileWithoutHalo) {
  Bytes levels(17, 100);
  levels[16] = 10;
  const Problem problem = grey_picture(17, 1, 1, levels);
  const Bytes cut = outcome("blur", "window cut at the block's tile", problem);  // the first entry: tiles of 16
  EXPECT_EQ(cut[15], 100);  // not 70: pixel 16 lies in the next tile
  EXPECT_EQ(cut[16], 10);
}

TEST(ImageMistakes, OfNothingAreNothing) {
  for (const char* name : {"grayscale", "blur"})
    for (const auto& [width, height] : {std::pair{0, 7}, {7, 0}}) {
      const Problem problem = made(name, picture("noise", width, height, 2));
      for (const Misconception& mistake : task(name).misconceptions)
        EXPECT_TRUE(mistake.outcome(problem).at(0).bytes.empty()) << mistake.name;
    }
}

}  // namespace
}  // namespace lanewise::image_test
