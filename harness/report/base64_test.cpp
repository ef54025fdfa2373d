// The examples of RFC 4648, section 10: every length modulo three.
#include "harness/report/base64.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
}

TEST(Base64, TakesAnyBytes) { EXPECT_EQ(base64(std::string("\xff\x00\xfb", 3)), "/wD7"); }

}  // namespace
}  // namespace lanewise
