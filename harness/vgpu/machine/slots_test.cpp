// Registers share slots where they can, and only there: what a thread still needs is never overwritten.
#include "harness/vgpu/machine/slots.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "harness/vgpu/machine/loaded_module.h"
#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;

const char* const kStoreSlot = "mul.wide.u32 %rd9, %r1, 4;\nadd.u64 %rd9, %rd9, %rd0;\nst.global.u32 [%rd9], %r5;\n";

std::uint32_t frame_bytes(const std::string& body) {
  std::string problem;
  const auto memory = AddressSpace::reserve(0x200000000000, std::uint64_t{64} << 20, problem);
  auto loaded = LoadedModule::load(kernel_with(1, body), *memory);
  auto& module = std::get<std::unique_ptr<LoadedModule>>(loaded);
  return module->kernel("test", false)->code().frame_bytes;
}

std::string name(int n) { return "%r" + std::to_string(n); }

TEST(Slots, AreSharedByRegistersThatFollowEachOther) {
  std::string chain = "mov.u32 %r5, 1;\n", star;
  for (int n = 6; n < 70; ++n) chain += "add.u32 " + name(n) + ", " + name(n - 1) + ", %r1;\n";
  for (int n = 6; n < 70; ++n) star += "add.u32 " + name(n) + ", %r1, %r1;\n";
  for (int n = 7; n < 70; ++n) star += "add.u32 %r6, %r6, " + name(n) + ";\n";
  const std::string use = "st.global.u32 [%rd0], ";
  constexpr std::uint32_t kSlot = 32 * 4;
  // Two links of the chain are alive at a time, all 64 points of the star.
  EXPECT_LE(frame_bytes(chain + use + "%r69;\n") + 60 * kSlot, frame_bytes(star + use + "%r6;\n"));
}

TEST(Slots, KeepWhatALoopBringsBack) {
  // %r6 is written before the loop and read at its end; %r10 to %r40 come and go inside.
  std::string body = "add.u32 %r6, %r1, 1000;\nmov.u32 %r5, 0;\nmov.u32 %r7, 0;\nLOOP:\n";
  for (int n = 10; n < 40; ++n)
    body += "add.u32 " + name(n) + ", %r7, " + std::to_string(n) + ";\nxor.b32 %r5, %r5, " + name(n) + ";\n";
  body += "add.u32 %r5, %r5, %r6;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 5;\n@%p1 bra LOOP;\n";
  Program program;
  program.ptx = kernel_with(1, body + kStoreSlot);
  const std::vector<U32> got = results_of<U32>(program, 32);
  for (U32 t = 0; t < 32; ++t) {
    U32 expected = 0;
    for (U32 round = 0; round < 5; ++round) {
      for (U32 n = 10; n < 40; ++n) expected ^= round + n;
      expected += t + 1000;
    }
    EXPECT_EQ(got[t], expected) << t;
  }
}

TEST(Slots, KeepWhatLanesInTheOtherBranchStillNeed) {
  // Each way through the switch has registers of its own that live while the other ways run.
  Program program;
  program.ptx = kernel_with(
      1,
      "add.u32 %r6, %r1, 7;\nand.b32 %r7, %r1, 1;\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 bra EVEN;\nadd.u32 %r10, %r6, "
      "1;\nadd.u32 %r11, %r6, 2;\nactivemask.b32 %r12;\nmul.lo.u32 %r5, %r10, %r11;\nbra JOIN;\nEVEN:\nadd.u32 %r20, "
      "%r1, 100;\nadd.u32 %r21, %r20, 5;\nadd.u32 %r22, %r21, %r20;\nadd.u32 %r5, %r22, %r6;\nJOIN:\nadd.u32 %r5, %r5, "
      "%r6;\n" +
          std::string(kStoreSlot));
  const std::vector<U32> got = results_of<U32>(program, 32);
  for (U32 t = 0; t < 32; ++t)
    EXPECT_EQ(got[t], (t % 2 == 0 ? 2 * (t + 100) + 5 + t + 7 : (t + 8) * (t + 9)) + t + 7) << t;
}

TEST(Slots, KeepTheOldValueUnderAGuard) {
  // %r6 is written under a guard: lanes outside of it need the value from before, which nothing else may take.
  Program program;
  program.ptx = kernel_with(1,
                            "add.u32 %r6, %r1, 50;\nand.b32 %r7, %r1, 3;\nsetp.eq.u32 %p1, %r7, 2;\nadd.u32 %r8, %r1, "
                            "1;\nadd.u32 %r9, %r8, 1;\nadd.u32 %r10, %r9, 1;\n@%p1 mov.u32 %r6, %r10;\nadd.u32 %r11, "
                            "%r1, 5;\nadd.u32 %r12, %r11, 6;\nadd.u32 %r5, %r6, %r12;\n" +
                                std::string(kStoreSlot));
  const std::vector<U32> got = results_of<U32>(program, 32);
  for (U32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], ((t & 3) == 2 ? t + 3 : t + 50) + t + 11) << t;
}

TEST(Slots, KeepPredicatesApart) {
  // 16 predicates alive at once, read in the opposite order.
  std::string body = "mov.u32 %r5, 0;\n";
  for (int n = 0; n < 16; ++n)
    body += "and.b32 %r6, %r1, " + std::to_string(1 << n % 5) + ";\nsetp." +
            (n < 5    ? "ne"
             : n < 10 ? "eq"
                      : "gt") +
            ".u32 %p" + std::to_string(n) + ", %r6, 0;\n";
  for (int n = 15; n >= 0; --n)
    body += "@%p" + std::to_string(n) + " add.u32 %r5, %r5, " + std::to_string(1 << n) + ";\n";
  Program program;
  program.ptx = kernel_with(1, body + kStoreSlot);
  const std::vector<U32> got = results_of<U32>(program, 32);
  for (U32 t = 0; t < 32; ++t) {
    U32 expected = 0;
    for (U32 n = 0; n < 16; ++n)
      if (((t >> n % 5 & 1) != 0) == (n < 5 || n >= 10)) expected += 1u << n;
    EXPECT_EQ(got[t], expected) << t;
  }
}

}  // namespace
}  // namespace vgpu::test
