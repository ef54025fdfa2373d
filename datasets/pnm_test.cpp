// PGM and PPM headers: what the format allows, and what must be refused.
#include "datasets/pnm.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

std::variant<Image, DataError> decode(const std::string& text) {
  return decode_pnm(std::vector<std::uint8_t>(text.begin(), text.end()), "file");
}

bool refused(const std::string& text) { return std::holds_alternative<DataError>(decode(text)); }

TEST(Pnm, HeaderMayHoldCommentsAndAnyWhiteSpace) {
  const auto result = decode("P5 # grey\n# made by hand\n 2\t1\r\n255\nAB");
  const auto* image = std::get_if<Image>(&result);
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(image->width, 2);
  EXPECT_EQ(image->height, 1);
  EXPECT_EQ(image->channels, 1);
  EXPECT_EQ(image->pixels, (std::vector<std::uint8_t>{'A', 'B'}));
}

TEST(Pnm, ASampleThatLooksLikeSpaceIsASample) {
  const auto result = decode("P5 1 2 255\n\n#");
  const auto* image = std::get_if<Image>(&result);
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(image->pixels, (std::vector<std::uint8_t>{'\n', '#'}));
}

TEST(Pnm, EncodingIsDecoded) {
  const Image image{2, 1, 3, {1, 2, 3, 4, 5, 6}};
  const auto result = decode_pnm(encode_pnm(image), "file");
  ASSERT_NE(std::get_if<Image>(&result), nullptr);
  EXPECT_EQ(std::get<Image>(result).pixels, image.pixels);
}

TEST(Pnm, EveryCutIsNoticed) {
  const std::string whole = "P6\n2 2\n255\nabcdefghijkl";
  ASSERT_FALSE(refused(whole));
  for (std::size_t length = 3; length < whole.size(); ++length) EXPECT_TRUE(refused(whole.substr(0, length))) << length;
}

TEST(Pnm, UnusableHeadersAreRefused) {
  EXPECT_TRUE(refused("P5 0 1 255\nA"));
  EXPECT_TRUE(refused("P5 -1 1 255\nA"));
  EXPECT_TRUE(refused("P5 x 1 255\nA"));
  EXPECT_TRUE(refused("P5 1 1 65535\nAA"));
  EXPECT_TRUE(refused("P5 100000 100000 255\nA"));
  EXPECT_TRUE(refused("P5 99999999999999999999 1 255\nA"));
}

}  // namespace
}  // namespace lanewise
