// printf as kernels have it, against what the C standard says, and with hostile formats.
#include "harness/vgpu/machine/device_printf.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace vgpu {
namespace {

/// Packs arguments as nvcc does: each aligned to its size.
class PrintingBlock {
 public:
  template <class T>
  PrintingBlock& operator<<(T value) {
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
    PrintingBlock block;
    const char* expected;
  } kRows[] = {
      {"no arguments, 100%%\n", PrintingBlock(), "no arguments, 100%\n"},
      {"%d|%i", PrintingBlock() << -7 << 8, "-7|8"},
      {"%u|%o|%x|%X", PrintingBlock() << 4294967295u << 8u << 255u << 255u, "4294967295|10|ff|FF"},
      {"%ld|%lu|%lld|%llx",
       PrintingBlock() << std::int64_t{-5} << std::uint64_t{1} << std::int64_t{1} << ~std::uint64_t{0},
       "-5|1|1|ffffffffffffffff"},
      {"%zu|%jd|%td", PrintingBlock() << std::uint64_t{9} << std::int64_t{-9} << std::int64_t{3}, "9|-9|3"},
      {"%hhd|%hd", PrintingBlock() << 300 << 70000,
       "300|70000"},  // narrow arguments come as int; `h` is read and left aside
      {"%c%c", PrintingBlock() << 79 << 75, "OK"},
      {"%f|%.2f|%e|%g|%a", PrintingBlock() << 1.5 << 3.14159 << 1e10 << 0.0001 << 1.0,
       "1.500000|3.14|1.000000e+10|0.0001|0x1p+0"},
      {"%F|%E|%G", PrintingBlock() << 1.0 << 1.0 << 1e-10, "1.000000|1.000000E+00|1E-10"},
      {"%5d|%-5d|%05d|%+d|% d|%#x", PrintingBlock() << 42 << 42 << 42 << 42 << 42 << 42u,
       "   42|42   |00042|+42| 42|0x2a"},
      {"%*d|%.*f", PrintingBlock() << 6 << 42 << 1 << 2.55, "    42|2.5"},
      {"%-*d|", PrintingBlock() << 4 << 7, "7   |"},
      {"%s|%10.4s|", PrintingBlock() << std::uint64_t{1} << std::uint64_t{2}, "text at 1|      text|"},
      {"%p", PrintingBlock() << std::uint64_t{0xABC}, "0xabc"},
      {"%d %f %d", PrintingBlock() << 1 << 2.5 << 3, "1 2.500000 3"},  // the double is aligned
  };
  for (const auto& row : kRows) EXPECT_EQ(row.block.print(row.format), row.expected) << row.format;
}

TEST(DevicePrintf, ReturnsTheNumberOfArguments) {
  int count = -1;
  PrintingBlock().print("none, 5%%", &count);
  EXPECT_EQ(count, 0);
  (PrintingBlock() << 1 << 2.0 << std::uint64_t{3}).print("%d %f %s", &count);
  EXPECT_EQ(count, 3);
  (PrintingBlock() << 4 << 5).print("%*d", &count);
  EXPECT_EQ(count, 2);
}

TEST(DevicePrintf, MissingArgumentsAreZeros) {
  EXPECT_EQ((PrintingBlock() << 1).print("%d %d %f %s"), "1 0 0.000000 text at 0");
  EXPECT_EQ(PrintingBlock().print("%lld"), "0");
}

TEST(DevicePrintf, HostileFormatsCostNothing) {
  EXPECT_EQ(PrintingBlock().print("%"), "%");
  EXPECT_EQ(PrintingBlock().print("%-08.3"), "%-08.3");
  EXPECT_EQ(PrintingBlock().print("%ll"), "%ll");
  EXPECT_EQ(PrintingBlock().print("%y and %n"), "%y and %n")
      << "what is unknown is printed as it stands; nothing is written";
  EXPECT_LE((PrintingBlock() << 1).print("%99999999999d").size(), 5000u);
  EXPECT_LE((PrintingBlock() << 1.0).print("%.99999999999f").size(), 5000u);
  EXPECT_LE((PrintingBlock() << 2147483647 << 1).print("%*d").size(), 5000u);
  EXPECT_LE((PrintingBlock() << -2147483647 - 1 << 1).print("%*d").size(), 5000u);
}

}  // namespace
}  // namespace vgpu
