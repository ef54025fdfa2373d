// printf as kernels have it, against what the C standard says, and with hostile formats.
#include "harness/vgpu/machine/device_printf.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace vgpu {
namespace {

/// Packs arguments as nvcc does: each aligned to its size.
class Block {
 public:
  template <class T>
  Block& operator<<(T value) {
    bytes_.resize((bytes_.size() + sizeof value - 1) / sizeof value * sizeof value);
    bytes_.resize(bytes_.size() + sizeof value);
    std::memcpy(bytes_.data() + bytes_.size() - sizeof value, &value, sizeof value);
    return *this;
  }
  std::string print(const std::string& format, int* count = nullptr) const {
    int used = 0;
    const std::string text = format_device_printf(
        format, bytes_.data(), bytes_.size(),
        [](std::uint64_t address) { return "text at " + std::to_string(address); }, used);
    if (count != nullptr) *count = used;
    return text;
  }

 private:
  std::vector<std::byte> bytes_;
};

TEST(DevicePrintf, FormatsEveryConversion) {
  const struct {
    const char* format;
    Block block;
    const char* expected;
  } kRows[] = {
      {"no arguments, 100%%\n", Block(), "no arguments, 100%\n"},
      {"%d|%i", Block() << -7 << 8, "-7|8"},
      {"%u|%o|%x|%X", Block() << 4294967295u << 8u << 255u << 255u, "4294967295|10|ff|FF"},
      {"%ld|%lu|%lld|%llx", Block() << std::int64_t{-5} << std::uint64_t{1} << std::int64_t{1} << ~std::uint64_t{0},
       "-5|1|1|ffffffffffffffff"},
      {"%zu|%jd|%td", Block() << std::uint64_t{9} << std::int64_t{-9} << std::int64_t{3}, "9|-9|3"},
      {"%hhd|%hd", Block() << 300 << 70000, "300|70000"},  // narrow arguments come as int; `h` is read and left aside
      {"%c%c", Block() << 79 << 75, "OK"},
      {"%f|%.2f|%e|%g|%a", Block() << 1.5 << 3.14159 << 1e10 << 0.0001 << 1.0,
       "1.500000|3.14|1.000000e+10|0.0001|0x1p+0"},
      {"%F|%E|%G", Block() << 1.0 << 1.0 << 1e-10, "1.000000|1.000000E+00|1E-10"},
      {"%5d|%-5d|%05d|%+d|% d|%#x", Block() << 42 << 42 << 42 << 42 << 42 << 42u, "   42|42   |00042|+42| 42|0x2a"},
      {"%*d|%.*f", Block() << 6 << 42 << 1 << 2.55, "    42|2.5"},
      {"%-*d|", Block() << 4 << 7, "7   |"},
      {"%s|%10.4s|", Block() << std::uint64_t{1} << std::uint64_t{2}, "text at 1|      text|"},
      {"%p", Block() << std::uint64_t{0xABC}, "0xabc"},
      {"%d %f %d", Block() << 1 << 2.5 << 3, "1 2.500000 3"},  // the double is aligned
  };
  for (const auto& row : kRows) EXPECT_EQ(row.block.print(row.format), row.expected) << row.format;
}

TEST(DevicePrintf, ReturnsTheNumberOfArguments) {
  int count = -1;
  Block().print("none, 5%%", &count);
  EXPECT_EQ(count, 0);
  (Block() << 1 << 2.0 << std::uint64_t{3}).print("%d %f %s", &count);
  EXPECT_EQ(count, 3);
  (Block() << 4 << 5).print("%*d", &count);
  EXPECT_EQ(count, 2);
}

TEST(DevicePrintf, MissingArgumentsAreZeros) {
  EXPECT_EQ((Block() << 1).print("%d %d %f %s"), "1 0 0.000000 text at 0");
  EXPECT_EQ(Block().print("%lld"), "0");
}

TEST(DevicePrintf, HostileFormatsCostNothing) {
  EXPECT_EQ(Block().print("%"), "%");
  EXPECT_EQ(Block().print("%-08.3"), "%-08.3");
  EXPECT_EQ(Block().print("%ll"), "%ll");
  EXPECT_EQ(Block().print("%y and %n"), "%y and %n") << "what is unknown is printed as it stands; nothing is written";
  EXPECT_LE((Block() << 1).print("%99999999999d").size(), 5000u);
  EXPECT_LE((Block() << 1.0).print("%.99999999999f").size(), 5000u);
  EXPECT_LE((Block() << 2147483647 << 1).print("%*d").size(), 5000u);
  EXPECT_LE((Block() << -2147483647 - 1 << 1).print("%*d").size(), 5000u);
}

}  // namespace
}  // namespace vgpu
