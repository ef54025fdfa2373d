// The pictures of the lab image, the right answers, and the judge.
#include "labs/image/test_pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>

namespace lanewise::image_test {
namespace {

TEST(ImageMake, GivesThePictureAndItsExtents) {
  const Problem colour = made("grayscale", picture("noise", 76, 62));
  EXPECT_EQ(colour.inputs.at(0).name, "rgb");
  EXPECT_EQ(colour.inputs[0].shape, (std::vector<std::int64_t>{62, 76, 3}));
  EXPECT_EQ(colour.inputs[0].bytes.size(), 62u * 76u * 3u);
  EXPECT_EQ(colour.outputs.at(0).name, "gray");
  EXPECT_EQ(colour.outputs[0].shape, (std::vector<std::int64_t>{62, 76}));
  EXPECT_EQ(integer_scalar(colour, "width"), 76);
  EXPECT_EQ(integer_scalar(colour, "height"), 62);

  const Problem grey = made("blur", picture("noise", 76, 62, 5));
  EXPECT_EQ(grey.inputs.at(0).name, "in");
  EXPECT_EQ(grey.inputs[0].shape, (std::vector<std::int64_t>{62, 76}));
  EXPECT_EQ(grey.outputs.at(0).name, "out");
  EXPECT_EQ(integer_scalar(grey, "radius"), 5);
}

TEST(ImageMake, APictureWithoutPixelsIsEmpty) {
  EXPECT_TRUE(made("grayscale", picture("noise", 0, 7)).inputs[0].bytes.empty());
  EXPECT_TRUE(oracle("grayscale", made("grayscale", picture("noise", 0, 7))).empty());
  EXPECT_TRUE(oracle("blur", made("blur", picture("noise", 7, 0, 3))).empty());
}

TEST(ImageMake, KindsAreWhatTheySay) {
  const Bytes noise = bytes_of(made("blur", picture("noise", 100, 100)).inputs[0]);
  EXPECT_EQ(std::set<std::uint8_t>(noise.begin(), noise.end()).size(), 256u);

  const Bytes extremes = bytes_of(made("blur", picture("extremes", 50, 50)).inputs[0]);
  EXPECT_EQ(std::set<std::uint8_t>(extremes.begin(), extremes.end()), (std::set<std::uint8_t>{0, 255}));

  Parameters constant = picture("constant", 10, 10);
  constant.set("level", std::int64_t{77});
  EXPECT_EQ(bytes_of(made("blur", constant).inputs[0]), Bytes(100, 77));

  const Bytes ramp = bytes_of(made("blur", picture("ramp", 100, 100)).inputs[0]);
  const auto mean = [&](int first_row, int end_row, int first_col, int end_col) {
    double sum = 0;
    for (int r = first_row; r < end_row; ++r)
      for (int c = first_col; c < end_col; ++c) sum += ramp[static_cast<std::size_t>(r * 100 + c)];
    return sum / ((end_row - first_row) * (end_col - first_col));
  };
  EXPECT_GT(mean(0, 100, 90, 100), mean(0, 100, 0, 10) + 100);  // 138 levels from left to right
  EXPECT_GT(mean(90, 100, 0, 100), mean(0, 10, 0, 100) + 50);   // 69 levels from top to bottom
}

Parameters photograph(const char* file, std::int64_t radius) {
  Parameters parameters;
  parameters.set("kind", std::string("photograph"));
  parameters.set("file", std::string(file));
  parameters.set("radius", radius);
  return parameters;
}

// Pixels whose levels differ by more than `most`, of all.
double share_apart(const Bytes& a, const Bytes& b, int most) {
  double apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) apart += std::abs(a[i] - b[i]) > most ? 1 : 0;
  return apart / static_cast<double>(a.size());
}

TEST(ImageMake, PhotographsAreReadInColourAndInGrey) {
  const Parameters cat = photograph("chelsea.png", 1);
  const Problem colour = made("grayscale", cat);
  EXPECT_EQ(colour.inputs[0].shape, (std::vector<std::int64_t>{300, 451, 3}));
  const Problem grey = made("blur", cat);
  EXPECT_EQ(share_apart(bytes_of(grey.inputs[0]), oracle("grayscale", colour), 2 * 24 + 1), 0);  // noise on both
}

TEST(ImageMake, NoTableHoldsTheAnswersOfAPhotograph) {
  const Parameters rocket = photograph("rocket.jpg", 8);
  EXPECT_EQ(bytes_of(made("blur", rocket, 1).inputs[0]), bytes_of(made("blur", rocket, 1).inputs[0]));
  for (const char* name : {"grayscale", "blur"})
    EXPECT_GT(share_apart(oracle(name, made(name, rocket, 1)), oracle(name, made(name, rocket, 2)), 1), 0.1) << name;
}

TEST(ImageMake, AMissingPhotographIsNamed) {
  const Parameters missing = photograph("no_such_picture.png", 1);
  for (const char* name : {"grayscale", "blur"}) {
    const auto result = task(name).make(missing, 1);
    ASSERT_TRUE(std::holds_alternative<MissingData>(result));
    EXPECT_NE(std::get<MissingData>(result).sentence.find("no_such_picture.png"), std::string::npos);
  }
}

TEST(ImageMake, SaysWhatIsWrongWithACase) {
  EXPECT_THROW(made("grayscale", picture("noise", -1, 5)), std::invalid_argument);
  EXPECT_THROW(made("grayscale", picture("noise", 5, 65'536)), std::invalid_argument);
  EXPECT_THROW(made("grayscale", picture("marble", 5, 5)), std::invalid_argument);
  EXPECT_THROW(made("blur", picture("noise", 5, 5, -1)), std::invalid_argument);
  EXPECT_THROW(made("blur", picture("noise", 5, 5, 65)), std::invalid_argument);
}

TEST(GrayscaleOracle, ByHand) {
  Problem problem = made("grayscale", picture("noise", 6, 1));
  // white, red, green, blue, 0.21 * 1 + 0.72 * 1 + 0.07 * 1 = 1, and 0.21 * 2 + 0.07 * 1 = 0.49, which is nearer to 0
  const Bytes rgb = {255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 1, 1, 2, 0, 1};
  std::copy(rgb.begin(), rgb.end(), elements<std::uint8_t>(problem.inputs[0]));
  EXPECT_EQ(oracle("grayscale", problem), (Bytes{255, 54, 184, 18, 1, 0}));  // 53.55, 183.6, 17.85
}

TEST(GrayscaleOracle, IsTheNearestWholeNumberForEveryColour) {
  // All 2^24 colours would take long: every 5th level of each channel, 0 and 255 among them.
  for (int r = 0; r <= 255; r += 5) {
    Problem problem = made("grayscale", picture("noise", 52, 52));
    std::uint8_t* rgb = elements<std::uint8_t>(problem.inputs[0]);
    for (int i = 0; i < 52 * 52; ++i) {
      rgb[3 * i] = static_cast<std::uint8_t>(r);
      rgb[3 * i + 1] = static_cast<std::uint8_t>(i / 52 * 5);
      rgb[3 * i + 2] = static_cast<std::uint8_t>(i % 52 * 5);
    }
    const Bytes grey = oracle("grayscale", problem);
    for (int i = 0; i < 52 * 52; ++i) {
      const double exact = (21.0 * r + 72.0 * rgb[3 * i + 1] + 7.0 * rgb[3 * i + 2]) / 100;
      ASSERT_LE(std::abs(grey[static_cast<std::size_t>(i)] - exact), 0.5);
    }
  }
}

TEST(BlurOracle, CornerEdgeAndInsideByHand) {
  // A single bright pixel in the middle of 3 x 3. The corner's window holds 4 pixels, the edge's 6, the middle's 9.
  const Problem problem = grey_picture(3, 3, 1, {0, 0, 0, 0, 180, 0, 0, 0, 0});
  EXPECT_EQ(oracle("blur", problem), (Bytes{45, 30, 45, 30, 20, 30, 45, 30, 45}));
}

TEST(BlurOracle, RoundsHalvesUp) {
  EXPECT_EQ(oracle("blur", grey_picture(2, 1, 1, {0, 1})), (Bytes{1, 1}));
  EXPECT_EQ(oracle("blur", grey_picture(3, 1, 1, {0, 0, 1})), (Bytes{0, 0, 1}));  // 0, 1/3, 1/2
}

TEST(BlurOracle, OfOnePixelIsThatPixel) {
  for (const int radius : {0, 1, 64}) EXPECT_EQ(oracle("blur", grey_picture(1, 1, radius, {200})), Bytes{200});
}

TEST(BlurOracle, WithRadiusZeroCopies) {
  const Problem problem = made("blur", picture("noise", 16, 9, 0));
  EXPECT_EQ(oracle("blur", problem), bytes_of(problem.inputs[0]));
}

TEST(BlurOracle, IsTheMeanOverTheWindowWithinThePicture) {
  for (const Grey& grey : small_pictures()) {
    const Bytes expected =
        student_blur(grey.width, grey.height, -grey.radius, grey.radius, [&](int r, int c, long& sum, long& count) {
          if (!grey.inside(r, c)) return;
          sum += grey.at(r, c);
          ++count;
        });
    EXPECT_EQ(oracle("blur", grey.problem), expected) << grey.width << " x " << grey.height << ", " << grey.radius;
  }
}

TEST(ImageJudge, AllowsOneLevel) {
  const Problem problem = grey_picture(2, 1, 0, {10, 20});
  const auto expected = task("blur").oracle(problem);
  for (const auto& [level, right] : {std::pair{9, true}, {11, true}, {8, false}, {12, false}}) {
    auto got = expected;
    elements<std::uint8_t>(got[0])[0] = static_cast<std::uint8_t>(level);
    EXPECT_EQ(task("blur").judge(problem, expected, got).right, right) << level;
  }
}

TEST(ImageWork, CountsEveryByteOnce) {
  EXPECT_EQ(task("grayscale").work(made("grayscale", picture("noise", 10, 20))).bytes, 800);
  EXPECT_EQ(task("blur").work(made("blur", picture("noise", 10, 20, 3))).bytes, 400);
}

}  // namespace
}  // namespace lanewise::image_test
