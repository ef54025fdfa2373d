// Translated code does what the interpreter does: random programs leave the same bytes either way. There are 500 of
// them, and further ones for as long as LANEWISE_FUZZ_SECONDS says; LANEWISE_FUZZ_SEED says with which they begin.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/monitor/finding.h"
#include "harness/vgpu/monitor/initcheck.h"

namespace vgpu {
namespace {

using test::Bytes;
using test::Program;

constexpr int kNarrow = 24, kWide = 12;  ///< registers: more together than the host has
constexpr int kThreads = 96 + 5;         // the last warp is not full
constexpr int kWords = kNarrow + 2 * kWide;
constexpr unsigned kPrograms = 500;

/// %r20 on and %rd20 on hold values, %p1 to %p6 predicates; memory has a row of words for each thread.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    body_ =
        "mov.u32 %r2, tile;\nshl.b32 %r3, %r0, 2;\nadd.u32 %r4, %r2, %r3;\nand.b32 %r5, %r3, 64;\nadd.u32 %r5, %r2, "
        "%r5;\nand.b32 %r9, %r0, 31;\nmad.lo.u32 %r10, %r9, 16, %r2;\nmad.lo.u32 %r11, %r9, 8, %r2;\n"
        "mul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd3, %rd0, %rd2;\n";
    for (int n = 0; n < kNarrow; ++n) body_ += "ld.global.u32 " + narrow(n) + ", [%rd3+" + place(n) + "];\n";
    for (int n = 0; n < kWide; ++n) {
      body_ += "ld.global.u32 %r6, [%rd3+" + place(kNarrow + 2 * n) + "];\nld.global.u32 %r7, [%rd3+" +
               place(kNarrow + 2 * n + 1) + "];\nmov.b64 " + wide(n) + ", {%r6, %r7};\n";
    }
    for (int n = 1; n <= 6; ++n)
      body_ += "setp.lt.s32 %p" + std::to_string(n) + ", " + narrow(n) + ", " + narrow(n + 6) + ";\n";
    body_ += "st.shared.u32 [%r4], %r20;\nst.shared.u32 [%r4+512], %r21;\nbar.sync 0;\nmov.u32 %r8, 0;\nLOOP:\n";
    for (int n = 0; n < 70; ++n) step();
    body_ += "and.b32 %r9, %r0, 3;\nsetp.eq.u32 %p7, %r9, %r8;\n@%p7 bra JOINED;\n";
    for (int n = 0; n < 10; ++n) step();
    body_ += "JOINED:\n";
    for (int n = 0; n < 10; ++n) step();
    body_ += "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p8, %r8, 3;\n@%p8 bra LOOP;\n";
    for (int n = 0; n < kNarrow; ++n) body_ += "st.global.u32 [%rd3+" + place(n) + "], " + narrow(n) + ";\n";
    for (int n = 0; n < kWide; ++n)
      body_ += "mov.b64 {%r6, %r7}, " + wide(n) + ";\nst.global.u32 [%rd3+" + place(kNarrow + 2 * n) +
               "], %r6;\nst.global.u32 [%rd3+" + place(kNarrow + 2 * n + 1) + "], %r7;\n";
  }

  const std::string& body() const { return body_; }

 private:
  static std::string narrow(int n) { return "%r" + std::to_string(20 + n); }
  static std::string wide(int n) { return "%rd" + std::to_string(20 + n); }
  static std::string place(int row) { return std::to_string(row * 4 * kThreads); }
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  std::string operand(char kind) {
    switch (kind) {
      case 'r':
        return pick(8) == 0 ? std::to_string(pick(100) - 50) : narrow(pick(kNarrow));
      case 'R':  // a result, or a float
        return narrow(pick(kNarrow));
      case 'd':
        return wide(pick(kWide));
      case 'p':
        return "%p" + std::to_string(1 + pick(6));
      case 'm':  // a row, or a place for each half of a warp
        return "[" + std::string(pick(2) == 0 ? "%r4" : "%r5") + "+" + std::to_string(4 * pick(128)) + "]";
      case 'v':  // rows of vectors, or one for each half
        return "[" + std::string(pick(2) == 0 ? "%r10" : "%r5") + "+" + std::to_string(16 * pick(16)) + "]";
      case 'w':
        return "[" + std::string(pick(2) == 0 ? "%r11" : "%r5") + "+" + std::to_string(8 * pick(32)) + "]";
      case '2':
      case '4': {
        std::string vector = "{";
        const int first = pick(kNarrow);  // no register twice
        for (int n = 0; n < kind - '0'; ++n) vector += (n == 0 ? "" : ", ") + narrow((first + 5 * n) % kNarrow);
        return vector + "}";
      }
      default:
        return {};
    }
  }

  void step() {
    static const char* const kForms[] = {
        "add.s32 @R, @r, @r",         "sub.s32 @R, @r, @r",      "mul.lo.s32 @R, @r, @r",   "mad.lo.s32 @R, @r, @r, @r",
        "min.s32 @R, @r, @r",         "max.u32 @R, @R, @R",      "abs.s32 @R, @R",          "neg.s32 @R, @R",
        "and.b32 @R, @r, @r",         "or.b32 @R, @r, @r",       "xor.b32 @R, @r, @r",      "not.b32 @R, @R",
        "shl.b32 @R, @r, @R",         "shr.u32 @R, @R, 3",       "shr.s32 @R, @r, @R",      "add.s64 @d, @d, @d",
        "sub.s64 @d, @d, @d",         "mul.lo.s64 @d, @d, @d",   "and.b64 @d, @d, @d",      "not.b64 @d, @d",
        "shl.b64 @d, @d, @R",         "shr.u64 @d, @d, 7",       "shr.s64 @d, @d, @R",      "cvt.s64.s32 @d, @R",
        "cvt.u64.u32 @d, @R",         "cvt.u32.u64 @R, @d",      "mul.wide.s32 @d, @r, @r", "mul.wide.u32 @d, @R, @R",
        "mad.wide.s32 @d, @R, 5, @d", "mov.u32 @R, @R",          "mov.u64 @d, @d",          "add.f32 @R, @R, @R",
        "sub.f32 @R, @R, @R",         "mul.f32 @R, @R, @R",      "div.rn.f32 @R, @R, @R",   "fma.rn.f32 @R, @R, @R, @R",
        "sqrt.rn.f32 @R, @R",         "abs.f32 @R, @R",          "neg.f32 @R, @R",          "min.f32 @R, @R, @R",
        "max.f32 @R, @R, @R",         "cvt.rn.f32.s32 @R, @R",   "cvt.rn.f32.u32 @R, @R",   "setp.lt.s32 @p, @r, @r",
        "setp.ge.u32 @p, @R, @R",     "setp.eq.s64 @p, @d, @d",  "setp.lt.u64 @p, @d, @d",  "setp.gt.f32 @p, @R, @R",
        "setp.neu.f32 @p, @R, @R",    "setp.num.f32 @p, @R, @R", "selp.b32 @R, @R, @R, @p", "selp.b64 @d, @d, @d, @p",
        "and.pred @p, @p, @p",        "xor.pred @p, @p, @p",     "not.pred @p, @p",         "ld.shared.u32 @R, @m",
        "ld.shared.f32 @R, @m",       "ld.shared.u32 @R, @m",    "mov.u32 @R, %tid.x",      "popc.b32 @R, @R",
        "ld.shared.v2.u32 @2, @w",    "ld.shared.v4.f32 @4, @v",
    };
    constexpr int kCount = static_cast<int>(sizeof kForms / sizeof kForms[0]);
    if (pick(5) == 0) body_ += pick(2) == 0 ? "@" + operand('p') + " " : "@!" + operand('p') + " ";
    const std::string form = kForms[pick(kCount)];
    for (std::size_t at = 0; at < form.size(); ++at) {
      if (form[at] == '@')
        body_ += operand(form[++at]);
      else
        body_ += form[at];
    }
    body_ += ";\n";
  }

  std::mt19937 random_;
  std::string body_;
};

/// Numbers of all sizes, and what floating point has of its own.
Bytes random_words(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> words(kWords * kThreads);
  for (std::uint32_t& word : words) {
    const std::uint32_t edges[] = {0,          1,          0x80000000, 0x7FFFFFFF, 0x7F800000,
                                   0xFF800000, 0x7FC00001, 0x00000003, 31,         64};
    const std::uint32_t any = static_cast<std::uint32_t>(random());
    switch (random() % 4) {
      case 0:
        word = any;
        break;
      case 1:
        word = any % 200;
        break;
      case 2:
        word = 0x3F000000 + any % 0x02000000;
        break;
      default:
        word = edges[any % (sizeof edges / sizeof edges[0])];
    }
  }
  return test::bytes_of(words);
}

Bytes run(const RandomProgram& random, const Bytes& words, const char* translate, test::Watch watch) {
  setenv("LANEWISE_VGPU_TRANSLATE", translate, 1);
  Program program;
  program.ptx = test::kernel_with(1, random.body(), ".shared .align 16 .b8 tile[2048];\n");
  program.shape.block = {kThreads, 1, 1};
  program.watch = watch;
  const std::vector<Bytes> left = test::run_cleanly(program, {words});
  unsetenv("LANEWISE_VGPU_TRANSLATE");
  return left.empty() ? Bytes{} : left[0];
}

unsigned number_from_environment(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 0;
}

TEST(Translator, RandomProgramsLeaveTheSameBytes) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(number_from_environment("LANEWISE_FUZZ_SECONDS"));
  const unsigned first = number_from_environment("LANEWISE_FUZZ_SEED");
  unsigned seed = first;
  for (; seed < first + kPrograms || std::chrono::steady_clock::now() < end; ++seed) {
    const RandomProgram random(seed);
    const Bytes words = random_words(seed);
    const Bytes interpreted = run(random, words, "never", test::Watch::kNobody);
    for (const auto watch : {test::Watch::kNobody, test::Watch::kEverything})
      ASSERT_EQ(run(random, words, "always", watch), interpreted) << "seed " << seed << "\n" << random.body();
    if (HasFatalFailure()) return;
  }
  RecordProperty("programs", static_cast<int>(seed - first));
}

/// initcheck executes instructions on its own marks, one at a time.
TEST(Translator, MarksOfUnwrittenMemoryGoWhereTheyGoWhenInterpreted) {
  const std::string body =
      "shl.b32 %r2, %r1, 2;\ncvt.u64.u32 %rd2, %r2;\nadd.u64 %rd3, %rd1, %rd2;\nmov.u32 %r3, tile;\n"
      "ld.global.u32 %r6, [%rd3];\nshr.u32 %r7, %r6, 3;\nshl.b32 %r8, %r7, 2;\nand.b32 %r9, %r8, 60;\n"
      "add.u32 %r10, %r3, %r9;\natom.shared.add.u32 %r11, [%r10], 1;\nmov.u32 %r5, %r7;\n";
  std::vector<std::size_t> found;
  for (const char* const translate : {"never", "always"}) {
    setenv("LANEWISE_VGPU_TRANSLATE", translate, 1);
    FindingList findings;
    Initcheck initcheck(findings);
    Program program;
    program.ptx = test::kernel_with(2, body + test::kStoreResult, ".shared .align 16 .b8 tile[64];\n");
    program.shape = {{4, 1, 1}, {64, 1, 1}, 0, false};
    program.options.observer = &initcheck;
    const test::Result result = test::run(program, {Bytes(4 * 64 * 4), Bytes(4 * 64 * 4)});
    EXPECT_EQ(result.outcome.fault.kind, FaultKind::kNone) << translate << ": " << result.outcome.fault.sentence;
    found.push_back(findings.all().size());
    unsetenv("LANEWISE_VGPU_TRANSLATE");
  }
  EXPECT_NE(found[0], 0u);
  EXPECT_EQ(found[1], found[0]);
}

}  // namespace
}  // namespace vgpu
