// The published values of FNV-1a.
#include "harness/runner/content_hash.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(ContentHash, AgreesWithPublishedValues) {
  // From the test vectors of the FNV reference distribution (128-bit FNV-1a).
  EXPECT_EQ(content_hash(""), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(content_hash("a"), "d228cb696f1a8caf78912b704e4a8964");
  EXPECT_EQ(content_hash("foobar"), "343e1662793c64bf6f0d3597ba446f18");
}

TEST(ContentHash, ZeroBytesCount) {
  EXPECT_NE(content_hash(std::string_view("\0", 1)), content_hash(std::string_view("\0\0", 2)));
}

}  // namespace
}  // namespace lanewise
