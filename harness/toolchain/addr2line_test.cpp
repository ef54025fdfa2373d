#include "harness/toolchain/addr2line.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(Addr2lineTest, InlinedCallsAreReadFromTheInside) {
  const AddressPlaces places = read_addr2line(
      "0x0000000000000354\n/usr/include/cuda_runtime.h:879\n/tmp/a b/v.cu:14 (discriminator 2)\n"
      "0x0000000000000361\n??:0\n0x0000000000000399\n??:?\nv.cu:9\n");
  ASSERT_EQ(places.size(), 2U) << "what is not known is left out";
  EXPECT_EQ(places.at(0x354)[0].file, "/usr/include/cuda_runtime.h");
  EXPECT_EQ(places.at(0x354)[1].file, "/tmp/a b/v.cu");
  EXPECT_EQ(places.at(0x354)[1].line, 14);
  EXPECT_EQ(places.at(0x399)[0].line, 9);
  EXPECT_TRUE(read_addr2line("addr2line: 'x': No such file\n").empty());
}

}  // namespace
}  // namespace lanewise
