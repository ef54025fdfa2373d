// What checkers and counters make of matrix instructions: elements that nobody wrote are followed to the rows and
// columns that depend on them, rows of matrices are accesses of the threads that name them, and bank conflicts are
// theirs.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/vgpu/monitor/initcheck.h"
#include "harness/vgpu/monitor/memcheck.h"
#include "harness/vgpu/monitor/racecheck.h"
#include "harness/vgpu/monitor/testing/timed_kernel.h"
#include "harness/vgpu/monitor/testing/watched_device.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr const char* kTile = ".shared .align 16 .b8 tile[4096];\n";

/// %rd3: the thread's word of `out`. %r7: the address of its row of 16 bytes in the tile; all rows but that of thread 3
/// hold zeros.
std::string with_row_3_missing(const std::string& code) {
  return "mul.wide.u32 %rd5, %r0, 8;\nadd.u64 %rd3, %rd1, %rd5;\nmov.u32 %r6, tile;\nshl.b32 %r7, %r0, 4;\nadd.u32 "
         "%r7, %r7, "
         "%r6;\nmov.b32 %r5, 0;\nsetp.ne.u32 %p1, %r0, 3;\n@%p1 st.shared.v4.b32 [%r7], {%r5, %r5, %r5, "
         "%r5};\nbar.warp.sync "
         "-1;\nmov.b32 %r30, 0;\nmov.b32 %r31, 0;\n" +
         code;
}

/// The findings of a warp at work on `fresh`, which nobody has written, and `out`.
std::vector<Finding> initcheck_says(const std::string& body) {
  DeviceWatchedBy<Initcheck> device;
  const U64 fresh = device.array("fresh", 64, 4), out = device.array("out", 64, 4);
  std::memset(device.memory->host(out), 0, 256);
  device.checker.contents().write(*device.memory, out, 256);
  const Fault fault = device.launch(body, {fresh, out}, 32, kTile);
  EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.sentence;
  return device.findings.all();
}

constexpr const char* kProduct =
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r7];\n"
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r20, %r21, %r22, %r23}, {%r10, %r11, %r12, %r13}, {%r30, "
    "%r31}, "
    "{%r30, %r30, %r30, %r30};\n.loc 1 9 0\n";

TEST(InitcheckOfMatrices, ARowOfAMarksItsRowOfTheSumsAndNoOther) {
  // Row 3 is with threads 12 to 15, in their first two registers.
  const std::vector<Finding> findings =
      initcheck_says(with_row_3_missing(std::string(kProduct) + "st.global.b32 [%rd3], %r20;"));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].array, "tile");
  EXPECT_EQ(findings[0].line, 7u);
  EXPECT_EQ(findings[0].sentence,
            "thread (3,0,0) of block (0,0,0) reads tile[24], which was never written, and in line 9 stores the value "
            "in out[24]");
  EXPECT_TRUE(initcheck_says(with_row_3_missing(std::string(kProduct) + "st.global.b32 [%rd3], %r22;")).empty())
      << "row 11";
  EXPECT_TRUE(initcheck_says(with_row_3_missing(
                                 std::string(kProduct) +
                                 "shr.u32 %r8, %r0, 2;\nsetp.ne.u32 %p2, %r8, 3;\n@%p2 st.global.b32 [%rd3], %r20;"))
                  .empty())
      << "the other rows";
}

TEST(InitcheckOfMatrices, ARowOfBMarksItsColumnOfTheSums) {
  // As B, row 3 of the first matrix is column 3: with the threads t of which t % 4 is 1, in their second register.
  const std::string product =
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10, %r11}, [%r7];\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r20, %r21, %r22, %r23}, {%r30, %r30, %r30, %r30}, {%r10, "
      "%r11}, "
      "{%r30, %r30, %r30, %r30};\nand.b32 %r8, %r0, 3;\nsetp.eq.u32 %p2, %r8, 1;\n";
  EXPECT_EQ(initcheck_says(with_row_3_missing(product + "@%p2 st.global.b32 [%rd3], %r23;")).size(), 1u);
  EXPECT_TRUE(initcheck_says(with_row_3_missing(product + "@%p2 st.global.b32 [%rd3], %r22;")).empty()) << "column 2";
  EXPECT_TRUE(initcheck_says(with_row_3_missing(product + "@!%p2 st.global.b32 [%rd3], %r23;")).empty())
      << "other columns";
}

TEST(InitcheckOfMatrices, MarksMoveWithTheirElements) {
  // Transposed, row 3 is the second half of the registers of threads t with t % 4 == 1.
  for (const char* const code :
       {"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r10}, [%r7];\n",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r11}, [%r7];\nmovmatrix.sync.aligned.m8n8.trans.b16 %r10, %r11;\n",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r11}, [%r7];\nstmatrix.sync.aligned.m8n8.x1.trans.shared.b16 "
        "[%r7+1024], "
        "{%r11};\nbar.warp.sync -1;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r7+1024];\n"}) {
    const std::string halves = "and.b32 %r8, %r0, 3;\nsetp.eq.u32 %p2, %r8, 1;\nshr.u32 %r9, %r10, 16;\n";
    EXPECT_EQ(initcheck_says(with_row_3_missing(code + halves + "@%p2 st.global.u16 [%rd3], %r9;")).size(), 1u) << code;
    EXPECT_TRUE(initcheck_says(with_row_3_missing(code + halves + "@%p2 st.global.u16 [%rd3], %r10;")).empty()) << code;
    EXPECT_TRUE(initcheck_says(with_row_3_missing(code + halves + "@!%p2 st.global.b32 [%rd3], %r10;")).empty())
        << code;
  }
}

TEST(InitcheckOfMatrices, FragmentsFromUnwrittenMemoryAreReportedWhenStored) {
  const std::string load =
      "mul.wide.u32 %rd5, %r0, 8;\nwmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%rd10}, [%rd0], 4;\n";
  const std::vector<Finding> findings = initcheck_says(
      load +
      "mov.b64 %rd11, 0;\nwmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%rd12, %rd13}, {%rd10}, {%rd11}, "
      "{%rd11, "
      "%rd11};\n.loc 1 9 0\nst.shared.f64 [tile], %rd12;\nadd.u64 %rd3, %rd1, %rd5;\nst.global.f64 [%rd3], %rd13;");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].array, "fresh");
  EXPECT_TRUE(initcheck_says(load).empty()) << "reading alone is no mistake";
}

TEST(MemcheckOfMatrices, ARowOutsideIsThatOfTheThreadThatNamesIt) {
  WatchedDevice device;
  device.launch(
      "mov.u32 %r6, tile;\nmad.lo.u32 %r7, %r0, 136, %r6;\nand.b32 %r7, %r7, -16;\n"
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r7];",
      {}, 32, ".shared .align 16 .b8 tile[4096];\n");
  const std::vector<Finding> findings = device.findings.all();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].thread.x, 31u) << findings[0].sentence;
}

TEST(RacecheckOfMatrices, ARowThatAnotherThreadWroteNeedsASynchronisation) {
  const auto says = [](const std::string& between) {
    DeviceWatchedBy<Racecheck> device;
    device.launch(
        "mov.u32 %r6, tile;\nshl.b32 %r7, %r0, 4;\nadd.u32 %r7, %r7, %r6;\nxor.b32 %r8, %r7, 16;\n"
        "st.shared.v4.b32 [%r7], {%r0, %r0, %r0, %r0};\n" +
            between + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r8];",
        {}, 32, kTile);
    return device.findings.all().size();
  };
  EXPECT_EQ(says(""), 1u) << "the .sync of a matrix instruction orders no memory";
  EXPECT_EQ(says("bar.warp.sync -1;\n"), 0u);
}

TEST(CountersOfMatrices, RowsOfAMatrixThatShareBanksWaitForEachOther) {
  const struct {
    U32 stride;
    const char* counts;
  } rows[] = {{16, "shared_load_requests=1 shared_load_wavefronts=4"},
              {80, "shared_load_requests=1 shared_load_wavefronts=4"},
              {64, "shared_load_requests=1 shared_load_wavefronts=16 shared_load_conflicts=12"},
              {128, "shared_load_requests=1 shared_load_wavefronts=32 shared_load_conflicts=28"}};
  for (const auto& row : rows) {
    const KernelCounts counts = counted({"mov.u32 %r6, tile;\nmad.lo.u32 %r7, %r0, " + std::to_string(row.stride) +
                                             ", %r6;\n.loc 1 101 0\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, "
                                             "%r11, %r12, %r13}, [%r7];\n.loc 1 102 "
                                             "0\nmov.u32 %r5, %r10;\n",
                                         32, 1, kTile});
    EXPECT_EQ(spelled(of_line(counts, 101)), "executions=1 thread_executions=32 " + std::string(row.counts))
        << row.stride;
  }
}

TEST(CountersOfMatrices, TensorCoresTakeAsLongAsTheirMultiplyAddsAreMany) {
  const auto clocks = [](const std::string& product) {
    std::string body;
    for (int n = 0; n < 16; ++n) body += product;
    return clocks_of(time_of_kernel({"mov.b32 %r10, 0;\n" + body, 32, 132}), Bound::kArithmetic);
  };
  const auto registers = std::string(
      " {%r20, %r21, %r22, %r23}, {%r10, %r10, %r10, %r10}, {%r10, %r10}, {%r10, %r10, %r10, "
      "%r10};\n");
  const double half = clocks("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" + registers);
  EXPECT_NEAR(half, 16 * 2048 / 1290.0, 0.1) << "one warp a multiprocessor";
  EXPECT_NEAR(clocks("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" + registers), half, half / 100);
  EXPECT_NEAR(clocks("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32" + registers), half, half / 100);
}

}  // namespace
}  // namespace vgpu::test
