// Logic, shifts, bit fields and byte permutation against references that go bit by bit.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu::test {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S32 = std::int32_t;
using S64 = std::int64_t;

template <class T>
std::string bits_name() {
  return "b" + std::to_string(8 * sizeof(T));
}

template <class T>
bool bit(T value, unsigned n) {
  return (static_cast<U64>(value) >> n & 1) != 0;
}

template <class T>
class EveryWidth : public ::testing::Test {};
using Widths = ::testing::Types<U16, U32, U64>;
TYPED_TEST_SUITE(EveryWidth, Widths);

TYPED_TEST(EveryWidth, LogicWorksOnEveryBit) {
  using T = TypeParam;
  const std::string t = bits_name<T>();
  check("and." + t + " %d, %a, %b;", [](T a, T b) { return static_cast<T>(a & b); });
  check("or." + t + " %d, %a, %b;", [](T a, T b) { return static_cast<T>(a | b); });
  check("xor." + t + " %d, %a, %b;", [](T a, T b) { return static_cast<T>(a ^ b); });
  check("not." + t + " %d, %a;", [](T a) { return static_cast<T>(~a); });
  check("cnot." + t + " %d, %a;", [](T a) { return static_cast<T>(a == 0 ? 1 : 0); });
}

TEST(PredicateLogic, TakesNegatedOperands) {
  check("and.pred %d, %a, %b;", [](bool a, bool b) { return a && b; });
  check("or.pred %d, %a, %b;", [](bool a, bool b) { return a || b; });
  check("xor.pred %d, %a, %b;", [](bool a, bool b) { return a != b; });
  check("not.pred %d, %a;", [](bool a) { return !a; });
}

/// 0 to 300: below, at and past every width, and past what fits in a byte.
template <class T>
std::vector<std::tuple<T, U32>> shift_rows() {
  std::vector<U32> amounts;
  for (U32 n = 0; n <= 70; ++n) amounts.push_back(n);
  for (const U32 n : {127u, 128u, 255u, 256u, 257u, 300u, 0x80000000u, 0xFFFFFFFFu}) amounts.push_back(n);
  return all_combinations(edge_values<T>(), amounts);
}

TYPED_TEST(EveryWidth, ShiftsPastTheWidthShiftEverythingOut) {
  using T = TypeParam;
  using S = std::make_signed_t<T>;
  const U32 width = 8 * sizeof(T);
  check("shl." + bits_name<T>() + " %d, %a, %b;", shift_rows<T>(), [=](T a, U32 by) {
    T result = 0;
    for (U32 n = by; n < width; ++n) result = static_cast<T>(result | static_cast<T>(T{bit(a, n - by)} << n));
    return result;
  });
  const auto right = [=](T a, U32 by, bool fill) {
    T result = 0;
    for (U32 n = 0; n < width; ++n) {
      const bool from = by < width - n ? bit(a, n + by) : fill;
      result = static_cast<T>(result | static_cast<T>(T{from} << n));
    }
    return result;
  };
  const std::string digits = std::to_string(width);
  check("shr.b" + digits + " %d, %a, %b;", shift_rows<T>(), [=](T a, U32 by) { return right(a, by, false); });
  check("shr.u" + digits + " %d, %a, %b;", shift_rows<T>(), [=](T a, U32 by) { return right(a, by, false); });
  check("shr.s" + digits + " %d, %a, %b;", shift_rows<S>(),
        [=](S a, U32 by) { return static_cast<S>(right(static_cast<T>(a), by, a < 0)); });
}

TEST(FunnelShift, TakesThirtyTwoBitsOutOfSixtyFour) {
  const auto clamp = [](U32 by) { return by < 32 ? by : 32; };
  const auto both = [](U32 low, U32 high) { return U64{high} << 32 | low; };
  std::vector<std::tuple<U32, U32, U32>> rows;
  for (const auto& [low, by] : shift_rows<U32>())
    for (const U32 high : {0u, 0x80000001u, 0x12345678u, ~0u}) rows.push_back({low, high, by});
  check("shf.l.wrap.b32 %d, %a, %b, %c;", rows,
        [=](U32 a, U32 b, U32 c) { return static_cast<U32>((both(a, b) << (c % 32)) >> 32); });
  check("shf.r.wrap.b32 %d, %a, %b, %c;", rows,
        [=](U32 a, U32 b, U32 c) { return static_cast<U32>(both(a, b) >> c % 32); });
  check("shf.l.clamp.b32 %d, %a, %b, %c;", rows,
        [=](U32 a, U32 b, U32 c) { return static_cast<U32>((both(a, b) << clamp(c)) >> 32); });
  check("shf.r.clamp.b32 %d, %a, %b, %c;", rows,
        [=](U32 a, U32 b, U32 c) { return static_cast<U32>(both(a, b) >> clamp(c)); });
}

// --- bit fields: as the pseudocode of the PTX ISA says, bit by bit ---

std::vector<U32> positions() {
  return {0, 1, 5, 15, 16, 30, 31, 32, 33, 62, 63, 64, 65, 200, 255, 256, 257, 0x1FF, 0xFFFFFF01u};
}

template <class T>
T extracted(T a, U32 b, U32 c) {
  constexpr U32 kTop = 8 * sizeof(T) - 1;
  const U32 position = b & 0xFF, length = c & 0xFF;
  const bool sign = std::is_signed_v<T> && length != 0 && bit(a, std::min(position + length - 1, kTop));
  T result = 0;
  for (U32 i = 0; i <= kTop; ++i) {
    const bool from = i < length && position + i <= kTop ? bit(a, position + i) : sign;
    result = static_cast<T>(static_cast<U64>(result) | U64{from} << i);
  }
  return result;
}

template <class T>
T inserted(T a, T b, U32 c, U32 d) {
  constexpr U32 kTop = 8 * sizeof(T) - 1;
  const U32 position = c & 0xFF, length = d & 0xFF;
  T result = b;
  for (U32 i = 0; i < length && position + i <= kTop; ++i) {
    const T one = static_cast<T>(T{1} << (position + i));
    result = static_cast<T>(bit(a, i) ? result | one : result & ~one);
  }
  return result;
}

template <class T>
void check_extract(const std::string& type) {
  check("bfe." + type + " %d, %a, %b, %c;", all_combinations(edge_values<T>(), positions(), positions()),
        [](T a, U32 b, U32 c) { return extracted(a, b, c); });
}

TEST(BitFields, ExtractFillsWithTheFieldsSign) {
  check_extract<U32>("u32");
  check_extract<S32>("s32");
  check_extract<U64>("u64");
  check_extract<S64>("s64");
}

TEST(BitFields, InsertLeavesTheOtherBitsAlone) {
  const auto check_insert = [](auto zero, const std::string& type) {
    using T = decltype(zero);
    const std::vector<T> fields{0, static_cast<T>(~T{0}), static_cast<T>(0xA5A5A5A5C3C3C3C3u)};
    check("bfi." + type + " %d, %a, %b, %c, %x;", all_combinations(fields, fields, positions(), positions()),
          [](T a, T b, U32 c, U32 d) { return inserted(a, b, c, d); });
  };
  check_insert(U32{0}, "b32");
  check_insert(U64{0}, "b64");
}

TEST(BitFields, BmskMakesRunsOfOnes) {
  const auto run = [](U32 position, U64 length) {
    U32 mask = 0;
    for (U32 i = position; i < 32 && i - position < length; ++i) mask |= 1u << i;
    return mask;
  };
  const auto rows = all_combinations(positions(), positions());
  check("bmsk.clamp.b32 %d, %a, %b;", rows, [=](U32 a, U32 b) { return run(a, b); });
  check("bmsk.wrap.b32 %d, %a, %b;", rows, [=](U32 a, U32 b) { return run(a & 31, b & 31); });
}

TEST(BitFields, SzextExtendsFromAnyWidth) {
  const auto extend = [](U32 a, U32 n, bool is_signed) {
    const bool sign = is_signed && n != 0 && bit(a, n - 1);
    U32 result = 0;
    for (U32 i = 0; i < 32; ++i) result |= U32{i < n ? bit(a, i) : sign} << i;
    return result;
  };
  const auto rows = all_combinations(edge_values<U32>(), positions());
  for (const bool is_signed : {false, true}) {
    const std::string type = is_signed ? "s32" : "u32";
    check("szext.clamp." + type + " %d, %a, %b;", rows,
          [=](U32 a, U32 b) { return extend(a, std::min(b, 32u), is_signed); });
    check("szext.wrap." + type + " %d, %a, %b;", rows, [=](U32 a, U32 b) { return extend(a, b & 31, is_signed); });
  }
}

// --- counting and searching ---

template <class T>
void check_counts(const std::string& width) {
  constexpr int kWidth = 8 * sizeof(T);
  check("brev.b" + width + " %d, %a;", [](T a) {
    T result = 0;
    for (int i = 0; i < kWidth; ++i) result = static_cast<T>(result | static_cast<T>(T{bit(a, i)} << (kWidth - 1 - i)));
    return result;
  });
  check("popc.b" + width + " %d, %a;", [](T a) {
    U32 count = 0;
    for (int i = 0; i < kWidth; ++i) count += bit(a, i) ? 1 : 0;
    return count;
  });
  check("clz.b" + width + " %d, %a;", [](T a) {
    U32 count = 0;
    while (count < kWidth && !bit(a, kWidth - 1 - count)) ++count;
    return count;
  });
}

TEST(BitCounts, CountEveryBit) {
  check_counts<U32>("32");
  check_counts<U64>("64");
}

template <class T>
void check_bfind(const std::string& type) {
  constexpr int kWidth = 8 * sizeof(T);
  const auto position = [](T a) {
    const bool sign = std::is_signed_v<T> && a < 0;
    int at = kWidth - 1;
    while (at >= 0 && bit(a, static_cast<unsigned>(at)) == sign) --at;
    return at;
  };
  check("bfind." + type + " %d, %a;", [=](T a) { return static_cast<U32>(position(a)); });
  check("bfind.shiftamt." + type + " %d, %a;",
        [=](T a) { return position(a) < 0 ? ~0u : static_cast<U32>(kWidth - 1 - position(a)); });
}

TEST(BitCounts, BfindFindsTheHighestBitThatIsNoSign) {
  check_bfind<U32>("u32");
  check_bfind<S32>("s32");
  check_bfind<U64>("u64");
  check_bfind<S64>("s64");
}

TEST(BitCounts, FnsFindsTheNthSetBitUpAndDown) {
  const std::vector<U32> masks{0, 1, 0x80000000u, 0xFFFFFFFFu, 0xA5A5A5A5u, 0x00010100u, 0x7FFFFFFEu};
  const std::vector<U32> bases{0, 1, 8, 15, 16, 30, 31};
  const std::vector<S32> offsets{0, 1, 2, 3, 16, 32, 33, -1, -2, -3, -16, -32, -33, INT32_MAX, INT32_MIN};
  check("fns.b32 %d, %a, %b, %c;", all_combinations(masks, bases, offsets), [](U32 mask, U32 base, S32 offset) {
    if (offset == 0) return bit(mask, base) ? base : ~0u;
    S64 left = offset > 0 ? S64{offset} : -S64{offset};
    for (S32 at = static_cast<S32>(base); at >= 0 && at<32; at += offset> 0 ? 1 : -1)
      if (bit(mask, static_cast<unsigned>(at)) && --left == 0) return static_cast<U32>(at);
    return ~0u;
  });
}

// --- prmt: the bytes of b:a, numbered 7 to 0 ---

TEST(Prmt, GenericModeTakesAnyByteOrItsSign) {
  std::vector<U32> selectors;
  for (U32 nibble = 0; nibble < 16; ++nibble) selectors.push_back(0x3210u ^ nibble << 4 * (nibble % 4) ^ nibble << 4);
  for (const U32 s : {0x0000u, 0x7654u, 0x3210u, 0xFEDCu, 0xBA98u, 0x0123u, 0x89ABu, 0xFFFF7531u})
    selectors.push_back(s);
  const std::vector<U32> words{0, 0x80FF7F01u, 0x01020304u, 0xF0E0D0C0u, ~0u};
  check("prmt.b32 %d, %a, %b, %c;", all_combinations(words, words, selectors), [](U32 a, U32 b, U32 c) {
    U32 result = 0;
    for (int i = 0; i < 4; ++i) {
      const U32 selector = c >> 4 * i & 15;
      const U32 source = (selector & 7) < 4 ? a >> 8 * (selector & 7) : b >> 8 * ((selector & 7) - 4);
      const U32 byte = (selector & 8) != 0 ? ((source & 0x80) != 0 ? 0xFF : 0) : source & 0xFF;
      result |= byte << 8 * i;
    }
    return result;
  });
}

TEST(Prmt, SpecialModesFollowTheTableOfThePtxIsa) {
  // Which byte each result byte comes from, most significant first, for controls 0 to 3.
  struct Mode {
    const char* name;
    int from[4][4];
  };
  constexpr Mode kModes[] = {
      {"f4e", {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
      {"b4e", {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
      {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
      {"ecl", {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
      {"ecr", {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
      {"rc16", {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}},
  };
  const std::vector<U32> words{0x80FF7F01u, 0x0F0E0D0Cu};
  for (const Mode& mode : kModes) {
    check(std::string("prmt.b32.") + mode.name + " %d, %a, %b, %c;",
          all_combinations(words, std::vector<U32>{0xB7B6B5B4u}, std::vector<U32>{0, 1, 2, 3, 4, 7, 0xFFFFFFFEu}),
          [&](U32 a, U32 b, U32 c) {
            U32 result = 0;
            for (int i = 0; i < 4; ++i) {
              const int from = mode.from[c & 3][3 - i];
              result |= ((from < 4 ? a >> 8 * from : b >> 8 * (from - 4)) & 0xFF) << 8 * i;
            }
            return result;
          });
  }
}

// All 256 tables in one kernel: one thread a triple of operands, one result a table.
TEST(Lop3, ComputesAllTables) {
  std::string body;
  for (int table = 0; table < 256; ++table)
    body += "lop3.b32 %r10, %r3, %r4, %r5, " + std::to_string(table) + ";\nst.global.b32 [%rd3+" +
            std::to_string(4 * table) + "], %r10;\n";
  Program program;
  program.ptx = kernel_with(2,
                            "mul.wide.u32 %rd2, %r1, 12;\nadd.s64 %rd2, %rd2, %rd1;\nld.global.b32 %r3, "
                            "[%rd2];\nld.global.b32 %r4, [%rd2+4];\n"
                            "ld.global.b32 %r5, [%rd2+8];\nmul.wide.u32 %rd3, %r1, 1024;\nadd.s64 %rd3, %rd3, %rd0;\n" +
                                body);
  Numbers numbers(3);
  std::vector<U32> operands(96);
  for (U32& operand : operands) operand = static_cast<U32>(numbers.next());
  const std::vector<U32> got = results_of<U32>(program, 32 * 256, {bytes_of(operands)});
  for (std::size_t t = 0; t < 32; ++t) {
    for (U32 table = 0; table < 256; ++table) {
      U32 expected = 0;
      for (int i = 0; i < 32; ++i) {
        const unsigned row =
            bit(operands[3 * t], i) * 4 + bit(operands[3 * t + 1], i) * 2 + bit(operands[3 * t + 2], i);
        expected |= U32{bit(table, row)} << i;
      }
      ASSERT_EQ(got[t * 256 + table], expected) << "thread " << t << ", table " << table;
    }
  }
}

TEST(Lop3, LeavesLanesOutsideOfTheGuardAlone) {
  check("lop3.b32 %d, %a, %b, %c, 0x96;", [](U32 a, U32 b, U32 c) { return a ^ b ^ c; });
  check("lop3.b32 %d, %a, %b, %c, 0xE8;", [](U32 a, U32 b, U32 c) { return (a & b) | (a & c) | (b & c); });
}

TEST(BitOperations, WhatIsNotThereIsRefused) {
  const auto refused = [](const std::string& code, RegisterKind result, RegisterKind input) {
    expect_refused({code, {result}, {input, input, input}, {}});
  };
  refused("popc.b16 %d, %a;", RegisterKind::k32, RegisterKind::k16);
  refused("clz.b16 %d, %a;", RegisterKind::k32, RegisterKind::k16);
  refused("brev.b16 %d, %a;", RegisterKind::k16, RegisterKind::k16);
  refused("bfe.u16 %d, %a, %b, %c;", RegisterKind::k16, RegisterKind::k16);
  refused("bfi.b16 %d, %a, %a, %b, %c;", RegisterKind::k16, RegisterKind::k16);
  refused("shf.l.b32 %d, %a, %b, %c;", RegisterKind::k32, RegisterKind::k32);
  refused("prmt.b32.xyz %d, %a, %b, %c;", RegisterKind::k32, RegisterKind::k32);
  refused("lop3.b32 %d, %a, %b, %c, %a;", RegisterKind::k32, RegisterKind::k32);
}

}  // namespace
}  // namespace vgpu::test
