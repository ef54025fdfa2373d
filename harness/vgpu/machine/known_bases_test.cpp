// What is known of a base register must never outlive the register's value: random programs do the same whether their
// accesses share bases or each has a copy of its own.
#include "harness/vgpu/machine/known_bases.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/monitor/initcheck.h"
#include "harness/vgpu/monitor/memcheck.h"
#include "harness/vgpu/monitor/racecheck.h"
#include "harness/vgpu/monitor/watchers.h"

namespace vgpu::known_bases {
namespace {

using test::Bytes;
using test::Program;

const char* const kTile = ".shared .align 16 .b8 tile[16384];\n";

/// Bases: %r10 to %r13 in shared memory, %rd10 to %rd13 in global memory; the last of each is a multiple of 16. Values:
/// %r20 to %r27. %p1: odd lanes; %p2: the second round of the loop.
class RandomProgram {
 public:
  RandomProgram(unsigned seed, bool shares) : random_(seed), shares_(shares) {
    body_ =
        "and.b32 %r2, %r0, 31;\nshl.b32 %r3, %r2, 2;\nmov.u32 %r4, tile;\nand.b32 %r5, %r0, 1;\nsetp.ne.u32 %p1, %r5, "
        "0;\ncvt.u64.u32 %rd3, %r3;\nadd.u64 %rd4, %rd1, %rd3;\nadd.u32 %r5, %r4, %r3;\n";
    for (int row = 0; row < 128; ++row) {
      const std::string at = std::to_string(row * 128);
      body_ += "ld.global.u32 %r6, [%rd4+" + at + "];\nst.shared.u32 [%r5+" + at + "], %r6;\n";
    }
    for (int n = 20; n < 28; ++n) body_ += "mov.u32 %r" + std::to_string(n) + ", " + std::to_string(n * 77) + ";\n";
    for (int n = 10; n < 14; ++n) set_base(n);
    body_ += "mov.u32 %r7, 0;\nLOOP:\nsetp.eq.u32 %p2, %r7, 1;\n";
    for (int n = 0; n < 40; ++n) step();
    body_ += "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p3, %r7, 3;\n@%p3 bra LOOP;\nadd.u64 %rd5, %rd0, %rd3;\n";
    for (int n = 20; n < 28; ++n)
      body_ += "st.global.u32 [%rd5+" + std::to_string(128 * (n - 20)) + "], %r" + std::to_string(n) + ";\n";
  }

  const std::string& body() const { return body_; }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::string value() { return "%r" + std::to_string(20 + pick(8)); }

  /// A row, two rows, one place, two places, or places all over.
  void set_base(int n) {
    const char* const kinds[] = {
        "mov.u32 %r8, %r3;\n", "and.b32 %r8, %r3, 60;\nand.b32 %r9, %r3, 64;\nmad.lo.u32 %r8, %r9, 8, %r8;\n",
        "mov.u32 %r8, 64;\n", "and.b32 %r8, %r3, 64;\n", "mul.lo.u32 %r8, %r3, 37;\nand.b32 %r8, %r8, 508;\n"};
    body_ += kinds[pick(5)];
    if (n == 13) body_ += pick(2) == 0 ? "shl.b32 %r8, %r3, 2;\n" : "and.b32 %r8, %r8, 496;\n";
    const std::string name = std::to_string(n);
    body_ += "add.u32 %r" + name + ", %r4, %r8;\ncvt.u64.u32 %rd2, %r8;\nadd.u64 %rd" + name + ", %rd1, %rd2;\n";
  }

  std::string guard() {
    const char* const guards[] = {"", "", "", "", "@%p1 ", "@%p2 ", "@!%p2 "};
    return guards[pick(7)];
  }

  void access() {
    const bool is_shared = pick(3) != 0;
    const int n = 10 + pick(4);
    std::string base = (is_shared ? "%r" : "%rd") + std::to_string(n);
    if (!shares_) {
      const std::string own = is_shared ? "%r70" : "%rd70";
      body_ += (is_shared ? "mov.u32 " : "mov.u64 ") + own + ", " + base + ";\n";
      base = own;
    }
    const std::string space = is_shared ? ".shared" : ".global";
    const std::string at = ", [" + base + "+" + std::to_string(16 * pick(40)) + "];\n";
    const std::string to = ", " + value() + ";\n";
    const std::string under = guard();
    const char* const narrow[] = {".u8 ", ".s8 ", ".u16 ", ".s16 "};
    switch (pick(8)) {
      case 0:
        body_ += under + "st" + space + ".u32 " + at.substr(2, at.size() - 4) + to;
        break;
      case 1:
        body_ += under + "ld" + space + narrow[pick(4)] + value() + at;
        break;
      case 2:
        if (n != 13) break;
        body_ += under + "ld" + space + ".v4.u32 {%r20, %r21, %r24, %r22}" + at;
        break;
      case 3:
        if (n != 13) break;
        body_ += under + "ld" + space + ".v2.u32 {%r25, %r23}" + at;
        break;
      default:
        body_ += under + "ld" + space + ".u32 " + value() + at;
    }
  }

  void step() {
    const std::string n = std::to_string(10 + pick(3));
    switch (pick(12)) {
      case 0:
        body_ += "add.u32 " + value() + ", " + value() + ", " + value() + ";\n";
        break;
      case 1:
        body_ += guard() + "add.u32 %r" + n + ", %r" + n + ", 4;\n";
        break;
      case 2:
        body_ += guard() + "add.u64 %rd" + n + ", %rd" + n + ", 64;\n";
        break;
      case 3:  // to where the data say
        body_ += "and.b32 %r8, " + value() + ", 508;\n" + guard() + "add.u32 %r" + n + ", %r4, %r8;\n";
        break;
      case 4:
        set_base(10 + pick(4));
        break;
      case 5: {  // lanes part and meet again
        const std::string label = "MEET" + std::to_string(labels_++);
        body_ += (pick(2) == 0 ? "@%p1 bra " : "@%p2 bra ") + label + ";\n";
        access();
        access();
        body_ += label + ":\n";
        break;
      }
      default:
        access();
    }
  }

  std::mt19937 random_;
  bool shares_;
  int labels_ = 0;
  std::string body_;
};

/// With the checkers: what memcheck and racecheck found, and the bytes of both buffers.
struct Seen {
  std::vector<Bytes> buffers;
  std::vector<std::string> found;
};

Seen execute(unsigned seed, bool shares, bool checked, std::uint64_t schedule) {
  Program program;
  program.ptx = test::kernel_with(2, RandomProgram(seed, shares).body(), kTile);
  program.options.schedule_seed = schedule;
  std::vector<std::uint32_t> data(4096 + 1024);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint32_t>(i * 2654435761u + seed);
  FindingList findings;
  Memcheck memcheck(findings);
  Initcheck initcheck(findings);
  Racecheck racecheck(findings);
  Watchers checkers;
  checkers.watch_with({&memcheck, &initcheck, &racecheck});
  if (checked) program.options.observer = &checkers;
  Seen seen;
  seen.buffers = test::run_cleanly(program, {Bytes(1024), test::bytes_of(data)});
  for (const Finding& finding : findings.all())  // how often a value is used depends on how often it is copied
    if (finding.tool != "initcheck")
      seen.found.push_back(finding.kind + " x " + std::to_string(finding.count) + ": " + finding.sentence);
  return seen;
}

TEST(KnownBases, ChangeNothingThatAProgramComputes) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    const Seen expected = execute(seed, false, false, 0);
    EXPECT_EQ(execute(seed, true, false, 0).buffers, expected.buffers) << seed;
    EXPECT_EQ(execute(seed, true, true, 0).buffers, expected.buffers) << seed << ", checked";
  }
}

TEST(KnownBases, ChangeNothingThatCheckersFind) {
  for (unsigned seed = 200; seed < 240; ++seed)
    EXPECT_EQ(execute(seed, true, true, 0).found, execute(seed, false, true, 0).found) << seed;
}

TEST(KnownBases, AreForgottenWhereTheFirstUseIsLeftOut) {
  // In the second round the first load is skipped, and the second one must not take the register to be as it was.
  const std::string body =
      "mov.u32 %r4, tile;\nshl.b32 %r3, %r0, 2;\nadd.u32 %r10, %r4, %r3;\nst.shared.u32 [%r10], %r0;\nmov.u32 %r5, "
      "0;\nmov.u32 %r7, 0;\nLOOP:\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 ld.shared.u32 %r6, [%r10];\nld.shared.u32 %r6, "
      "[%r10+0];\nadd.u32 %r5, %r5, %r6;\nxor.b32 %r8, %r3, 4;\nadd.u32 %r10, %r4, %r8;\nadd.u32 %r7, %r7, "
      "1;\nsetp.lt.u32 %p2, %r7, 2;\n@%p2 bra LOOP;\ncvt.u64.u32 %rd3, %r3;\nadd.u64 %rd3, %rd3, %rd0;\nst.global.u32 "
      "[%rd3], %r5;\n";
  Program program;
  program.ptx = test::kernel_with(1, body, kTile);
  const std::vector<std::uint32_t> got = test::results_of<std::uint32_t>(program, 32);
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(got[lane], lane + (lane ^ 1)) << lane;
}

}  // namespace
}  // namespace vgpu::known_bases
