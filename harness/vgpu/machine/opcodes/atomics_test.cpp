// atom and red: every operation and type in every space, on distinct addresses against a reference and on one address
// for all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "harness/vgpu/machine/testing/exact_halves.h"
#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu::test {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S32 = std::int32_t;
using S64 = std::int64_t;

/// How an atomic names memory of its own: the code that leaves its address in a register, and that register.
struct Place {
  const char* space;  ///< modifier with its dot, "" for generic addresses
  const char* set_up;
  const char* address;
  bool global;
};
constexpr Place kPlaces[] = {
    {".global", "mov.u64 %at, %cell;\n", "[%at]", true},
    {".global", "sub.u64 %at, %cell, 80;\n", "[%at+80]", true},
    {"", "mov.u64 %at, %cell;\n", "[%at]", true},
    {".shared",
     "mov.u32 %word, %tid.x;\nshl.b32 %word, %word, 4;\nmov.u32 %near, tiles;\nadd.u32 %near, %near, %word;\n",
     "[%near]", false},
    {".shared::cta",
     "mov.u32 %word, %tid.x;\nshl.b32 %word, %word, 4;\nmov.u32 %near, tiles;\nadd.u32 %near, %near, %word;\n",
     "[%near]", false},
    {"",
     "mov.u32 %word, %tid.x;\nmul.wide.u32 %from, %word, 16;\nmov.u64 %at, tiles;\ncvta.shared.u64 %at, %at;\nadd.u64 "
     "%at, %at, %from;\n",
     "[%at]", false},
};
constexpr const char* kDeclarations = ".shared .align 16 .b8 tiles[1024];\n.reg .b32 %near;\n";

std::string bits_of_type(const std::string& type) {
  if (type.find("16x2") != std::string::npos) return ".b32";
  return type.find("16") != std::string::npos ? ".b16" : ".b" + type.substr(1);
}

/// Each thread puts %a into memory of its own, applies the atomic with %b (and %c), and reads back: the old value as
/// seen by atom, and what is in memory then.
template <class T, class F>
void check_atomic(const std::string& operation, const std::string& type, F updated,
                  const std::vector<std::tuple<T, T>>& rows = edge_rows<T, T>()) {
  const std::string plain = bits_of_type(type);
  for (const Place& place : kPlaces) {
    const std::string store = std::string("st") + place.space + plain + " " + place.address + ", %a;\n";
    const std::string load = std::string("ld") + place.space + plain;
    const std::string name = place.space + ("." + operation + "." + type);
    Snippet atom{place.set_up + store + "atom" + name + " %d, " + place.address + ", %b;\n" + load + " %e, " +
                     place.address + ";",
                 {},
                 {},
                 kDeclarations,
                 true};
    check(atom, rows, [=](T a, T b) { return std::make_tuple(a, updated(a, b, place.global)); });
    if (operation == "exch") continue;  // red has no exchange
    Snippet red{
        place.set_up + store + "red" + name + " " + place.address + ", %b;\n" + load + " %d, " + place.address + ";",
        {},
        {},
        kDeclarations,
        true};
    check(red, rows, [=](T a, T b) { return updated(a, b, place.global); });
  }
}

template <class T>
T sum(T a, T b) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
}

TEST(Atomics, AddWrapsAround) {
  check_atomic<U32>("add", "u32", [](U32 a, U32 b, bool) { return sum(a, b); });
  check_atomic<S32>("add", "s32", [](S32 a, S32 b, bool) { return sum(a, b); });
  check_atomic<U64>("add", "u64", [](U64 a, U64 b, bool) { return sum(a, b); });
}

TEST(Atomics, AddOfFloatsRoundsToNearest) {
  check_atomic<float>("add", "f32",
                      [](float a, float b, bool) { return rounded(Operation::kAdd, a, b, 0.0f, FE_TONEAREST); });
  check_atomic<double>(
      "add", "f64", [](double a, double b, bool) { return AnyNan{rounded(Operation::kAdd, a, b, 0.0, FE_TONEAREST)}; });
}

template <class Format>
void check_add_of_halves() {
  const auto sum = [](U16 a, U16 b) { return nearby<Format>(exactly<Format>(Operation::kAdd, a, b), FE_TONEAREST); };
  const std::vector<U16> elements = edge_elements<Format>();
  std::vector<std::tuple<U16, U16>> rows;
  for (std::size_t i = 0; i < elements.size(); ++i)
    for (std::size_t k = i % 3; k < elements.size(); k += 3) rows.emplace_back(elements[i], elements[k]);
  check_atomic<U16>(
      "add", std::string("noftz.") + Format::kName, [=](U16 a, U16 b, bool) -> U16 { return sum(a, b); }, rows);
  check_atomic<U32>(
      "add", std::string("noftz.") + Format::kName + "x2", [=](U32 a, U32 b, bool) { return on_pairs(sum, a, b); },
      in_pairs(rows));
}

// Subnormals count: .noftz.
TEST(Atomics, AddOfHalvesRoundsEachToNearest) {
  check_add_of_halves<Binary16>();
  check_add_of_halves<Brain16>();
}

template <class T>
void check_min_and_max(const std::string& type) {
  check_atomic<T>("min", type, [](T a, T b, bool) { return std::min(a, b); });
  check_atomic<T>("max", type, [](T a, T b, bool) { return std::max(a, b); });
}

TEST(Atomics, MinAndMaxRespectTheSign) {
  check_min_and_max<U32>("u32");
  check_min_and_max<S32>("s32");
  check_min_and_max<U64>("u64");
  check_min_and_max<S64>("s64");
}

TEST(Atomics, IncAndDecWrapAtTheirBound) {
  check_atomic<U32>("inc", "u32", [](U32 a, U32 b, bool) { return a >= b ? 0 : a + 1; });
  check_atomic<U32>("dec", "u32", [](U32 a, U32 b, bool) { return a == 0 || a > b ? b : a - 1; });
}

template <class T>
void check_bits(const std::string& type) {
  check_atomic<T>("and", type, [](T a, T b, bool) { return a & b; });
  check_atomic<T>("or", type, [](T a, T b, bool) { return a | b; });
  check_atomic<T>("xor", type, [](T a, T b, bool) { return a ^ b; });
  check_atomic<T>("exch", type, [](T, T b, bool) { return b; });
}

TEST(Atomics, BitOperationsAndExchange) {
  check_bits<U32>("b32");
  check_bits<U64>("b64");
}

template <class T>
void check_cas(const std::string& type) {
  std::vector<std::tuple<T, T, T>> rows = edge_rows<T, T, T>();
  for (const T value : edge_values<T>()) rows.push_back({value, value, static_cast<T>(~value)});  // those that swap
  for (const Place& place : kPlaces) {
    const std::string plain = bits_of_type(type), space = place.space, at = place.address;
    Snippet snippet{place.set_up + ("st" + space + plain + " " + at + ", %a;\natom" + space) + ".cas." + type +
                        " %d, " + at + ", %b, %c;\nld" + space + plain + " %e, " + at + ";",
                    {},
                    {},
                    kDeclarations,
                    true};
    check(snippet, rows, [](T a, T b, T c) { return std::tuple<T, T>{a, a == b ? c : a}; });
  }
}

TEST(Atomics, CasSwapsOnlyWhatItExpects) {
  check_cas<U16>("b16");
  check_cas<U32>("b32");
  check_cas<U64>("b64");
}

TEST(Atomics, SixteenBytesAreExchangedAndComparedWhole) {
  const char* const kPack = "mov.b128 %wide, {%b, %c};\nst.global.v2.b64 [%cell], {%a, %b};\n";
  const char* const kUnpack = "mov.b128 {%d, %e}, %old;\nld.global.v2.b64 {%f, %g}, [%cell];";
  Snippet exchange{std::string(kPack) + "atom.global.exch.b128 %old, [%cell], %wide;\n" + kUnpack,
                   {},
                   {},
                   ".reg .b128 %wide, %old;\n",
                   true};
  check(exchange, edge_rows<U64, U64, U64>(), [](U64 a, U64 b, U64 c) {
    return std::tuple<U64, U64, U64, U64>{a, b, b, c};
  });
  Snippet compare{
      std::string(kPack) + "mov.b128 %new, {%a, %c};\natom.global.cas.b128 %old, [%cell], %wide, %new;\n" + kUnpack,
      {},
      {},
      ".reg .b128 %wide, %old, %new;\n",
      true};
  std::vector<std::tuple<U64, U64, U64>> rows = edge_rows<U64, U64, U64>();
  for (const U64 value : edge_values<U64>()) rows.push_back({value, value, value});
  check(compare, rows, [](U64 a, U64 b, U64 c) {
    const bool equal = a == b && b == c;  // memory holds (a, b), expected is (b, c)
    return std::tuple<U64, U64, U64, U64>{a, b, a, equal ? c : b};
  });
}

TEST(Atomics, VectorsOfFloatsAreAddedEachByItself) {
  const auto sum = [](float a, float b) { return rounded(Operation::kAdd, a, b, 0.0f, FE_TONEAREST); };
  const std::string store = "st.global.v2.b32 [%cell], {%a, %b};\n", load = "\nld.global.v2.b32 {%f, %g}, [%cell];";
  // The results may take the operands' registers, in either order.
  for (const char* atom : {"atom.global.add.v2.f32 {%d, %e}, [%cell], {%c, %x};",
                           "mov.b32 %d, %x;\nmov.b32 %e, %c;\natom.global.add.v2.f32 {%d, %e}, [%cell], {%e, %d};",
                           "atom.global.add.v2.f32 {%d, _}, [%cell], {%c, %x};\nmov.b32 %e, %b;"})
    check(Snippet{store + atom + load, {}, {}, {}, true}, edge_rows<float, float, float, float>(),
          [=](float a, float b, float c, float x) {
            return std::tuple<float, float, float, float>{a, b, sum(a, c), sum(b, x)};
          });
  check(Snippet{"st.global.v4.b32 [%cell], {%a, %b, %a, %b};\nred.global.add.v4.f32 [%cell], {%c, %x, %x, %c};\n"
                "ld.global.v4.b32 {%d, %e, %f, %g}, [%cell];",
                {},
                {},
                {},
                true},
        edge_rows<float, float, float, float>(), [=](float a, float b, float c, float x) {
          return std::tuple<float, float, float, float>{sum(a, c), sum(b, x), sum(a, x), sum(b, c)};
        });
}

TEST(Atomics, ScopesAndOrdersChangeNoValue) {
  for (const char* order : {"", ".relaxed", ".acquire", ".release", ".acq_rel"})
    for (const char* scope : {"", ".cta", ".cluster", ".gpu", ".sys"}) {
      if ((*order == '\0') != (*scope == '\0') && *order != '\0') continue;  // an order needs a scope
      Snippet snippet{std::string("st.global.b32 [%cell], %a;\natom") + order + scope +
                          ".global.add.u32 %d, [%cell], %b;\nld.global.b32 %e, [%cell];",
                      {},
                      {},
                      {},
                      false};
      check(snippet, edge_rows<U32, U32>(), [](U32 a, U32 b) { return std::tuple<U32, U32>{a, a + b}; });
    }
}

TEST(Atomics, AResultThatNobodyWantsMayBeLeftOut) {
  Snippet snippet{
      "st.global.b32 [%cell], %a;\natom.global.add.u32 _, [%cell], %b;\nld.global.b32 %d, [%cell];", {}, {}, {}, true};
  check(snippet, edge_rows<U32, U32>(), [](U32 a, U32 b) { return a + b; });
}

// --- all lanes on one address ---

/// One block of two warps; every lane applies the atomic with its own operand to the same place. Returns the place's
/// value, then each thread's old value.
std::vector<U32> on_one_address(const std::string& space, const std::string& instruction, U32 initial, Watch watch) {
  std::string address = "mov.u64 %rd5, %rd1;\n";
  if (space == "shared") address = "mov.u64 %rd5, place;\n";
  if (space == "generic") address = "mov.u64 %rd5, place;\ncvta.shared.u64 %rd5, %rd5;\n";
  const std::string dot = space == "generic" ? "" : "." + space;
  Program program;
  program.ptx = kernel_with(
      2,
      address + "st" + dot + ".u32 [%rd5], " + std::to_string(initial) + ";\nbar.sync 0;\nadd.u32 %r11, %r0, 1;\natom" +
          dot + "." + instruction + " %r10, [%rd5], %r11;\nbar.sync 0;\nld" + dot +
          ".u32 %r12, [%rd5];\nst.global.u32 [%rd0], %r12;\nmul.wide.u32 %rd6, %r0, 4;\nadd.u64 %rd6, %rd6, %rd0;\n"
          "st.global.u32 [%rd6+4], %r10;\n",
      ".shared .align 4 .b32 place;");
  program.shape.block.x = 64;
  program.watch = watch;
  return results_of<U32>(program, 65, {Bytes(16)});
}

TEST(AtomicsOnOneAddress, NothingIsLostAndEveryOldValueWasThereOnce) {
  for (const char* space : {"global", "shared", "generic"}) {
    for (const Watch watch : {Watch::kNobody, Watch::kEverything}) {
      // Operands are 1 to 64. Sums tell all orders apart only in the end; increments show every value once.
      EXPECT_EQ(on_one_address(space, "add.u32", 1000, watch).at(0), 1000 + 64 * 65 / 2);
      EXPECT_EQ(on_one_address(space, "max.u32", 10, watch).at(0), 64u);
      EXPECT_EQ(on_one_address(space, "min.u32", 10, watch).at(0), 1u);
      EXPECT_EQ(on_one_address(space, "or.b32", 0, watch).at(0), 127u);
      EXPECT_EQ(on_one_address(space, "xor.b32", 0, watch).at(0), 64u);  // 1 ^ 2 ^ ... ^ 64

      std::vector<U32> after = on_one_address(space, "exch.b32", 0, watch);
      std::sort(after.begin(),
                after.end());  // the last one's operand is in memory, all others' and the 0 were handed out
      for (U32 i = 0; i < after.size(); ++i) EXPECT_EQ(after[i], i);
    }
  }
}

TEST(AtomicsOnOneAddress, CountersHandOutEveryTicketOnce) {
  Program program;
  program.ptx =
      kernel_with(2,
                  "atom.global.inc.u32 %r10, [%rd1], 1000000;\nmul.wide.u32 %rd6, %r1, 4;\nadd.u64 %rd6, %rd6, %rd0;\n"
                  "st.global.u32 [%rd6], %r10;\n");
  program.shape = {{7, 1, 1}, {33, 1, 1}, 0, false};
  std::vector<U32> tickets = results_of<U32>(program, 231, {Bytes(4)});
  std::sort(tickets.begin(), tickets.end());
  for (U32 i = 0; i < tickets.size(); ++i) EXPECT_EQ(tickets[i], i);
}

// The machine promises more than the hardware does: the lanes of a warp take their turn in order, so that runs can be
// repeated exactly.
TEST(AtomicsInLaneOrder, EachLaneSeesTheLanesBeforeIt) {
  const std::vector<U32> after = on_one_address("global", "add.u32", 0, Watch::kNobody);
  const U32 sums[] = {32 * 33 / 2, 64 * 65 / 2 - 32 * 33 / 2};  // of each warp's operands
  for (U32 warp = 0; warp < 2; ++warp) {
    U32 total = after[1 + 32 * warp];
    EXPECT_TRUE(total == 0 || total == sums[1 - warp]) << "warp " << warp << " begins at " << total;
    for (U32 thread = 32 * warp; thread < 32 * warp + 32; ++thread) {
      EXPECT_EQ(after[1 + thread], total) << thread;
      total += thread + 1;
    }
  }
}

TEST(Atomics, LanesMayBeInDifferentSpaces) {
  Program program;
  program.ptx = kernel_with(
      2,
      "mov.u64 %rd5, place;\nst.shared.u32 [%rd5], 0;\nbar.warp.sync 0xFFFFFFFF;\ncvta.shared.u64 %rd5, %rd5;\nand.b32 "
      "%r5, %r0, 1;\n"
      "setp.eq.u32 %p1, %r5, 0;\nselp.b64 %rd6, %rd1, %rd5, %p1;\nred.add.u32 [%rd6], 3;\nbar.warp.sync 0xFFFFFFFF;\n"
      "ld.shared.u32 %r6, [place];\nst.global.u32 [%rd0], %r6;\n",
      ".shared .align 4 .b32 place;");
  for (const Watch watch : {Watch::kNobody, Watch::kEverything}) {
    program.watch = watch;
    const std::vector<Bytes> after = run_cleanly(program, {Bytes(4), Bytes(4)});
    EXPECT_EQ(values_of<U32>(after.at(0)).at(0), 48u);
    EXPECT_EQ(values_of<U32>(after.at(1)).at(0), 48u);
  }
}

TEST(Atomics, NamesAreAddresses) {
  Program program;
  program.ptx = kernel_with(1,
                            "st.shared.u32 [place+4], 0;\nbar.warp.sync 0xFFFFFFFF;\nred.shared.add.u32 [place+4], "
                            "1;\nred.global.add.u32 [counter], 2;\n"
                            "bar.warp.sync 0xFFFFFFFF;\nld.shared.u32 %r5, [place+4];\nld.global.u32 %r6, "
                            "[counter];\nst.global.v2.u32 [%rd0], {%r5, %r6};\n",
                            ".shared .align 8 .b32 place[2];\n.global .align 4 .u32 counter;");
  EXPECT_EQ(results_of<U32>(program, 2), (std::vector<U32>{32, 64}));
}

TEST(Atomics, WhatIsNotThereIsRefused) {
  for (const char* instruction :
       {"atom.global.add.f16x2 %r5, [%rd0], %r6;", "atom.global.min.noftz.f16x2 %r5, [%rd0], %r6;",
        "atom.global.add.noftz.u32 %r5, [%rd0], %r6;", "atom.global.add.s64 %r5, [%rd0], %r6;",
        "atom.global.and.f32 %r5, [%rd0], %r6;", "atom.local.add.u32 %r5, [%rd0], %r6;",
        "atom.global.inc.s32 %r5, [%rd0], %r6;", "red.global.add.bf16 [%rd0], %h1;",
        "atom.global.u32 %r5, [%rd0], %r6;", "atom.global.min.f32 %r5, [%rd0], %r6;",
        "atom.global.add.v2.f32 {%r5, %r6}, [%rd0], {%r7, %r8, %r9};",
        "atom.shared.add.v2.f32 {%r5, %r6}, [%rd0], {%r7, %r8};",
        "atom.global.exch.v2.f32 {%r5, %r6}, [%rd0], {%r7, %r8};", "red.global.add.v2.u32 [%rd0], {%r7, %r8};",
        "red.global.add.v2.f32 [%rd0], %rd1;"}) {
    Program program;
    program.ptx = kernel_with(1, instruction);
    EXPECT_NE(run(program, {Bytes(64)}).refusal, "") << instruction;
  }
}

}  // namespace
}  // namespace vgpu::test
