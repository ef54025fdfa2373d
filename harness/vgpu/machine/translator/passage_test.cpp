// Which instructions are translated together, and what ends a passage.
#include "harness/vgpu/machine/translator/passage.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/machine/kernel.h"
#include "harness/vgpu/machine/loaded_module.h"
#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu {
namespace {

/// The code of a kernel with a few lines.
class Passages {
 public:
  explicit Passages(const std::string& body, bool is_watched = false) : is_watched_(is_watched) {
    const test::Translate plain("never");
    std::string problem;
    memory_ = AddressSpace::reserve(0x200000000000, std::uint64_t{64} << 20, problem);
    auto loaded =
        LoadedModule::load(test::kernel_with(1, "begin:\n" + body, ".shared .align 16 .b8 tile[4096];\n"), *memory_);
    module_ = std::move(std::get<std::unique_ptr<LoadedModule>>(loaded));
    code_ = &module_->kernel("test", is_watched)->code();
  }

  /// How many instructions are in each passage behind `begin`, with 0 for what is in none; without the kernel's end.
  std::vector<std::size_t> sizes(bool with_loads = true, bool may_be_short = true) const {
    const std::vector<bool> begins = run_begins(*code_);
    std::vector<std::size_t> sizes;
    for (std::uint32_t at = begin(); at < code_->insns.size();) {
      const Passage passage = passage_from(*code_, &code_->insns[at], begins, options(with_loads, may_be_short));
      sizes.push_back(passage.steps.size());
      at += passage.steps.empty() ? 1 : static_cast<std::uint32_t>(passage.steps.size());
    }
    while (!sizes.empty() && sizes.back() == 0) sizes.pop_back();
    return sizes;
  }

  Passage first() const {
    return passage_from(*code_, &code_->insns[begin()], run_begins(*code_), options(true, true));
  }

 private:
  /// Behind the instructions that every test kernel begins with: four moves and so on, and a parameter.
  std::uint32_t begin() const { return 5; }
  PassageOptions options(bool with_loads, bool may_be_short) const {
    return {is_watched_, with_loads, may_be_short, static_cast<std::uint32_t>(code_->insns.size())};
  }

  bool is_watched_;
  std::unique_ptr<AddressSpace> memory_;
  std::unique_ptr<LoadedModule> module_;
  const Code* code_ = nullptr;
};

using Sizes = std::vector<std::size_t>;

TEST(Passage, GoesOnUntilAnInstructionThatIsNotKnown) {
  EXPECT_EQ(Passages("add.u32 %r3, %r0, 1;\nmul.lo.s32 %r4, %r3, %r0;\nbar.sync 0;\nadd.u32 %r5, %r4, 1;\n").sizes(),
            (Sizes{2, 0, 1}));
}

TEST(Passage, OfOneInstructionIsNotWorthIt) {
  const Passages code("add.u32 %r3, %r0, 1;\nbar.sync 0;\n");
  EXPECT_EQ(code.sizes(true, true), (Sizes{1}));
  EXPECT_EQ(code.sizes(true, false), (Sizes{}));
}

TEST(Passage, EndsWhereAJumpLeadsTo) {
  const Passages code(
      "mov.u32 %r3, 4;\nadd.u32 %r4, %r3, %r0;\nagain:\nsub.u32 %r3, %r3, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra "
      "again;\n");
  const Sizes sizes = code.sizes();
  ASSERT_GE(sizes.size(), 2U);
  EXPECT_EQ(sizes[0], 2U);
  EXPECT_EQ(sizes[1], 2U);
}

TEST(Passage, EndsBeforeALoadWhoseBaseItHasWritten) {
  EXPECT_EQ(Passages("mov.u32 %r3, tile;\nbar.sync 0;\nld.shared.u32 %r4, [%r3];\nadd.u32 %r3, %r3, 128;\n"
                     "ld.shared.u32 %r5, [%r3];\nld.shared.u32 %r6, [%r3+128];\n")
                .sizes(),
            (Sizes{1, 0, 2, 2}));
}

TEST(Passage, EndsBeforeTheFifthPredicate) {
  std::string body;
  for (int n = 1; n <= 5; ++n) body += "setp.lt.u32 %p" + std::to_string(n) + ", %r0, 7;\n";
  body += "bar.sync 0;\n";  // all of them are read, or else they share a slot
  for (int n = 1; n <= 5; ++n) body += "@%p" + std::to_string(n) + " st.shared.u32 [%r0], %r0;\n";
  EXPECT_EQ(Passages(body).sizes(), (Sizes{4, 1}));
  EXPECT_EQ(Passages("setp.lt.u32 %p1, %r0, 7;\nsetp.gt.u32 %p2, %r0, 3;\nand.pred %p1, %p1, %p2;\n"
                     "setp.lt.u32 %p3, %r0, 7;\nor.pred %p4, %p3, %p1;\nnot.pred %p4, %p4;\n")
                .sizes(),
            (Sizes{6}))
      << "only those that it writes count";
}

TEST(Passage, EndsBeforeTheFifthBase) {
  std::string body;
  for (int n = 0; n < 5; ++n)
    body += "ld.shared.u32 %r" + std::to_string(20 + n) + ", [%r" + std::to_string(10 + n) + "];\n";
  EXPECT_EQ(Passages(body).sizes(), (Sizes{4, 1}));
}

TEST(Passage, LoadsOfOneRegisterShareABaseIfTheyAreOfOneWidth) {
  const Passage passage =
      Passages("ld.shared.u32 %r11, [%r10+256];\nld.shared.u32 %r12, [%r10+4];\nld.shared.u64 %rd11, [%r10+8];\n")
          .first();
  ASSERT_EQ(passage.steps.size(), 3U);
  ASSERT_EQ(passage.bases.size(), 2U);
  EXPECT_EQ(passage.bases[0].lowest, 4);
  EXPECT_EQ(passage.bases[0].highest, 256);
  EXPECT_EQ(passage.bases[1].bytes, 8U);
  EXPECT_FALSE(passage.bases[0].is_global);
}

TEST(Passage, HasVectorsOfWords) {
  const Passage passage = Passages(
                              "ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [%r10+32];\n"
                              "ld.shared.v2.f32 {%r15, %r16}, [%r10];\nadd.u32 %r3, %r14, 1;\n")
                              .first();
  ASSERT_EQ(passage.steps.size(), 3U);
  ASSERT_EQ(passage.bases.size(), 2U);
  EXPECT_EQ(passage.bases[0].bytes, 16U);
  EXPECT_EQ(passage.bases[1].bytes, 8U);
  EXPECT_EQ(Passages("ld.shared.v2.u32 {%r11, %r12}, [%r10];\nld.shared.u32 %r13, [%r12];\n").sizes(), (Sizes{1, 1}))
      << "all that it reads is written";
}

TEST(Passage, HasNoLoadsThatCannotBeRows) {
  for (const char* const load :
       {"ld.volatile.shared.u32 %r11, [%r10];\n", "ld.shared.u32 %r11, [%r10+2];\n",
        "@%p1 ld.shared.u32 %r11, [%r10];\n", "ld.local.u32 %r11, [%r10];\n",
        "ld.global.f64 %rd11, [%rd10+2147483584];\n", "ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [%r10+8];\n",
        "ld.shared.v2.u64 {%rd11, %rd12}, [%r10];\n", "ld.shared.v2.u8 {%r11, %r12}, [%r10];\n"}) {
    SCOPED_TRACE(load);
    EXPECT_EQ(Passages(load).sizes(), (Sizes{}));
  }
  EXPECT_EQ(Passages("ld.shared.u32 %r11, [%r10];\n").sizes(false), (Sizes{})) << "none are wanted";
}

TEST(Passage, OfWatchedCodeReadsSharedMemoryOnly) {
  const std::string body = "ld.global.u32 %r11, [%rd0];\nld.shared.u32 %r12, [%r10];\n";
  EXPECT_EQ(Passages(body, false).sizes(), (Sizes{2}));
  EXPECT_EQ(Passages(body, true).sizes(), (Sizes{0, 1}));
}

TEST(Passage, HasNoInstructionsThatAreOnlyLikeKnownOnes) {
  for (const char* const line :
       {"add.sat.s32 %r3, %r0, 1;\n", "add.ftz.f32 %r3, %r0, %r1;\n", "add.rz.f32 %r3, %r0, %r1;\n",
        "mov.u32 %r3, %clock;\n", "@%p1 setp.lt.u32 %p2, %r0, 7;\n", "setp.lt.and.u32 %p2, %r0, 7, %p1;\n",
        "setp.lt.u32 %p2|%p3, %r0, 7;\n", "and.pred %p2, %p1, !%p3;\n"}) {
    SCOPED_TRACE(line);
    EXPECT_EQ(Passages(line).sizes(), (Sizes{}));
  }
}

}  // namespace
}  // namespace vgpu
