// The picture has a bar for each time that is known, in order of their lengths, and words for who cannot see it.
#include "harness/report/speed_picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "harness/report/sample_verdict_test.h"

namespace lanewise {
namespace {

bool picture_has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The attribute of every element that begins so.
std::vector<double> numbers(const std::string& text, const std::string& beginning, const std::string& attribute) {
  std::vector<double> all;
  for (std::size_t at = text.find(beginning); at != std::string::npos; at = text.find(beginning, at + 1)) {
    const std::string element = text.substr(at, text.find('>', at) - at);
    const std::size_t value = element.find(" " + attribute + "=\"");
    if (value != std::string::npos) all.push_back(std::stod(element.substr(value + attribute.size() + 3)));
  }
  return all;
}

std::vector<double> bar_widths(const std::string& picture) { return numbers(picture, "<rect class=\"bar", "width"); }

TEST(SpeedPicture, BarsAreAsLongAsTheLogarithmOfTheirTimes) {
  const std::vector<double> widths = bar_widths(speed_picture(sample_speed()));  // naive, reference, yours, library
  ASSERT_EQ(widths.size(), 4U);
  const double unit = (widths[0] - widths[1]) / std::log(3.48 / 0.357);
  EXPECT_NEAR(widths[2] - widths[1], unit * std::log(0.571 / 0.357), 0.2);
  EXPECT_NEAR(widths[2] - widths[3], unit * std::log(1.7), 0.2);
  for (const double width : widths) EXPECT_GT(width, 0);
}

TEST(SpeedPicture, NamesTheRoofTheNextThresholdAndTheInterval) {
  const std::string picture = speed_picture(sample_speed());
  EXPECT_TRUE(picture_has(picture, "bandwidth roof (0.217 ms)")) << picture;
  EXPECT_TRUE(picture_has(picture, "13 points (0.545 ms)"));
  EXPECT_TRUE(picture_has(picture, ">0.571 ± 0.004 ms</text>"));
  EXPECT_TRUE(
      picture_has(picture,
                  "aria-label=\"time of naive step: 3.48 ms, time of reference: 0.357 ms, time of yours: "
                  "0.571 ± 0.004 ms, time of library: 0.336 ms, bandwidth roof: 0.217 ms, 13 points: 0.545 ms\""));
  EXPECT_EQ(numbers(picture, "class=\"whisker\"", "x1").size(), 1U);
}

TEST(SpeedPicture, ATimeAloneIsABar) {
  SpeedVerdict alone;
  alone.is_known = alone.is_modelled = true;
  alone.time = {0.01, 0.01, 0.01};
  const std::string picture = speed_picture(alone);
  EXPECT_EQ(bar_widths(picture).size(), 1U);
  EXPECT_TRUE(picture_has(picture, "modelled time, logarithmic scale"));
  EXPECT_FALSE(picture_has(picture, "nan"));
  EXPECT_FALSE(picture_has(picture, "whisker"));
}

TEST(SpeedPicture, NothingOfADeviceBecomesMarkup) {
  SpeedVerdict speed = sample_speed();
  speed.roof = "<script>";
  EXPECT_FALSE(picture_has(speed_picture(speed), "<script>"));
}

}  // namespace
}  // namespace lanewise
