// Device code that means harm, loaded: refused with words, within the memory and the time that its own size justifies.
#include "harness/vgpu/fuzz/hostile_input.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/loaded_module.h"
#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::fuzz {

void PrintTo(Outcome outcome, std::ostream* out) { *out << "outcome " << static_cast<int>(outcome); }

namespace {

constexpr const char* kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";
constexpr const char* kRegisters =
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %d<9>;\n";

std::string repeated(const std::string& text, int times) {
  std::string all;
  all.reserve(text.size() * static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// "a0 a1 ...": `text` with every # replaced by a number.
std::string numbered(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i)
    for (const char c : text) c == '#' ? all += std::to_string(i) : all += c;
  return all;
}

std::string kernel(const std::string& body, const std::string& outside = {}) {
  return kHeader + outside + ".entry k(.param .u64 p) {\n" + kRegisters + body + "\n}\n";
}

/// What the loader or the decoder says of kernel k of the text; "nothing" if it can be launched.
std::string words_for(const std::string& text) {
  std::string problem;
  const std::unique_ptr<AddressSpace> memory = AddressSpace::reserve(0x300000000000, std::uint64_t{64} << 20, problem);
  if (memory == nullptr) return problem;
  auto loaded = LoadedModule::load(text, *memory);
  if (const auto* diagnostic = std::get_if<ptx::Diagnostic>(&loaded))
    return diagnostic->message + " (line " + std::to_string(diagnostic->line) + ")";
  try {
    const Kernel* const kernel = std::get<std::unique_ptr<LoadedModule>>(loaded)->kernel("k", false);
    return kernel != nullptr ? "nothing" : "there is no kernel k";
  } catch (const Refusal& refusal) {
    return refusal.what + " (line " + std::to_string(refusal.ptx_line) + ")";
  }
}

/// Blocks that each may go on to the next or to one far away: nothing that nvcc would write.
std::string tangle(int blocks) {
  std::string all;
  for (std::int64_t i = 0; i < blocks; ++i)
    all += "L" + std::to_string(i) + ": @%p1 bra L" + std::to_string((i * 7919 + 13) % blocks) + ";\n";
  return all;
}

/// Two ways down whose blocks change over to the other way at every step.
std::string ladder(int steps) {
  std::string all = "@%p1 bra B0;\n";
  for (const char* side : {"AB", "BA"})
    for (int i = 0; i < steps; ++i)
      all += side[0] + std::to_string(i) + ": @%p1 bra " + side[1] + std::to_string(std::max(0, i - 1)) + ";\n";
  return all;
}

/// Functions that each call the next.
std::string call_chain(int functions) {
  std::string all;
  for (int i = 0; i < functions; ++i)
    all += ".func f" + std::to_string(i) + "() { call f" + std::to_string(i + 1) + "; }\n";
  return all;
}

struct Row {
  std::string text;
  const char* words;
};

TEST(HostilePtx, IsRefusedWithWords) {
  const Row rows[] = {
      // sizes
      {kernel("mov.u32 %r1, a;", ".shared .b8 a[4294967296];\n"), "more than 16 MiB of shared memory (line 5)"},
      {kernel("mov.u32 %r1, a0;" + numbered("mov.u32 %r1, a#;", 600), numbered(".shared .b8 a#[8388608];", 600) + "\n"),
       "more than 16 MiB of shared memory (line 5)"},
      {kernel(".local .b8 a[1048577];"), "more than 1 MiB of local memory per thread (line 4)"},
      {kernel(numbered(".local .b8 a#[1048576];", 4096)), "more than 1 MiB of local memory per thread (line 4)"},
      {kernel("", ".global .b8 a[4294967296];\n"), "no device memory is left for the variable a (line 0)"},
      {kernel("", numbered(".global .b8 a#[16777216];", 100) + "\n"),
       "no device memory is left for the variable a3 (line 0)"},
      {kernel("", ".extern .global .b8 a[4];\n"), "the variable a is declared extern, and nothing defines it (line 0)"},
      {kernel("", ".global .b8 b;\n.global .u64 a = nowhere;\n"),
       "the initialiser of a names nowhere, which the module does not define (line 5)"},
      // branches
      {kernel("brx.idx %r1, T;"), "a brx without a list of its targets (line 6)"},
      {kernel("brx.idx %r1;"), "a brx without a list of its targets (line 6)"},
      {kernel("A: T: .branchtargets A, B;\nbrx.idx %r1, T;"),
       "a brx to B, which is not a label of the outermost scope (line 7)"},
      {kernel("{ A: ret; }\nT: .branchtargets A;\nbrx.idx %r1, T;"),
       "a brx to A, which is not a label of the outermost scope (line 8)"},
      // calls
      {kernel("call 5;"), "an operand of call that is not a name (line 6)"},
      {kernel("call [p];"), "an operand of call that is not a name (line 6)"},
      {kernel("call {p};"), "a call whose arguments are not .param variables (line 6)"},
      {kernel("call (%r1), f;", ".func f() { ret; }\n"), "a call whose arguments are not .param variables (line 7)"},
      {kernel("call nowhere;"), "the name nowhere, which the module does not define (line 6)"},
      {kernel("call other;", ".entry other() { ret; }\n"), "a call of the kernel other from device code (line 5)"},
      {kernel("call k;"), "a call of the kernel k from device code (line 4)"},
      {kernel("call f;", ".func f(.param .b32 a) { ret; }\n"),
       "a call of f with arguments that do not match its parameters (line 5)"},
      {kernel(".param .b8 x; call f, (x);", ".func f(.param .b8 a[60000]) { ret; }\n"),
       "a call of f with arguments that do not match its parameters (line 5)"},
      {kernel(".param .b64 x; call f, (x+4294967288);", ".func f(.param .b64 a) { ret; }\n"),
       "a call of f with arguments that do not match its parameters (line 5)"},
      {kernel(".param .b64 x; call (x), f;", ".func f() { ret; }\n"),
       "a call of f with arguments that do not match its parameters (line 5)"},
      // operands
      {kernel("@%r1 ret;"), "a guard that is not a predicate (line 6)"},
      {kernel("mov.u32 %r1, nowhere;"), "the name nowhere, which the module does not define (line 6)"},
      {kernel("foo.bar %r1;"), "the instruction foo.bar (line 6)"},
      {kernel("mov.b16 %h1, 0f3F800000;"), "a floating-point literal of mov.b16 (line 6)"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text.substr(0, 300));
    EXPECT_EQ(words_for(row.text), row.words);
  }
}

TEST(HostilePtx, WhatIsOnlyUnusualStillLoads) {
  const std::string rows[] = {
      kernel(""),
      kernel("bra end;\nend:"),
      kernel("L: bra L;"),
      kernel("ld.shared.u32 %r1, [%r1+9223372036854775808-20];"),
      kernel("@%p1 bra end;\nret;\nend:"),
      kernel("A: B: T: .branchtargets A, B, A;\nbrx.idx %r1, T;\n@%p1 brx.idx %r1, T;"),
      kernel("call f;", ".func f() { call f; }\n"),
      kernel(repeated("{", 60) + "ret;" + repeated("}", 60)),
      kernel(".local .b8 a[1048576];"),
      kernel("mov.u32 %r1, a;", ".shared .b8 a[16000000];\n"),
      kernel("mov.u32 %r1, a;", ".extern .shared .b8 a[];\n.extern .shared .b8 a[];\n"),
      kernel("mov.u64 %rd1, empty;", ".global .b8 empty[0];\n"),
  };
  for (const std::string& text : rows) {
    SCOPED_TRACE(text.substr(0, 300));
    EXPECT_EQ(words_for(text), "nothing");
    EXPECT_EQ(load_ptx(text), Outcome::kDecoded);
  }
}

/// How many of the pages of these bytes take memory.
std::size_t resident_pages(std::byte* begin, std::uint64_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  std::byte* const first = begin - reinterpret_cast<std::uintptr_t>(begin) % kPage;
  const auto span = static_cast<std::size_t>(begin + bytes - first);
  std::vector<unsigned char> pages((span + kPage - 1) / kPage);
  EXPECT_EQ(mincore(first, span, pages.data()), 0);
  return static_cast<std::size_t>(std::count_if(pages.begin(), pages.end(), [](unsigned char p) { return p & 1; }));
}

// A variable of 32 MiB is cleared without touching 32 MiB, and is zero all the same: also where another one lay before.
TEST(HostilePtx, LargeVariablesCostMemoryOnlyWhereTheyAreUsed) {
  std::string problem;
  const std::unique_ptr<AddressSpace> memory = AddressSpace::reserve(0x300000000000, std::uint64_t{64} << 20, problem);
  ASSERT_NE(memory, nullptr) << problem;
  constexpr std::uint64_t kBytes = (std::uint64_t{32} << 20) + 5;
  const std::string text = kHeader + (".global .align 1 .b8 a[" + std::to_string(kBytes) + "] = {7};\n");
  for (int round = 0; round < 12; ++round) {  // more than the addresses hold: room is used again
    auto loaded = LoadedModule::load(text, *memory);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<LoadedModule>>(loaded));
    const auto* const place = std::get<std::unique_ptr<LoadedModule>>(loaded)->variable("a");
    ASSERT_NE(place, nullptr);
    std::byte* const at = memory->host(place->address);
    EXPECT_LT(resident_pages(at, kBytes), 16u) << "in round " << round;
    EXPECT_EQ(at[0], std::byte{7});
    for (std::uint64_t i = 1; i < kBytes; i += i < 9000 || i + 9000 > kBytes ? 1 : 4096)
      ASSERT_EQ(at[i], std::byte{0}) << i << " in round " << round;
    for (const std::uint64_t i : {std::uint64_t{1}, kBytes / 2, kBytes - 1}) at[i] = std::byte{0xEE};
  }
}

// Each of these is a few hundred kilobytes whose cost would be quadratic, or worse, if everything were held against
// everything. The limit on memory turns a bomb into a crash; the test's time limit a hang into a failure.
TEST(HostilePtx, CostGrowsWithTheSizeOfTheText) {
  const int n = 12000;
  const std::string rows[] = {
      kernel(numbered("mov.u32 %r1, #;\n", n)),
      kernel(numbered(".reg .b32 %x#; mov.u32 %x#, 1; @%p1 bra L#; L#: add.u32 %x#, %x#, %x#;\n", n)),
      kernel(numbered(".reg .b32 %x#;", n) + numbered("@%p1 bra L#; L#: mov.u32 %x#, 1;\n", n) +
             numbered("add.u32 %x#, %x#, 1;\n", n)),
      kernel(numbered("L#: @%p1 bra L#;\n", n)),
      kernel(numbered("L#: @%p1 bra end;\n", n) + "end:"),
      kernel(numbered("L#: @%p1 bra L0;\n", n)),
      kernel(numbered("L#: @%p1 brx.idx %r1, T;\n", 1000) + "T: .branchtargets L0" + numbered(", L#", 1000) + ";\n"),
      kernel(tangle(n)),
      kernel(ladder(n)),
      kernel(numbered("L#: ", n) + "T: .branchtargets L0" + numbered(", L#", n) + ";\n" +
             repeated("brx.idx %r1, T;\n", n)),
      kernel(numbered("call f#;\n", n), numbered(".func f#() { ret; }\n", n)),
      kernel("call f0;\n",
             ".func f" + std::to_string(n) + "() { ret; }\n" + numbered(".func f#();\n", n) + call_chain(n)),
      kernel(repeated("{ }", 50000)),
      kernel(repeated(";", 400000)),
      kHeader + numbered(".global .u64 a# = a#;\n", 2000),
      kHeader + repeated("{", 300000),
      kHeader + std::string(".global .u32 a[100] = ") + repeated("{", 300000),
      kernel(".loc 1 1 1\n" + numbered(".loc 1 # 1, function_name L, inlined_at 1 # 0\nadd.u32 %r1, %r1, 1;\n", n)),
  };
  for (const std::string& text : rows) {
    SCOPED_TRACE(text.substr(150, 200));
    load_ptx(text);
  }
  rusage usage{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  EXPECT_LT(usage.ru_maxrss, 2 << 20) << "kilobytes at most at any time";
}

// Too many registers and branches to find out which registers are alive where: each gets a slot of its own.
TEST(HostilePtx, AKernelTooLargeToAnalyseStillComputes) {
  constexpr int kSteps = 20000;
  std::string body = ".reg .b32 %x<20001>;\nsetp.lt.u32 %p1, %r0, 16;\nmov.u32 %x0, %r0;\n";
  for (int i = 0; i < kSteps; ++i) {
    const std::string n = std::to_string(i);
    body += "@%p1 bra L" + n + ";\nL" + n + ": add.u32 %x" + std::to_string(i + 1) + ", %x" + n + ", 1;\n";
  }
  body += "mul.wide.u32 %rd9, %r0, 4;\nadd.u64 %rd9, %rd9, %rd0;\nst.global.u32 [%rd9], %x20000;\n";
  test::Program program;
  program.ptx = test::kernel_with(1, body);
  const std::vector<std::uint32_t> results = test::results_of<std::uint32_t>(program, 32);
  ASSERT_EQ(results.size(), 32u);
  for (std::uint32_t thread = 0; thread < 32; ++thread) EXPECT_EQ(results[thread], thread + kSteps);
}

}  // namespace
}  // namespace vgpu::fuzz
