// Translated code does what the interpreter's handlers do, bit by bit, and observers see the same accesses.
#include "harness/vgpu/machine/translator/translation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/noted_reads.h"
#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu::translation {
namespace {

using test::Bytes;
using test::Program;

constexpr const char* kTile = ".shared .align 16 .b8 tile[4096];\n";
constexpr std::size_t kWords = 4096;

/// Words with everything that floats can be among them.
Bytes input() {
  std::vector<std::uint32_t> words;
  const std::uint32_t special[] = {0,          0x80000000, 0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00001,
                                   0xFFC12345, 0x7F800001, 0x00000001, 0x7F7FFFFF, 0x7FFFFFFF};
  for (std::uint32_t n = 0; n < kWords; ++n)
    words.push_back(n % 3 == 0 ? special[n / 3 % std::size(special)] : n * 2654435761u);
  return test::bytes_of(words);
}

/// %r3: the byte offset of a lane's word; %r10: that in the tile, which holds the input's first words; %rd2: that in
/// the input; %rd3: where the thread's results go.
Program program(const std::string& body, std::uint32_t threads = 64, std::uint32_t blocks = 4) {
  Program program;
  program.ptx = test::kernel_with(
      2,
      "and.b32 %r2, %r0, 31;\nshl.b32 %r3, %r2, 2;\nmov.u32 %r10, tile;\ncvt.u64.u32 %rd2, %r3;\n"
      "mul.wide.u32 %rd3, %r1, 64;\nadd.u64 %rd3, %rd3, %rd0;\nadd.u64 %rd2, %rd2, %rd1;\n"
      "mov.u32 %r4, %r2;\nfill:\nmul.wide.u32 %rd4, %r4, 4;\nadd.u64 %rd4, %rd4, %rd1;\nld.global.u32 %r5, [%rd4];\n"
      "shl.b32 %r6, %r4, 2;\nadd.u32 %r6, %r6, %r10;\nst.shared.u32 [%r6], %r5;\nadd.u32 %r4, %r4, 32;\n"
      "setp.lt.u32 %p19, %r4, 1024;\n@%p19 bra fill;\nbar.sync 0;\nadd.u32 %r10, %r10, %r3;\n" +
          body,
      kTile);
  program.shape = {{blocks, 1, 1}, {threads, 1, 1}, 0, false};
  program.options.resident_blocks = 2;
  return program;
}

std::string store(const std::string& name, int at) {
  return "st.global.b32 [%rd3+" + std::to_string(4 * at) + "], " + name + ";\n";
}

/// The body three times over, in a loop, so that the second and third round of the first warp are translated, too.
std::string three_times(const std::string& body) {
  return "mov.u32 %r70, 0;\nround:\n" + body + "add.u32 %r70, %r70, 1;\nsetp.lt.u32 %p18, %r70, 3;\n@%p18 bra round;\n";
}

test::Result run(Program program, const char* when) {
  const test::Translate translate(when);
  return test::run(program, {Bytes(std::size_t{64} * 256), input()});
}

/// Both ways end the same way, with the same memory and the same counts.
void expect_the_same(const Program& program) {
  const test::Result interpreted = run(program, "never"), translated = run(program, "always");
  ASSERT_EQ(interpreted.refusal, "") << program.ptx;
  EXPECT_EQ(translated.outcome.fault.kind, interpreted.outcome.fault.kind);
  EXPECT_EQ(translated.outcome.fault.sentence, interpreted.outcome.fault.sentence);
  EXPECT_EQ(translated.outcome.warp_instructions, interpreted.outcome.warp_instructions);
  EXPECT_EQ(translated.outcome.thread_instructions, interpreted.outcome.thread_instructions);
  EXPECT_EQ(translated.accesses_seen, interpreted.accesses_seen);
  EXPECT_TRUE(translated.buffers == interpreted.buffers) << program.ptx;
}

TEST(Translation, OfLoadsOfRowsAndOfOnePlace) {
  expect_the_same(
      program(three_times("ld.shared.u32 %r20, [%r10];\nld.shared.u32 %r21, [%r10+128];\nld.global.u32 %r22, [%rd2];\n"
                          "ld.global.u32 %r23, [%rd1+8];\nld.global.f32 %r24, [%rd2+512];\nadd.u32 %r25, %r20, %r22;\n"
                          "add.u32 %r25, %r25, %r21;\nadd.u32 %r25, %r25, %r23;\n" +
                          store("%r25", 0) + store("%r24", 1))));
}

TEST(Translation, OfLoadsOf64Bits) {
  expect_the_same(program(three_times(
      "add.u32 %r11, %r10, %r3;\nmov.u32 %r12, tile;\ncvt.u64.u32 %rd5, %r3;\nadd.u64 %rd5, %rd5, %rd2;\n"
      "bar.sync 0;\nld.shared.u64 %rd10, [%r11+8];\nld.shared.u64 %rd11, [%r12+16];\nld.global.u64 %rd12, [%rd5];\n"
      "ld.global.u64 %rd13, [%rd1+64];\nadd.u64 %rd10, %rd10, %rd11;\nxor.b64 %rd12, %rd12, %rd13;\n"
      "sub.u64 %rd10, %rd10, %rd12;\nst.global.u64 [%rd3], %rd10;\n")));
}

/// %r11 and %r13: a lane's vector of four words, and of two; %r12: the tile.
constexpr const char* kVectorPlaces =
    "mov.u32 %r12, tile;\nmad.lo.u32 %r11, %r2, 16, %r12;\nmad.lo.u32 %r13, %r2, 8, %r12;\nbar.sync 0;\n";

TEST(Translation, OfLoadsOfVectors) {
  std::string stores;
  for (int n = 0; n < 14; ++n) stores += store("%r" + std::to_string(20 + n), n);
  expect_the_same(program(three_times(
      kVectorPlaces +
      std::string("mul.wide.u32 %rd5, %r2, 16;\nadd.u64 %rd5, %rd5, %rd1;\nbar.sync 0;\n"
                  "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r11+32];\nld.shared.v2.f32 {%r24, %r25}, [%r13+8];\n"
                  "ld.shared.v4.f32 {%r26, %r27, %r28, %r29}, [%r12+48];\nld.shared.v2.u32 {%r30, %r31}, [%r12+72];\n"
                  "ld.global.v4.f32 {%r32, %r33, %r34, %r35}, [%rd5+16];\nadd.u32 %r20, %r20, %r23;\n"
                  "xor.b32 %r32, %r32, %r34;\nxor.b32 %r33, %r33, %r35;\nadd.f32 %r26, %r24, %r26;\n") +
      stores)));
}

/// Half a warp reads a row, the other half one place, or each another row, as in tiles of 16 columns.
TEST(Translation, OfHalvesThatDiffer) {
  expect_the_same(program(three_times(
      "mov.u32 %r12, tile;\nsetp.lt.u32 %p1, %r2, 16;\nselp.b32 %r11, %r10, %r12, %p1;\nshr.u32 %r13, %r2, 4;\n"
      "mul.lo.u32 %r13, %r13, 192;\nadd.u32 %r13, %r13, %r10;\nselp.b32 %r14, %r12, %r10, %p1;\nbar.sync 0;\n"
      "ld.shared.u32 %r20, [%r11];\nld.shared.u32 %r21, [%r13];\nld.shared.u32 %r22, [%r14+256];\n"
      "xor.b32 %r20, %r20, %r21;\nadd.u32 %r20, %r20, %r22;\n" +
      store("%r20", 0))));
}

/// A row, then places all over, then a row again; and another lane's address only.
TEST(Translation, OfLoadsWhoseAddressesAreOfAnotherShapeLater) {
  expect_the_same(program(
      "mov.u32 %r70, 0;\nround:\nmov.u32 %r12, tile;\nmul.lo.u32 %r11, %r3, 7;\nadd.u32 %r11, %r11, %r12;\n"
      "and.b32 %r13, %r70, 3;\nsetp.eq.u32 %p1, %r13, 2;\nselp.b32 %r11, %r11, %r10, %p1;\n"
      "sub.u32 %r14, %r70, 9;\nsetp.eq.u32 %p2, %r14, %r2;\n@%p2 add.u32 %r11, %r11, 4;\nbar.sync 0;\n"
      "ld.shared.u32 %r20, [%r11];\nld.shared.u32 %r21, [%r11+4];\nmad.lo.u32 %r22, %r22, 31, %r20;\n"
      "mad.lo.u32 %r22, %r22, 31, %r21;\nadd.u32 %r70, %r70, 1;\nsetp.lt.u32 %p18, %r70, 44;\n@%p18 bra round;\n" +
      store("%r22", 0)));
}

/// So often that the passage is translated once more, without its loads.
TEST(Translation, OfLoadsThatAreSeldomRows) {
  expect_the_same(
      program("mov.u32 %r70, 0;\nmov.u32 %r11, %r10;\nround:\nld.shared.u32 %r20, [%r11];\nadd.u32 %r22, %r22, %r20;\n"
              "xor.b32 %r22, %r22, %r70;\nmad.lo.u32 %r11, %r3, 3, %r10;\nadd.u32 %r70, %r70, 1;\n"
              "setp.lt.u32 %p18, %r70, 200;\n@%p18 bra round;\n" +
              store("%r22", 0)));
}

TEST(Translation, OfABaseThatIsOverwrittenByALoad) {
  expect_the_same(program(
      three_times("mov.u32 %r11, %r10;\nbar.sync 0;\nld.shared.u32 %r12, [%r11+4];\nld.shared.u32 %r11, [%r11];\n"
                  "add.u32 %r13, %r11, %r12;\n" +
                  store("%r13", 0))));
}

struct BadLoad {
  const char *what, *code;
};

TEST(Translation, FaultsAsTheInterpreterDoes) {
  for (const BadLoad& bad : {
           BadLoad{"beyond shared memory", "@%p1 add.u32 %r11, %r10, 1048576;\n"},
           BadLoad{"below shared memory", "@%p1 sub.u32 %r11, %r3, 64;\n"},
           BadLoad{"misaligned", "@%p1 add.u32 %r11, %r10, 2;\n"},
           BadLoad{"beyond global memory", "@%p1 add.u64 %rd5, %rd5, 1099511627776;\n"},
           BadLoad{"below global memory", "@%p1 sub.u64 %rd5, %rd5, 1099511627776;\n"},
           BadLoad{"at the null pointer", "@%p1 cvt.u64.u32 %rd5, %r3;\n"},
           BadLoad{"misaligned in global memory", "@%p1 add.u64 %rd5, %rd5, 1;\n"},
       }) {
    for (const test::Watch watch : {test::Watch::kNobody, test::Watch::kEverything}) {
      SCOPED_TRACE(bad.what);
      Program faulty = program(three_times(std::string("mov.u32 %r11, %r10;\nmov.u64 %rd5, %rd2;\n") +
                                           "setp.eq.u32 %p1, %r70, 2;\n" + bad.code +
                                           "bar.sync 0;\nld.shared.u32 %r20, [%r11];\nld.global.u32 %r21, [%rd5];\n" +
                                           store("%r20", 0) + store("%r21", 1)));
      faulty.watch = watch;
      expect_the_same(faulty);
      if (watch == test::Watch::kEverything) continue;  // the observer lets even these go ahead
      EXPECT_NE(run(faulty, "always").outcome.fault.kind, FaultKind::kNone);
    }
  }
}

/// NaNs that are loaded stay what they are, those that arithmetic makes or hands on are the canonical one, and what is
/// moved, selected or compared in between must not tell.
TEST(Translation, OfNans) {
  std::string body =
      "ld.shared.f32 %r20, [%r10];\nld.shared.f32 %r21, [%r10+128];\nmov.f32 %r22, %r20;\nadd.f32 %r23, %r20, %r21;\n"
      "mov.f32 %r24, %r23;\nxor.b32 %r25, %r23, 1;\nneg.f32 %r26, %r23;\nabs.f32 %r27, %r26;\n"
      "setp.nan.f32 %p1, %r23, %r22;\nselp.f32 %r28, %r26, %r22, %p1;\nmul.f32 %r29, %r28, %r24;\n"
      "fma.rn.f32 %r30, %r29, %r20, %r21;\nsetp.ltu.f32 %p2, %r30, %r29;\nselp.b32 %r31, %r30, %r20, %p2;\n"
      "sqrt.rn.f32 %r32, %r21;\ndiv.rn.f32 %r33, %r32, %r20;\n@%p1 mul.f32 %r22, %r33, %r21;\n"
      "@!%p2 mov.f32 %r31, %r22;\n";
  for (int n = 20; n < 34; ++n) body += store("%r" + std::to_string(n), n - 20);
  expect_the_same(program(three_times(body)));
}

/// Many values at a time, of both widths, and guards over them: more than any host has registers for.
TEST(Translation, OfMoreValuesThanTheHostHasRegisters) {
  std::string body;
  const auto r = [](int n) { return "%r" + std::to_string(20 + n % 45); };
  const auto rd = [](int n) { return "%rd" + std::to_string(10 + n % 30); };
  for (int n = 0; n < 45; ++n) body += "mad.lo.u32 " + r(n) + ", %r2, " + std::to_string(n * n + 3) + ", %r1;\n";
  for (int n = 0; n < 30; ++n) body += "mul.wide.u32 " + rd(n) + ", " + r(n) + ", " + r(n + 7) + ";\n";
  body += "setp.lt.u32 %p1, " + r(3) + ", 100;\nsetp.gt.s64 %p2, " + rd(4) + ", " + rd(5) + ";\n";
  for (int n = 0; n < 60; ++n) {
    body += "add.u64 " + rd(n) + ", " + rd(n + 11) + ", " + rd(n + 17) + ";\n";
    body += "@%p" + std::to_string(1 + n % 2) + " mad.wide.s32 " + rd(n + 3) + ", " + r(n) + ", " + r(n + 1) + ", " +
            rd(n + 5) + ";\n";
    body += "@!%p" + std::to_string(1 + n % 2) + " fma.rn.f32 " + r(n) + ", " + r(n + 13) + ", " + r(n + 29) + ", " +
            r(n + 31) + ";\n";
    body += "@%p2 mul.lo.u64 " + rd(n + 1) + ", " + rd(n + 2) + ", " + rd(n + 4) + ";\n";
    body += "selp.b64 " + rd(n + 9) + ", " + rd(n + 8) + ", " + rd(n + 6) + ", %p1;\n";
  }
  for (int n = 0; n < 30; ++n) body += "cvt.u32.u64 %r4, " + rd(n) + ";\nxor.b32 " + r(n) + ", " + r(n) + ", %r4;\n";
  for (int n = 0; n < 16; ++n) body += "xor.b32 " + r(n) + ", " + r(n) + ", " + r(n + 20) + ";\n" + store(r(n), n);
  expect_the_same(program(body));
}

/// Of predicates that change while others need what they were, and come from before the passage.
TEST(Translation, OfManyPredicates) {
  std::string body = "and.b32 %r5, %r2, 1;\nmov.u32 %r20, 0;\n";
  for (int n = 5; n < 15; ++n)
    body += "setp.gt.u32 %p" + std::to_string(n) + ", %r2, " + std::to_string(3 * n - 12) + ";\nbar.sync 0;\n";
  for (int n = 0; n < 60; ++n) {
    const auto p = [&](int k) { return "%p" + std::to_string((n * 7 + k * 5) % 15); };
    if (n % 5 == 0) body += "setp.eq.s32 %p" + std::to_string(n % 4 + 1) + ", %r5, " + std::to_string(n & 1) + ";\n";
    if (n % 5 == 1) body += "xor.pred %p" + std::to_string(n % 4 + 1) + ", " + p(1) + ", " + p(2) + ";\n";
    if (n % 5 == 3) body += "mov.pred %p" + std::to_string(n % 4 + 1) + ", " + p(6) + ";\n";
    if (n % 5 == 2) body += "not.pred %p" + std::to_string(n % 4 + 1) + ", " + p(3) + ";\n";
    body += "@" + p(0) + " mad.lo.u32 %r20, %r20, 3, " + std::to_string(n) + ";\n";
    body += "selp.u32 %r21, %r20, %r2, " + p(4) + ";\nadd.u32 %r20, %r20, %r21;\n";
  }
  for (int n = 0; n < 15; ++n)
    body += "selp.u32 %r21, 1, 0, %p" + std::to_string(n) + ";\nshl.b32 %r20, %r20, 1;\nxor.b32 %r20, %r20, %r21;\n";
  expect_the_same(program("setp.eq.u32 %p0, %r2, 5;\n" + three_times(body) + store("%r20", 0)));
}

/// Warps with some lanes only, and lanes that have parted, are interpreted.
TEST(Translation, LeavesOtherLanesAlone) {
  const std::string work = "ld.shared.u32 %r20, [%r10];\nadd.u32 %r20, %r20, %r70;\nmad.lo.u32 %r21, %r21, 5, %r20;\n";
  for (const std::uint32_t threads : {1U, 31U, 33U, 63U, 64U})
    expect_the_same(
        program(three_times(work + "setp.lt.u32 %p1, %r2, 11;\n@%p1 bra behind;\nmul.lo.u32 %r21, %r21, 9;\n"
                                   "add.u32 %r21, %r21, 1;\nbehind:\n") +
                    store("%r21", 0),
                threads));
}

/// Writes down every read of shared memory, in order, however it is shown.
class Reader : public Observer {
 public:
  Mask access(const MemoryAccess& access) override {
    if (access.space == ptx::Space::kShared && access.kind == AccessKind::kLoad) write_down(access);
    return access.lanes;
  }
  QuietRange quiet_range(const MemoryAccess&) override { return {0, 1 << 16}; }
  bool wants_noted_reads() const override { return true; }
  void reads_were_noted(const Block& block, const NotedReads& reads) override {
    reads.each(block.warps(), [&](const NotedRead& read) { write_down(read.access); });
  }

  std::vector<std::uint64_t> read;  ///< the instruction, then its addresses

 private:
  void write_down(const MemoryAccess& access) {
    read.push_back(access.insn->index);
    for (int lane = 0; lane < kLanes; ++lane)
      if ((access.lanes >> lane & 1) != 0) read.push_back(access.address(lane));
  }
};

TEST(Translation, ReadsThatAreWatchedAreNotedInOrder) {
  Program watched = program(
      three_times("mov.u32 %r11, tile;\nsetp.lt.u32 %p1, %r2, 16;\nselp.b32 %r12, %r10, %r11, %p1;\nbar.sync 0;\n"
                  "ld.shared.u32 %r20, [%r10];\nld.shared.u32 %r21, [%r11+8];\nld.shared.u32 %r22, [%r12+256];\n"
                  "ld.shared.u32 %r23, [%r10+128];\nld.shared.u64 %rd10, [%r11+16];\n"
                  "xor.b32 %r20, %r20, %r21;\nxor.b32 %r20, %r20, %r22;\nxor.b32 %r20, %r20, %r23;\n" +
                  std::string(kVectorPlaces) +
                  "ld.shared.v4.u32 {%r24, %r25, %r26, %r27}, [%r11+16];\nld.shared.u32 %r28, [%r10];\n"
                  "ld.shared.v2.u32 {%r29, %r30}, [%r12];\nld.shared.v4.u32 {%r31, %r32, %r33, %r34}, [%r11];\n" +
                  store("%r20", 0)));
  Reader interpreted, translated;
  watched.options.observer = &interpreted;
  const test::Result first = run(watched, "never");
  watched.options.observer = &translated;
  const test::Result second = run(watched, "always");
  EXPECT_EQ(first.outcome.fault.sentence, "");
  EXPECT_TRUE(first.buffers == second.buffers);
  EXPECT_GT(interpreted.read.size(), 1000U);
  EXPECT_TRUE(interpreted.read == translated.read);
}

/// Writes down how often translated passages were executed.
class Looks : public Observer {
 public:
  Mask access(const MemoryAccess& access) override {
    const Code& code = *access.warp->frame->code;
    const auto count = static_cast<std::uint32_t>(code.insns.size());
    for (std::uint32_t index = 0; code.translation != nullptr && index < count; ++index)
      if (const Passage* const passage = code.translation->passage_at(index)) {
        hits[index] = std::max(hits[index], passage->hits);
        misses = std::max(misses, passage->misses);
      }
    return access.lanes;
  }
  QuietRange quiet_range(const MemoryAccess&) override { return {0, 1 << 16}; }
  std::uint64_t most_hits() const {
    std::uint64_t most = 0;
    for (const auto& [index, count] : hits) most = std::max(most, count);
    return most;
  }

  std::map<std::uint32_t, std::uint64_t> hits;  ///< of the passage that begins with this instruction
  std::uint64_t misses = 0;
};

/// The other tests would not tell if nothing were translated at all.
TEST(Translation, TakesPlace) {
  Looks looks;
  Program watched = program(three_times("ld.shared.u32 %r20, [%r10];\nadd.u32 %r20, %r20, 1;\n" + store("%r20", 0)));
  watched.options.observer = &looks;
  run(watched, "always");
  if (Translation::is_possible())
    EXPECT_GE(looks.most_hits(), 3U * 8 - 8) << "three rounds of eight warps, but for the first ones";
  else
    EXPECT_EQ(looks.most_hits(), 0U);
  EXPECT_EQ(looks.misses, 0U);
  looks.hits.clear();
  run(watched, "never");
  EXPECT_EQ(looks.most_hits(), 0U);
}

TEST(Translation, TakesPlaceBeforeAndBehindALoadFromAnywhere) {
  Looks looks;
  Program watched = program(three_times(
      "xor.b32 %r11, %r2, 5;\nshl.b32 %r11, %r11, 2;\nmov.u32 %r12, tile;\nadd.u32 %r11, %r11, %r12;\nbar.sync 0;\n"
      "ld.shared.u32 %r20, [%r10];\nadd.u32 %r20, %r20, 1;\nld.shared.u32 %r21, [%r11];\n"
      "ld.shared.u32 %r22, [%r10+128];\nadd.u32 %r20, %r20, %r22;\nadd.u32 %r20, %r20, %r21;\n" +
      store("%r20", 0)));
  expect_the_same(watched);
  watched.options.observer = &looks;
  run(watched, "always");
  const auto are_hit =
      std::count_if(looks.hits.begin(), looks.hits.end(), [](const auto& one) { return one.second != 0; });
  EXPECT_EQ(are_hit, Translation::is_possible() ? 2 : 0);
}

}  // namespace
}  // namespace vgpu::translation
