// Integer arithmetic on parts of a 32-bit register: pairs of 16 bits, and the video instructions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;
using S64 = std::int64_t;

/// The parts of `bits` bits of a word, lowest first.
std::vector<S64> parts_of(U32 word, int bits, bool is_signed) {
  std::vector<S64> parts;
  for (int at = 0; at < 32; at += bits) {
    const S64 part = word >> at & ((S64{1} << bits) - 1);
    parts.push_back(is_signed && (part >> (bits - 1)) != 0 ? part - (S64{1} << bits) : part);
  }
  return parts;
}

template <class F>
U32 by_parts(U32 a, U32 b, int bits, bool is_signed, F f) {
  const std::vector<S64> x = parts_of(a, bits, is_signed), y = parts_of(b, bits, is_signed);
  U32 word = 0;
  std::size_t i = 0;
  for (int at = 0; at < 32; at += bits, ++i)
    word |= static_cast<U32>(f(x.at(i), y.at(i)) & ((S64{1} << bits) - 1)) << at;
  return word;
}

/// Words made of parts at the ends of their ranges, besides the usual ones.
std::vector<std::tuple<U32, U32>> rows() {
  std::vector<std::tuple<U32, U32>> rows = edge_rows<U32, U32>();
  const std::vector<U32> words{0x80007FFF, 0x7FFF8000, 0x80017FFE, 0xFFFF0001, 0x00FF7F80, 0x7F80FF00, 0x81017E02};
  for (const U32 a : words)
    for (const U32 b : words) rows.emplace_back(a, b);
  return rows;
}

TEST(SimdArithmetic, PairsAreAddedApart) {
  for (const bool is_signed : {false, true})
    check(std::string("add.") + (is_signed ? "s16x2" : "u16x2") + " %d, %a, %b;", rows(),
          [=](U32 a, U32 b) { return by_parts(a, b, 16, is_signed, [](S64 x, S64 y) { return x + y; }); });
}

TEST(SimdArithmetic, PairsAreComparedApart) {
  for (const bool is_signed : {false, true}) {
    const std::string type = is_signed ? ".s16x2 %d, %a, %b;" : ".u16x2 %d, %a, %b;";
    check("min" + type, rows(),
          [=](U32 a, U32 b) { return by_parts(a, b, 16, is_signed, [](S64 x, S64 y) { return std::min(x, y); }); });
    check("max" + type, rows(),
          [=](U32 a, U32 b) { return by_parts(a, b, 16, is_signed, [](S64 x, S64 y) { return std::max(x, y); }); });
  }
  check("min.s16x2.relu %d, %a, %b;", rows(), [](U32 a, U32 b) {
    return by_parts(a, b, 16, true, [](S64 x, S64 y) { return std::max(std::min(x, y), S64{0}); });
  });
  check("max.s16x2.relu %d, %a, %b;", rows(), [](U32 a, U32 b) {
    return by_parts(a, b, 16, true, [](S64 x, S64 y) { return std::max({x, y, S64{0}}); });
  });
}

TEST(SimdArithmetic, DistancesArePutSideBySideOrAddedUp) {
  for (const int bits : {8, 16})
    for (const bool is_signed : {false, true}) {
      const std::string op = bits == 8 ? "vabsdiff4.u32" : "vabsdiff2.u32";
      const std::string types = is_signed ? ".s32.s32" : ".u32.u32";
      const auto distance = [](S64 x, S64 y) { return std::abs(x - y); };
      check(op + types + " %d, %a, %b, 0;", rows(),
            [=](U32 a, U32 b) { return by_parts(a, b, bits, is_signed, distance); });
      check(op + types + ".add %d, %a, %b, %c;", [=](U32 a, U32 b, U32 c) {
        const std::vector<S64> x = parts_of(a, bits, is_signed), y = parts_of(b, bits, is_signed);
        for (std::size_t i = 0; i < x.size(); ++i) c += static_cast<U32>(distance(x[i], y[i]));
        return c;
      });
    }
}

/// A part of a word as a video instruction reads it.
S64 part_of(U32 word, int at, int bits, bool is_signed) { return parts_of(word, bits, is_signed).at(at / bits); }

TEST(VideoInstructions, WorkOnPartsOfRegisters) {
  check("vadd.s32.s32.u32 %d, %a.b3, %b.h1;", rows(),
        [](U32 a, U32 b) { return static_cast<U32>(part_of(a, 24, 8, true) + part_of(b, 16, 16, false)); });
  check("vsub.s32.u32.s32 %d, %a.h0, %b.b1;", rows(),
        [](U32 a, U32 b) { return static_cast<U32>(part_of(a, 0, 16, false) - part_of(b, 8, 8, true)); });
  check("vabsdiff.u32.s32.s32 %d, %a, %b;", rows(), [](U32 a, U32 b) {
    return static_cast<U32>(std::abs(S64{static_cast<std::int32_t>(a)} - S64{static_cast<std::int32_t>(b)}));
  });
  check("vmin.u32.u32.s32 %d, %a.b0, %b.b0;", rows(),
        [](U32 a, U32 b) { return static_cast<U32>(std::min(part_of(a, 0, 8, false), part_of(b, 0, 8, true))); });
  check("vshr.s32.s32.u32.clamp %d, %a.b2, %b;", rows(),
        [](U32 a, U32 b) { return static_cast<U32>(part_of(a, 16, 8, true) >> std::min(b, 32u)); });
  check("vshl.u32.u32.u32.wrap %d, %a, %b;", rows(), [](U32 a, U32 b) { return a << (b & 31); });
  check("vshl.u32.u32.u32.sat.clamp %d, %a, %b;", rows(), [](U32 a, U32 b) {
    if (a == 0) return 0u;
    return b < 32 && std::uint64_t{a} << b <= 0xFFFFFFFF ? a << b : 0xFFFFFFFFu;
  });
  check("vset.s32.u32.lt %d, %a.h1, %b;", rows(),
        [](U32 a, U32 b) { return part_of(a, 16, 16, true) < S64{b} ? 1u : 0u; });
}

TEST(VideoInstructions, ClampMergeAndCombine) {
  check("vadd.u32.s32.s32.sat %d, %a, %b;", rows(), [](U32 a, U32 b) {
    const S64 sum = S64{static_cast<std::int32_t>(a)} + S64{static_cast<std::int32_t>(b)};
    return static_cast<U32>(std::min(std::max(sum, S64{0}), S64{0xFFFFFFFF}));
  });
  check("vsub.s32.u32.u32.sat %d.b1, %a, %b, %c;", [](U32 a, U32 b, U32 c) {
    const S64 clamped = std::min(std::max(S64{a} - S64{b}, S64{-128}), S64{127});
    return (c & 0xFFFF00FF) | (static_cast<U32>(clamped & 0xFF) << 8);
  });
  check("vmax.s32.s32.s32.min %d, %a, %b, %c;", [](U32 a, U32 b, U32 c) {
    const auto of = [](U32 word) { return static_cast<std::int32_t>(word); };
    return static_cast<U32>(std::min(std::max(of(a), of(b)), of(c)));
  });
  check("vset.u32.u32.ge.add %d, %a, %b, %c;", [](U32 a, U32 b, U32 c) { return c + (a >= b ? 1u : 0u); });
}

TEST(SimdArithmetic, WhatIsNotThereIsRefused) {
  for (const char* code :
       {"sub.u16x2 %d, %a, %b;", "mul.lo.u16x2 %d, %a, %b;", "add.sat.s16x2 %d, %a, %b;", "min.u16x2.relu %d, %a, %b;",
        "vabsdiff4.u32.u32.u32.sat %d, %a, %b, %c;", "vabsdiff4.s32.s32.s32 %d, %a, %b, %c;",
        "vabsdiff4.u32.u32.s32 %d, %a, %b, %c;", "vadd.u32.u32 %d, %a, %b;", "vadd.u32.u32.u32 %d, %a.b4, %b;",
        "vadd.u32.u32.u32 %d.b0, %a, %b;", "vshl.u32.u32.u32 %d, %a, %b;", "add.u32 %d, %a.b0, %b;",
        "vmad.u32.u32.u32 %d, %a, %b, -%c;", "vadd4.u32.u32.u32 %d, %a, %b, %c;"})
    expect_refused({code, {RegisterKind::k32}, {RegisterKind::k32, RegisterKind::k32, RegisterKind::k32}, {}});
}

}  // namespace
}  // namespace vgpu::test
