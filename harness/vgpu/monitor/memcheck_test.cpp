// What memcheck says of wrong accesses, in every kind of memory; and that it says nothing of right ones.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/vgpu/monitor/testing/watched_device.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

/// One access of one thread that is wrong in one way.
struct Row {
  const char* what;
  std::string body;  ///< %rd0: array `a`, 100 elements of 4 bytes; %rd1: `gone`, likewise, but freed
  const char* kind;
  const char* array;
  std::int64_t index;
  std::vector<const char*> words;  ///< of the sentence
  FaultKind fault = FaultKind::kNone;
  const char* outside = "";
  U32 dynamic_shared = 0;
};

void check_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    WatchedDevice device;
    const U64 gone = device.array("gone", 100, 4), a = device.array("a", 100, 4);
    device.memory->release(gone);
    const Fault fault = device.launch(row.body, {a, gone}, 1, row.outside, row.dynamic_shared);
    EXPECT_EQ(fault.kind, row.fault) << row.what << ": " << fault.sentence;
    if (row.fault != FaultKind::kNone) {
      EXPECT_TRUE(fault.explained) << row.what;
      EXPECT_EQ(fault.line, 7u) << row.what;
    }
    ASSERT_EQ(device.findings.all().size(), 1u) << row.what;
    const Finding& finding = device.findings.all()[0];
    EXPECT_EQ(finding.tool, "memcheck");
    EXPECT_EQ(finding.kind, row.kind) << row.what;
    EXPECT_EQ(finding.array, row.array) << row.what;
    EXPECT_EQ(finding.index, row.index) << row.what;
    EXPECT_EQ(finding.file, "kernel.cu") << row.what;
    EXPECT_EQ(finding.line, 7u) << row.what;
    EXPECT_EQ(finding.count, 1u) << row.what;
    EXPECT_FALSE(finding.advice.empty()) << row.what;
    for (const char* words : row.words)
      EXPECT_NE(finding.sentence.find(words), std::string::npos)
          << row.what << ": '" << words << "' is not in '" << finding.sentence << "'";
  }
}

TEST(MemcheckGlobal, CountsVariablesInWhatIsAccessedUnlessTheirDeclarationSays) {
  check_rows({
      {"words",
       "mov.u64 %rd5, numbers;\nst.global.u32 [%rd5+40], 1;",
       "out-of-bounds write",
       "numbers",
       10,
       {"writes 4 bytes at numbers[10], just past its end (numbers has 10 elements)"},
       FaultKind::kNone,
       ".global .align 4 .b8 numbers[40];\n"},
      {"double words among the constants",
       "mov.u64 %rd5, table;\nld.global.u64 %rd6, [%rd5+-8];",
       "out-of-bounds read",
       "table",
       -1,
       {"1 element before its beginning (table has 4 elements)"},
       FaultKind::kNone,
       ".const .align 8 .b8 table[32];\n"},
      {"characters",
       "mov.u64 %rd5, letters;\nst.global.u8 [%rd5+12], 1;",
       "out-of-bounds write",
       "letters",
       12,
       {"3 past its end (letters has 10 elements)"},
       FaultKind::kNone,
       ".global .align 1 .b8 letters[10];\n"},
      {"partly",
       "mov.u64 %rd5, shorts;\nst.global.u32 [%rd5+8], 1;",
       "out-of-bounds write",
       "shorts",
       4,
       {"writes 4 bytes at shorts[4], and so past its end (shorts has 5 elements)"},
       FaultKind::kNone,
       ".global .align 4 .u16 shorts[5];\n"},
      {"an array declared as what it is",
       "mov.u64 %rd5, shorts;\nst.global.u32 [%rd5+8], 1;",
       "out-of-bounds write",
       "shorts",
       4,
       {"just past its end (shorts has 4 elements)"},
       FaultKind::kNone,
       ".global .align 4 .u16 shorts[4];\n"},
  });
}

TEST(MemcheckGlobal, AdviceNamesAGuardThatIsOneTooWide) {
  const std::string address = "mul.wide.u32 %rd5, %r0, 4;\nadd.s64 %rd5, %rd0, %rd5;\n";
  const std::string store = "st.global.u32 [%rd5], 1;";
  const auto advice_on = [&](const std::string& body) {
    WatchedDevice device;
    device.launch(address + body, {device.array("a", 100, 4)}, 128);
    return device.findings.all().size() == 1 ? device.findings.all()[0].advice : "";
  };
  const char* const strict = "compare with <;";
  EXPECT_NE(advice_on("setp.le.u32 %p1, %r0, 100;\n@%p1 " + store).find(strict), std::string::npos);
  EXPECT_NE(advice_on("setp.gt.u32 %p1, %r0, 100;\n@%p1 ret;\n" + store).find(strict), std::string::npos);
  EXPECT_NE(advice_on(store).find("guard the access"), std::string::npos) << "there is no guard";
  EXPECT_NE(advice_on("setp.le.u32 %p1, %r0, 105;\n@%p1 " + store).find("guard the access"), std::string::npos)
      << "it is wider than that";
  EXPECT_NE(advice_on("setp.eq.u32 %p1, %r0, 0;\n@%p1 st.global.u32 [%rd5+-4], 1;").find("negative"),
            std::string::npos);
}

TEST(MemcheckGlobal, AdviceTellsAComputedIndexFromAThreadsOwn) {
  const auto advice_on = [](const std::string& body) {
    WatchedDevice device;
    device.launch(body + "mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd5, %rd0, %rd5;\nld.global.u32 %r2, [%rd5];",
                  {device.array("a", 100, 4)}, 32);
    return device.findings.all().size() == 1 ? device.findings.all()[0].advice : "";
  };
  const char* const computed = "index is computed";
  EXPECT_NE(advice_on("mul.lo.u32 %r1, %r0, %r0;\n").find(computed), std::string::npos) << "squares";
  EXPECT_NE(advice_on("mov.u32 %r1, 105;\n").find(computed), std::string::npos) << "the same for all lanes";
  EXPECT_NE(advice_on("setp.ne.u32 %p1, %r0, 0;\n@%p1 ret;\nmov.u32 %r1, 105;\n").find(computed), std::string::npos)
      << "a single lane's";
  EXPECT_NE(advice_on("mul.lo.u32 %r1, %r0, 4;\n").find("guard the access"), std::string::npos)
      << "four elements a lane";
}

TEST(MemcheckGlobal, TellsHowFarOutsideOfWhichArrayAndLetsItLandWhereTheHardwareWould) {
  check_rows({
      {"just behind",
       "st.global.u32 [%rd0+400], 1;",
       "out-of-bounds write",
       "a",
       100,
       {"thread (0,0,0) of block (0,0,0) writes 4 bytes at a[100], just past its end (a has 100 elements)"}},
      {"further behind",
       "ld.global.u32 %r5, [%rd0+4400];",
       "out-of-bounds read",
       "a",
       1100,
       {"reads 4 bytes at a[1100], 1,001 past its end"}},
      {"just before",
       "ld.global.u32 %r5, [%rd0+-4];",
       "out-of-bounds read",
       "a",
       -1,
       {"1 element before its beginning"}},
      {"further before",
       "st.global.u8 [%rd0+-5], %h1;",
       "out-of-bounds write",
       "a",
       -2,
       {"writes 1 byte at a[-2], 2 elements before its beginning"}},
      {"half of a wide one",
       "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd0+400];",
       "out-of-bounds read",
       "a",
       100,
       {"16 bytes"}},
      {"an atomic", "red.global.add.u32 [%rd0+400], 1;", "out-of-bounds atomic access", "a", 100, {"changes 4 bytes"}},
      {"through a generic address", "ld.u32 %r5, [%rd0+400];", "out-of-bounds read", "a", 100, {"just past its end"}},
      {"freed",
       "ld.global.u32 %r5, [%rd1+8];",
       "use after free (read)",
       "gone",
       2,
       {"at gone[2], which has been freed"}},
      {"freed, a write", "st.global.u32 [%rd1], 1;", "use after free (write)", "gone", 0, {"which has been freed"}},
  });
}

TEST(MemcheckGlobal, AdvisesOnTheIndexAsFarAsOneLeadsAndElseOnThePointer) {
  const auto advice_on = [](const std::string& body) {
    WatchedDevice device;
    const U64 a = device.array("a", 100, 4);
    device.launch(body, {a}, 1);
    return device.findings.all().at(0).advice;
  };
  const std::string store = "\nst.global.u32 [%rd5], 1;";
  EXPECT_NE(advice_on("add.u64 %rd5, %rd0, 0x32F2F2F2C;" + store).find("what it is computed from"), std::string::npos);
  EXPECT_NE(advice_on("sub.u64 %rd5, %rd0, 0x300000000;" + store).find("fall below 0"), std::string::npos);
  EXPECT_NE(advice_on("mov.u64 %rd5, 0x700000000000;" + store).find("copy host memory"), std::string::npos);
}

TEST(MemcheckGlobal, HoldsBackWhatTheHardwareWouldTrap) {
  check_rows({
      {"beyond all that was ever allocated",
       "ld.global.u32 %r5, [%rd0+40000000];",
       "out-of-bounds read",
       "a",
       10000000,
       {"past its end"},
       FaultKind::kIllegalAddress},
      {"not a constant",
       "ld.const.u32 %r5, [%rd0+8];",
       "invalid constant read",
       "a",
       2,
       {"reads 4 bytes by ld.const at a[2], which is not constant memory"},
       FaultKind::kIllegalAddress},
      {"null",
       "mov.u64 %rd5, 0;\nst.global.u32 [%rd5], 1;",
       "invalid write",
       "",
       0,
       {"at 0x0, a null pointer"},
       FaultKind::kIllegalAddress},
      {"an index into null",
       "mov.u64 %rd5, 0;\nld.global.u32 %r5, [%rd5+4096];",
       "invalid read",
       "",
       0,
       {"at 0x1000, a null pointer"},
       FaultKind::kIllegalAddress},
      {"the element before null",
       "mov.u64 %rd5, 0;\nld.global.u32 %r5, [%rd5+-4];",
       "invalid read",
       "",
       0,
       {"at 0xfffffffffffffffc, a null pointer with a negative index"},
       FaultKind::kIllegalAddress},
      {"no address of a device",
       "mov.u64 %rd5, 0x300000000000;\nld.global.u32 %r5, [%rd5];",
       "invalid read",
       "",
       0,
       {"at 0x300000000000, which is not device memory"},
       FaultKind::kIllegalAddress},
      {"an address of the host",
       "mov.u64 %rd5, 0x700000000000;\nld.global.u32 %r5, [%rd5];",
       "invalid read",
       "",
       0,
       {"at a host address, which is not device memory"},
       FaultKind::kIllegalAddress},
      {"shared memory through a pointer to global",
       "mov.u32 %r5, tile;\ncvt.u64.u32 %rd5, %r5;\ncvta.shared.u64 %rd5, %rd5;\nld.global.u32 %r5, [%rd5];",
       "invalid read",
       "",
       0,
       {"an address in shared memory"},
       FaultKind::kIllegalAddress,
       ".shared .align 4 .b32 tile[8];\n"},
      {"misaligned",
       "ld.global.u32 %r5, [%rd0+2];",
       "misaligned read",
       "",
       0,
       {"which is not a multiple of 4"},
       FaultKind::kMisalignedAddress},
      {"a vector at a multiple of its elements only",
       "st.global.v2.u32 [%rd0+4], {%r5, %r5};",
       "misaligned write",
       "",
       0,
       {"not a multiple of 8"},
       FaultKind::kMisalignedAddress},
      {"code",
       "mov.u64 %rd5, f;\nld.global.u32 %r5, [%rd5];",
       "invalid read",
       "",
       0,
       {},
       FaultKind::kIllegalAddress,
       ".func f()\n{\nret;\n}\n"},
  });
}

TEST(MemcheckShared, KnowsEveryArray) {
  const char* const two_arrays = ".shared .align 4 .b32 _ZZ4testPiE4tile[8];\n.shared .align 8 .b64 sums[4];\n";
  check_rows({
      {"behind the first of two",
       "st.shared.u32 [_ZZ4testPiE4tile+32], 1;\nld.shared.u64 %rd5, [sums];",
       "out-of-bounds shared write",
       "tile",
       8,
       {"at tile[8]", "just past its end (tile has 8 elements)"},
       FaultKind::kNone,
       two_arrays},
      {"behind the last",
       "ld.shared.u64 %rd5, [sums+32];\nld.shared.u32 %r5, [_ZZ4testPiE4tile];",
       "out-of-bounds shared read",
       "sums",
       4,
       {"sums has 4 elements"},
       FaultKind::kNone,
       two_arrays},
      {"before the first",
       "mov.u32 %r5, _ZZ4testPiE4tile;\nld.shared.u32 %r6, [%r5+-4];\nld.shared.u64 %rd5, [sums];",
       "out-of-bounds shared read",
       "tile",
       -1,
       {"1 element before its beginning"},
       FaultKind::kIllegalAddress,
       two_arrays},
      {"far before the first",
       "mov.u32 %r5, _ZZ4testPiE4tile;\nld.shared.u32 %r6, [%r5+-200000];\nld.shared.u64 %rd5, [sums];",
       "out-of-bounds shared read",
       "tile",
       -50000,
       {"at tile[-50000]", "50,000 elements before its beginning"},
       FaultKind::kIllegalAddress,
       two_arrays},
      {"far behind",
       "mov.u32 %r5, _ZZ4testPiE4tile;\natom.shared.add.u32 %r6, [%r5+65536], 1;",
       "out-of-bounds shared atomic access",
       "tile",
       16384,
       {},
       FaultKind::kIllegalAddress,
       two_arrays},
      {"through a generic address",
       "mov.u32 %r5, _ZZ4testPiE4tile;\ncvt.u64.u32 %rd5, %r5;\ncvta.shared.u64 %rd5, %rd5;\nst.u32 [%rd5+32], 1;",
       "out-of-bounds shared write",
       "tile",
       8,
       {},
       FaultKind::kNone,
       two_arrays},
      {"dynamic memory that is too small",
       "st.shared.u32 [more+64], 1;",
       "out-of-bounds shared write",
       "more",
       16,
       {"more has 16 elements"},
       FaultKind::kNone,
       ".extern .shared .align 4 .b8 more[];\n",
       64},
      {"far before dynamic memory",
       "mov.u32 %r5, more;\nadd.u32 %r5, %r5, -200000;\natom.shared.add.u32 %r6, [%r5], 1;",
       "out-of-bounds shared atomic access",
       "more",
       -50000,
       {"at more[-50000]", "50,000 elements before its beginning (more has 16 elements)"},
       FaultKind::kIllegalAddress,
       ".extern .shared .align 4 .b8 more[];\n",
       64},
      {"dynamic memory that was not asked for",
       "st.shared.u32 [more], 1;",
       "out-of-bounds shared write",
       "more",
       0,
       {"more has 0 elements"},
       FaultKind::kNone,
       ".extern .shared .align 4 .b8 more[];\n"},
      {"no shared memory at all",
       "mov.u32 %r5, 2048;\nld.shared.u32 %r6, [%r5];",
       "out-of-bounds shared read",
       "",
       0,
       {"the kernel has no shared array"},
       FaultKind::kIllegalAddress},
      {"misaligned",
       "mov.u32 %r5, _ZZ4testPiE4tile;\nld.shared.u32 %r6, [%r5+1];",
       "misaligned read",
       "",
       0,
       {},
       FaultKind::kMisalignedAddress,
       two_arrays},
  });
}

TEST(MemcheckShared, AsksWhetherADeclaredArrayIsLargeEnough) {
  WatchedDevice device;
  device.launch("shl.b32 %r5, %r0, 2;\nmov.u32 %r6, tile;\nadd.u32 %r5, %r5, %r6;\nst.shared.u32 [%r5], 1;",
                {device.array("a", 100, 4)}, 32, ".shared .align 4 .b8 tile[64];\n");
  ASSERT_EQ(device.findings.all().size(), 1u);
  EXPECT_NE(device.findings.all()[0].advice.find("Is the array declared as large"), std::string::npos);
}

TEST(MemcheckShared, AdvisesOnTheSizeOfDynamicMemoryOnlyBehindIt) {
  const auto advice = [](const std::string& offset) {
    WatchedDevice device;
    device.launch("mov.u32 %r5, more;\nld.shared.u32 %r6, [%r5+" + offset + "];", {device.array("a", 100, 4)}, 1,
                  ".extern .shared .align 4 .b8 more[];\n", 64);
    return device.findings.all().at(0).advice;
  };
  EXPECT_NE(advice("64").find("third launch parameter"), std::string::npos);
  EXPECT_NE(advice("-200000").find("The index is negative"), std::string::npos);
}

TEST(MemcheckLocal, KnowsTheEndOfAThreadsMemory) {
  const std::string local_array = ".local .align 8 .b8 mine[64];\nmov.u32 %r5, mine;\n";
  check_rows({
      {"behind",
       local_array + "st.local.u32 [%r5+64], 1;",
       "out-of-bounds local write",
       "local memory",
       16,
       {"at byte 64 of its local memory, which has 64 bytes"},
       FaultKind::kIllegalAddress},
      {"far behind",
       local_array + "ld.local.u32 %r6, [%r5+1048576];",
       "out-of-bounds local read",
       "local memory",
       262144,
       {},
       FaultKind::kIllegalAddress},
      {"before",
       local_array + "ld.local.u32 %r6, [%r5+-4];",
       "out-of-bounds local read",
       "local memory",
       1073741823,
       {},
       FaultKind::kIllegalAddress},
      {"before, by a wide address",
       ".local .align 8 .b8 mine[64];\nmov.u64 %rd5, mine;\nld.local.u32 %r6, [%rd5+-4];",
       "out-of-bounds local read",
       "local memory",
       -1,
       {"at byte -4 of its local memory, which has 64 bytes"},
       FaultKind::kIllegalAddress},
      {"misaligned",
       local_array + "ld.local.u64 %rd5, [%r5+4];",
       "misaligned read",
       "",
       0,
       {"not a multiple of 8"},
       FaultKind::kMisalignedAddress},
  });
}

TEST(Memcheck, SaysNothingOfCorrectCode) {
  WatchedDevice device;
  const U64 a = device.array("a", 100, 4), b = device.array("b", 100, 16);
  std::vector<U32> of_host(64, 5);
  device.memory->pin_host(reinterpret_cast<U64>(of_host.data()), 4 * of_host.size(), AddressSpace::Reach::kKernels,
                          reinterpret_cast<std::byte*>(of_host.data()));
  const Fault fault = device.launch(
      ".local .align 8 .b8 mine[16];\nsetp.ge.u32 %p1, %r0, 100;\nmul.wide.u32 %rd5, %r0, 4;\nadd.u64 %rd5, %rd5, "
      "%rd0;\nmul.wide.u32 %rd6, %r0, 16;\nadd.u64 %rd6, %rd6, %rd1;\n@!%p1 ld.global.u32 %r5, [%rd5];\n@!%p1 "
      "st.global.v4.u32 [%rd6], {%r5, %r5, %r5, %r5};\nred.global.add.u32 [%rd0], 1;\nred.global.add.u32 [%rd0+396], "
      "1;\nmov.u32 %r6, tile;\nmad.lo.u32 %r6, %r0, 4, %r6;\nst.shared.u32 [%r6], %r0;\nbar.sync 0;\nld.shared.u32 "
      "%r7, "
      "[tile+508];\nmov.u32 %r8, mine;\nst.local.u64 [%r8+8], %rd0;\nst.local.u64 [%r8], %rd0;\nld.global.u32 %r9, "
      "[%rd2];\nld.u32 %r9, [%rd2+252];\nld.global.u32 %r10, [counter];\nld.const.u32 %r10, [table+12];\n",
      {a, b, reinterpret_cast<U64>(of_host.data())}, 128,
      ".shared .align 4 .b32 tile[128];\n.global .align 4 .u32 counter;\n.const .align 4 .u32 table[4] = {1, 2, 3, "
      "4};\n");
  EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.sentence;
  EXPECT_TRUE(device.findings.empty()) << device.findings.all()[0].sentence;
  EXPECT_EQ(device.findings.total(), 0u);
}

TEST(Memcheck, InputsMayBeReadAndWritesToThemAreReportedAndTakePlace) {
  WatchedDevice device;
  const U64 a = device.array("a", 100, 4), b = device.array("b", 100, 4);
  ASSERT_TRUE(device.memory->set_read_only(a));
  EXPECT_FALSE(device.memory->set_read_only(a + 4));
  device.launch("ld.global.u32 %r5, [%rd0+12];\nst.global.u32 [%rd1+12], %r5;\n", {a, b});
  EXPECT_TRUE(device.findings.empty());
  const Fault fault = device.launch("st.global.u32 [%rd0+12], 77;\nred.global.add.u32 [%rd0+16], 1;\n", {a, b});
  EXPECT_EQ(fault.kind, FaultKind::kNone);
  ASSERT_EQ(device.findings.all().size(), 2u);
  EXPECT_EQ(device.findings.all()[0].kind, "input changed (write)");
  EXPECT_EQ(device.findings.all()[0].sentence,
            "thread (0,0,0) of block (0,0,0) writes 4 bytes at a[3], which is an input");
  EXPECT_EQ(device.findings.all()[1].kind, "input changed (atomic access)");
  EXPECT_EQ(reinterpret_cast<const U32*>(device.memory->host(a))[3], 77u);
}

TEST(Memcheck, LanesThatAreHeldBackReadZerosAndWriteNothingAndTheOthersGoOn) {
  WatchedDevice device;
  const U64 a = device.array("a", 64, 4);
  auto* const values = reinterpret_cast<U32*>(device.memory->host(a));
  for (U32 i = 0; i < 64; ++i) values[i] = 100 + i;
  // Even lanes read and write their element, odd ones at null.
  device.launch(
      "and.b32 %r6, %r0, 1;\nsetp.eq.u32 %p1, %r6, 0;\nmul.wide.u32 %rd5, %r0, 4;\nadd.u64 %rd5, %rd5, %rd0;\nselp.b64 "
      "%rd6, %rd5, 0, %p1;\nmov.u32 %r5, 7;\nld.global.u32 %r5, [%rd6];\nst.global.u32 [%rd6], 1;\nst.global.u32 "
      "[%rd5+128], %r5;\n",
      {a}, 32);
  for (U32 t = 0; t < 32; ++t) {
    EXPECT_EQ(values[t], t % 2 == 0 ? 1 : 100 + t);
    EXPECT_EQ(values[32 + t], t % 2 == 0 ? 100 + t : 0);
  }
}

TEST(Memcheck, ForgetsWhatItKnewOfMemoryThatIsFreedMeanwhile) {
  // The same store, twice: the first time the array is alive.
  WatchedDevice device;
  device.launch(
      "{\n.param .b64 n;\n.param .b64 p;\nst.param.b64 [n], 40;\ncall (p), malloc, (n);\nld.param.b64 %rd5, "
      "[p];\n}\nmov.u32 %r5, 0;\nAGAIN:\nst.global.u32 [%rd5], 1;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra "
      "DONE;\n{\n.param .b64 p;\nst.param.b64 [p], %rd5;\ncall free, (p);\n}\nadd.u32 %r5, %r5, 1;\nbra "
      "AGAIN;\nDONE:\n",
      {}, 1, ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n");
  ASSERT_EQ(device.findings.all().size(), 1u);
  EXPECT_EQ(device.findings.all()[0].kind, "use after free (write)");
  EXPECT_EQ(device.findings.all()[0].count, 1u);
}

}  // namespace
}  // namespace vgpu::test
