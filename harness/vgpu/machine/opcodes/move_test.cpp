// mov in all its shapes, addresses of names, special registers, clocks, and conversions between generic addresses and
// spaces.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu::test {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

TEST(Mov, CopiesRegistersOfEveryType) {
  for (const char* type : {"b16", "u16", "s16"})
    check(std::string("mov.") + type + " %d, %a;", [](U16 a) { return a; });
  for (const char* type : {"b32", "u32", "s32", "f32"})
    check(std::string("mov.") + type + " %d, %a;", [](U32 a) { return a; });
  for (const char* type : {"b64", "u64", "s64", "f64"})
    check(std::string("mov.") + type + " %d, %a;", [](U64 a) { return a; });
  check("mov.pred %d, %a;", [](bool a) { return a; });
}

TEST(Mov, PacksPartsLowestFirst) {
  // Registers of bytes are as wide as those of 16 bits; only the byte counts.
  check("mov.b16 %d, {%a, %b};", [](U16 a, U16 b) { return static_cast<U16>((a & 0xFF) | b << 8); });
  check("mov.b16 %d, {%a, 0};", [](U16 a) { return static_cast<U16>(a & 0xFF); });
  check("mov.b16 {%d, %e}, %a;", [](U16 a) {
    return std::tuple<U16, U16>{static_cast<U16>(a & 0xFF), static_cast<U16>(a >> 8)};
  });
  check("mov.b32 %d, {%a, %b};", [](U16 a, U16 b) { return U32{a} | U32{b} << 16; });
  check("mov.b64 %d, {%a, %b};", [](U32 a, U32 b) { return U64{a} | U64{b} << 32; });
  check("mov.b64 %d, {%a, %b, %c, %x};",
        [](U16 a, U16 b, U16 c, U16 x) { return U64{a} | U64{b} << 16 | U64{c} << 32 | U64{x} << 48; });
}

TEST(Mov, UnpacksPartsLowestFirst) {
  check("mov.b32 {%d, %e}, %a;", [](U32 a) {
    return std::tuple<U16, U16>{static_cast<U16>(a), static_cast<U16>(a >> 16)};
  });
  check("mov.b64 {%d, %e}, %a;", [](U64 a) {
    return std::tuple<U32, U32>{static_cast<U32>(a), static_cast<U32>(a >> 32)};
  });
  check("mov.b64 {%d, %e, %f, %g}, %a;", [](U64 a) {
    return std::tuple<U16, U16, U16, U16>{static_cast<U16>(a), static_cast<U16>(a >> 16), static_cast<U16>(a >> 32),
                                          static_cast<U16>(a >> 48)};
  });
}

TEST(Mov, LeavesOutPartsThatNobodyWants) {
  check("mov.b64 {_, %d}, %a;", [](U64 a) { return static_cast<U32>(a >> 32); });
  check("mov.b32 {%d, _}, %a;", [](U32 a) { return static_cast<U16>(a); });
}

TEST(Mov, SwapsTheHalvesOfItsOwnRegister) {
  check("mov.b64 {%d, %e}, %a;\nmov.b64 %f, {%e, %d};\nmov.b64 {%e, %d}, %f;", [](U64 a) {
    const U32 low = static_cast<U32>(a), high = static_cast<U32>(a >> 32);
    return std::tuple<U32, U32, U64>{low, high, U64{low} << 32 | high};
  });
}

TEST(Mov, SixteenBytesTravelWhole) {
  Snippet snippet{
      "mov.b128 %w, {%a, %b};\nmov.b128 %v, %w;\nmov.b128 {%d, %e}, %v;", {}, {}, ".reg .b128 %w, %v;\n", false};
  check(snippet, edge_rows<U64, U64>(), [](U64 a, U64 b) { return std::tuple<U64, U64>{a, b}; });
}

TEST(Mov, LiteralsOfEveryKind) {
  check("mov.b16 %d, 0x1234;", [](U16) { return U16{0x1234}; });
  check("mov.u32 %d, -1;", [](U32) { return ~0u; });
  check("mov.u32 %d, 0b1011;", [](U32) { return 11u; });
  check("mov.u32 %d, 0755;", [](U32) { return 0755u; });
  check("mov.u32 %d, WARP_SZ;", [](U32) { return 32u; });
  check("mov.u64 %d, 0xFEDCBA9876543210;", [](U64) { return 0xFEDCBA9876543210u; });
  check("mov.f32 %d, 0f40490FDB;", [](U32) { return 0x40490FDBu; });
  check("mov.f64 %d, 0d400921FB54442D18;", [](U64) { return 0x400921FB54442D18u; });
  check("mov.f32 %d, 2.5;", [](U32) { return 0x40200000u; });
  check("mov.f64 %d, -1.0e-3;", [](U64) { return bits_to<U64>(-1.0e-3); });
}

// --- special registers ---

TEST(SpecialRegisters, SayWhereAThreadIs) {
  const char* const kNames[] = {
      "%tid.x",           "%tid.y",       "%tid.z",        "%ntid.x",          "%ntid.y",           "%ntid.z",
      "%ctaid.x",         "%ctaid.y",     "%ctaid.z",      "%nctaid.x",        "%nctaid.y",         "%nctaid.z",
      "%laneid",          "%warpid",      "%lanemask_eq",  "%lanemask_lt",     "%lanemask_le",      "%lanemask_gt",
      "%lanemask_ge",     "%clusterid.x", "%nclusterid.x", "%cluster_ctaid.x", "%cluster_nctaid.x", "%cluster_ctarank",
      "%cluster_nctarank"};
  constexpr U32 kCount = sizeof kNames / sizeof kNames[0];
  // Blocks of 7 x 5 x 2 threads (70: two warps and six lanes), a grid of 3 x 2 x 2.
  std::string body =
      "mov.u32 %r5, %tid.z;\nmov.u32 %r6, %tid.y;\nmad.lo.u32 %r5, %r5, 5, %r6;\nmov.u32 %r6, %tid.x;\n"
      "mad.lo.u32 %r5, %r5, 7, %r6;\nmov.u32 %r7, %ctaid.z;\nmov.u32 %r6, %ctaid.y;\nmad.lo.u32 %r7, %r7, 2, %r6;\n"
      "mov.u32 %r6, %ctaid.x;\nmad.lo.u32 %r7, %r7, 3, %r6;\nmad.lo.u32 %r7, %r7, 70, %r5;\n"
      "mul.wide.u32 %rd5, %r7, " +
      std::to_string(4 * kCount) + ";\nadd.u64 %rd5, %rd5, %rd0;\n";
  for (U32 i = 0; i < kCount; ++i)
    body += std::string("mov.u32 %r8, ") + kNames[i] + ";\nst.global.u32 [%rd5+" + std::to_string(4 * i) + "], %r8;\n";
  Program program;
  program.ptx = kernel_with(1, body);
  program.shape = {{3, 2, 2}, {7, 5, 2}, 0, false};
  const std::vector<U32> got = results_of<U32>(program, 12 * 70 * kCount);
  for (U32 block = 0; block < 12; ++block)
    for (U32 t = 0; t < 70; ++t) {
      const U32 lane = t % 32;
      const U32 eq = 1u << lane, lt = eq - 1, le = lt | eq;
      const std::vector<U32> expected{t % 7, t / 7 % 5, t / 35, 7,  5,  2,  block % 3, block / 3 % 2, block / 6, 3, 2,
                                      2,     lane,      t / 32, eq, lt, le, ~le,       ~lt,           block % 3, 3, 0,
                                      1,     0,         1};
      const auto* const at = &got[(block * 70 + t) * kCount];
      ASSERT_EQ(std::vector<U32>(at, at + kCount), expected) << "block " << block << " thread " << t;
    }
}

TEST(SpecialRegisters, SayWhatTheDeviceIs) {
  Program program;
  program.ptx = kernel_with(
      1,
      "mov.u32 %r5, %nwarpid;\nmov.u32 %r6, %nsmid;\nmov.u32 %r7, %smid;\nmov.u64 %rd5, %gridid;\ncvt.u32.u64 %r8, "
      "%rd5;\n"
      "mov.u32 %r9, %dynamic_smem_size;\nmov.u32 %r10, %total_smem_size;\nmov.u32 %r11, %envreg1;\nmov.u32 %r12, "
      "%envreg2;\n"
      "mov.u32 %r13, %envreg7;\nmov.u32 %r14, %is_explicit_cluster;\nld.shared.u32 %r15, [tile];\n"
      "st.global.v4.u32 [%rd0], {%r5, %r6, %r7, %r8};\nst.global.v4.u32 [%rd0+16], {%r9, %r10, %r11, %r12};\n"
      "st.global.v2.u32 [%rd0+32], {%r13, %r14};\n",
      ".shared .align 4 .b8 tile[100];");
  program.shape.dynamic_shared = 512;
  program.options.max_warps_per_sm = 48;
  program.options.sm_count = 7;
  program.options.grid_id = 42;
  program.options.grid_workspace = 0x2000000040;
  EXPECT_EQ(results_of<U32>(program, 10), (std::vector<U32>{48, 7, 0, 42, 512, 612, 0x20, 0x40, 0, 0}));
}

TEST(SpecialRegisters, ScratchMemoryOfGroupsIsZeroInEveryBlock) {
  // Cooperative groups of several warps have barriers there that nobody initialises.
  Program program;
  program.ptx = kernel_with(
      1,
      "mov.u32 %r5, %reserved_smem_offset_1;\natom.shared.add.u32 %r6, [%r5+508], 7;\nst.shared.u32 [tile], %r6;\n"
      "mov.u32 %r7, %ctaid.x;\nmul.wide.u32 %rd5, %r7, 4;\nadd.u64 %rd5, %rd5, %rd0;\nst.global.u32 [%rd5], %r6;\n",
      ".shared .align 4 .b8 tile[4];");
  program.shape.grid.x = 5;
  program.shape.block.x = 1;
  program.options.resident_blocks = 2;
  EXPECT_EQ(results_of<U32>(program, 5), std::vector<U32>(5, 0));
  program.watch = Watch::kEverything;
  EXPECT_EQ(results_of<U32>(program, 5), std::vector<U32>(5, 0));
}

TEST(SpecialRegisters, AreOperandsOfOtherInstructions) {
  check("add.u32 %d, %a, %laneid;\nsub.u32 %d, %d, %laneid;", [](U32 a) { return a; });
  check("cvt.u64.u32 %d, %ntid.x;\nadd.u64 %d, %d, %a;\ncvt.u64.u32 %e, %ntid.x;\nsub.u64 %d, %d, %e;\nmov.u64 %e, 0;",
        [](U64 a) {
          return std::tuple<U64, U64>{a, 0};
        });
}

TEST(Clocks, NeverGoBack) {
  Program program;
  program.ptx = kernel_with(
      1,
      "mov.u64 %rd5, %clock64;\nmov.u32 %r5, %clock;\nmov.u64 %rd6, %globaltimer;\nmov.u32 %r6, 50;\nLOOP:\nsub.u32 "
      "%r6, %r6, 1;\n"
      "setp.ne.u32 %p1, %r6, 0;\n@%p1 bra LOOP;\nmov.u64 %rd7, %clock64;\nmov.u32 %r7, %clock;\nmov.u64 %rd8, "
      "%globaltimer;\n"
      "sub.u64 %rd7, %rd7, %rd5;\nsub.u32 %r7, %r7, %r5;\ncvt.u64.u32 %rd9, %r7;\nsub.u64 %rd8, %rd8, %rd6;\n"
      "mov.u32 %r8, %globaltimer_hi;\nmov.u32 %r9, %globaltimer_lo;\nmov.b64 %rd10, {%r9, %r8};\nsub.u64 %rd10, %rd10, "
      "%rd6;\n"
      "mov.u32 %r10, %clock_hi;\ncvt.u64.u32 %rd11, %r10;\n"
      "st.global.v2.u64 [%rd0], {%rd7, %rd9};\nst.global.v2.u64 [%rd0+16], {%rd8, %rd10};\nst.global.u64 [%rd0+32], "
      "%rd11;\n");
  program.shape.block.x = 1;
  program.options.nanoseconds = 0x1234567890;
  const std::vector<U64> elapsed = results_of<U64>(program, 5);
  for (int i = 0; i < 4; ++i) {
    EXPECT_GT(elapsed[i], i < 2 ? 100u : 0u) << i;  // 150 instructions lie between
    EXPECT_LT(elapsed[i], 100000000u) << i;
  }
  EXPECT_EQ(elapsed[4], 0u);
}

// --- addresses ---

TEST(AddressConversions, CvtaGoesBothWays) {
  // For each space: a byte stored through a generic address is found through the space's own address, and the way back
  // gives it.
  const auto round_trip = [](const std::string& space, const std::string& name) {
    return "mov.u64 %rd5, " + name + ";\ncvta." + space + ".u64 %rd6, %rd5;\nst.u32 [%rd6+4], 77;\nld." + space +
           ".u32 %r5, [%rd5+4];\n" + "cvta.to." + space +
           ".u64 %rd7, %rd6;\nsub.u64 %rd7, %rd7, %rd5;\ncvt.u32.u64 %r6, %rd7;\nst.global.v2.u32 [%rd0], {%r5, %r6};\n"
           "add.u64 %rd0, %rd0, 8;\n";
  };
  Program program;
  program.ptx = kernel_with(
      1,
      ".local .align 8 .b32 mine[4];\n" + round_trip("shared", "tile") + round_trip("global", "place") +
          round_trip("local", "mine") +
          "cvta.shared.u64 %rd8, tile;\nld.u32 %r5, [%rd8+4];\ncvta.global.u64 %rd9, place;\nld.u32 %r6, [%rd9+4];\n"
          "st.global.v2.u32 [%rd0], {%r5, %r6};\n",
      ".shared .align 8 .b32 tile[4];\n.global .align 8 .b32 place[4];");
  program.shape.block.x = 1;
  EXPECT_EQ(results_of<U32>(program, 8), (std::vector<U32>{77, 0, 77, 0, 77, 0, 77, 77}));
}

TEST(AddressConversions, IsspacepKnowsTheSpaceOfEach) {
  const char* const kSpaces[] = {"global", "shared", "local", "param"};
  std::string body =
      ".local .align 8 .b32 mine[4];\nmov.u64 %rd10, %rd0;\nmov.u64 %rd5, %rd0;\nmov.u64 %rd6, tile;\ncvta.shared.u64 "
      "%rd6, %rd6;\n"
      "mov.u64 %rd7, mine;\ncvta.local.u64 %rd7, %rd7;\nmov.b64 %rd8, p0;\ncvta.param.u64 %rd8, %rd8;\n";
  for (int address = 5; address <= 8; ++address)
    for (const char* space : kSpaces)
      body += std::string("isspacep.") + space + " %p1, %rd" + std::to_string(address) +
              ";\nselp.u32 %r5, 1, 0, %p1;\nst.global.u32 [%rd10], %r5;\nadd.u64 %rd10, %rd10, 4;\n";
  Program program;
  program.ptx = kernel_with(1, body, ".shared .align 8 .b32 tile[4];");
  program.shape.block.x = 1;
  EXPECT_EQ(results_of<U32>(program, 16), (std::vector<U32>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
}

TEST(AddressConversions, IsspacepAnswersLaneByLane) {
  Program program;
  program.ptx = kernel_with(1,
                            "mov.u64 %rd5, tile;\ncvta.shared.u64 %rd5, %rd5;\nand.b32 %r5, %r0, 4;\nsetp.ne.u32 %p1, "
                            "%r5, 0;\nselp.b64 %rd6, %rd5, %rd0, %p1;\n"
                            "setp.ne.u32 %p3, %r0, 99;\nsetp.lt.u32 %p2, %r0, 16;\n@%p2 isspacep.shared %p3, "
                            "%rd6;\nselp.u32 %r6, 1, 0, %p3;\n"
                            "mul.wide.u32 %rd7, %r0, 4;\nadd.u64 %rd7, %rd7, %rd0;\nst.global.u32 [%rd7], %r6;\n",
                            ".shared .align 8 .b32 tile[4];");
  const std::vector<U32> got = results_of<U32>(program, 32);
  for (U32 lane = 0; lane < 32; ++lane) EXPECT_EQ(got[lane], lane >= 16 || (lane & 4) != 0 ? 1u : 0u) << lane;
}

TEST(Moves, WhatIsNotThereIsRefused) {
  for (const char* instruction :
       {"mov.u32 %r5, %nosuchregister;", "mov.u32 %r5, nowhere;", "mov.u32 %r5, %rd5;", "cvta.global.u32 %r5, %r6;",
        "isspacep.const %p1, %rd5;", "mov.b64 %rd5, {%r5, %h1};", "mov.b32 %r5, {%r6, %r7};",
        "mov.b64 %rd5, {%r5, %r6, %r7};", "mov.u32 %r5, %pm0;", "mov.u32 5, %r5;"}) {
    Program program;
    program.ptx = kernel_with(1, instruction);
    EXPECT_NE(run(program, {Bytes(64)}).refusal, "") << instruction;
  }
}

}  // namespace
}  // namespace vgpu::test
