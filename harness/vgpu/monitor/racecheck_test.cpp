// Racecheck takes many lanes at a time where it can. Random programs, in which most accesses race and many do not, must
// have the same findings however it goes about it.
#include "harness/vgpu/monitor/racecheck.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/monitor/watchers.h"

namespace vgpu {
namespace {

using test::Bytes;
using test::Program;

/// Shows accesses as if nobody had looked at the addresses of all lanes together, and has each looked at at once.
class OneLaneAtATime : public Observer {
 public:
  explicit OneLaneAtATime(Racecheck& racecheck) { all_.watch_with({&racecheck}); }

  void launch_begins(const Launch& launch) override { all_.launch_begins(launch); }
  void launch_ends(Launch& launch) override { all_.launch_ends(launch); }
  void block_begins(const Block& block) override { all_.block_begins(block); }
  void barrier_opens(const Block& block, std::uint32_t id, const std::vector<Mask>& arrived) override {
    all_.barrier_opens(block, id, arrived);
  }
  void lanes_meet(const Warp& warp, Mask lanes) override { all_.lanes_meet(warp, lanes); }
  void fence(const Warp& warp, Mask lanes, bool device_wide) override { all_.fence(warp, lanes, device_wide); }
  Mask access(const MemoryAccess& access) override {
    MemoryAccess plain = access;
    plain.contiguous = plain.uniform = 0;
    const Mask lanes = all_.access(plain);
    access.warp->block->show_noted_reads();
    return lanes;
  }
  void copy_arrives(const MemoryAccess& store, const Code& code, const Insn* awaited_at) override {
    all_.copy_arrives(store, code, awaited_at);
  }
  void reads_were_noted(const Block& block, const NotedReads& reads) override { all_.reads_were_noted(block, reads); }

 private:
  Watchers all_;
};

constexpr int kPrograms = 120;
constexpr int kSteps = 30;
constexpr std::uint32_t kThreads = 96;  // three warps: two may fold their reads, the third meets what is folded
constexpr std::uint64_t kBytes = 3 * AccessShadow::kPageBytes;  // so that there are pages to forget

/// One access, with its address in %rd10 for global and %r10 for shared memory.
std::string access_in(std::mt19937& random, bool copies) {
  const auto pick = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  const char* const indices[] = {
      "mov.u32 %r10, %r0;",        // lane after lane
      "mov.u32 %r10, %r0;",        //
      "add.u32 %r10, %r0, 1;",     // shifted by one lane
      "add.u32 %r10, %r0, 16;",    // by half a warp
      "add.u32 %r10, %r0, 32;",    // by a warp
      "and.b32 %r10, %r0, 15;",    // both halves the same place
      "shr.u32 %r10, %r0, 4;",     // one place a half
      "shr.u32 %r10, %r0, 5;",     // one place a warp
      "mov.u32 %r10, 5;",          // one place
      "xor.b32 %r10, %r0, 1;",     // neighbours swapped
      "mul.lo.u32 %r10, %r0, 2;",  // every other
      "mov.u32 %r10, %r1;",        // other places in other blocks
  };
  static const char* const kTypes[] = {"u32", "u32", "u32", "u64", "u16", "u8", "v2.u32", "v4.u32"};
  static const std::uint32_t kSizes[] = {4, 4, 4, 8, 2, 1, 8, 16};
  const std::uint32_t type = pick(8);
  const bool shared = pick(2) == 0;
  const std::string space = shared ? ".shared" : ".global";
  const std::string value = type == 7           ? "{%r20, %r21, %r22, %r23}"
                            : type == 6         ? "{%r20, %r21}"
                            : kSizes[type] == 8 ? "%rd20"
                            : kSizes[type] == 4 ? "%r20"
                                                : "%h20";
  const std::string address = shared ? "[%r11]" : "[%rd10]";
  std::string code =
      std::string(indices[pick(12)]) + "\nmul.lo.u32 %r10, %r10, " + std::to_string(kSizes[type]) + ";\n";
  if (pick(4) == 0) code += "add.u32 %r10, %r10, " + std::to_string(16 * pick(64)) + ";\n";
  if (pick(4) == 0) code += "add.u32 %r10, %r10, " + std::to_string((1 + pick(2)) * AccessShadow::kPageBytes) + ";\n";
  code += shared ? "add.u32 %r11, %r10, %r12;\n" : "cvt.u64.u32 %rd10, %r10;\nadd.u64 %rd10, %rd10, %rd0;\n";
  const std::string guard = pick(5) == 0 ? "@%p1 " : "";
  const char* const strength = pick(8) == 0 ? ".volatile" : "";
  if (copies && shared && kSizes[type] >= 4 && pick(3) == 0)
    return code + guard + "cp.async.ca.shared.global [%r11], [%rd0+2048], " + std::to_string(kSizes[type]) + ";\n";
  switch (pick(8)) {
    case 0:
      return code + guard + "atom" + space + ".add.u32 %r20, [" + (shared ? "%r13" : "%rd0") + "], 1;\n";
    case 1:
    case 2:
    case 3:
      return code + guard + "st" + strength + space + "." + kTypes[type] + " " + address + ", " + value + ";\n";
    default:
      return code + guard + "ld" + strength + space + "." + kTypes[type] + " " + value + ", " + address + ";\n";
  }
}

Program random_program(std::uint32_t seed) {
  std::mt19937 random(seed);
  const bool copies = seed % 2 != 0;
  std::string body =
      "mov.u32 %r12, values;\nadd.u32 %r13, %r12, 64;\nsetp.lt.u32 %p1, %r0, 40;\nmov.u32 %r20, 0;\n"
      "mov.u32 %r21, 0;\nmov.u32 %r22, 0;\nmov.u32 %r23, 0;\nmov.u64 %rd20, 0;\nmov.u16 %h20, 0;\n";
  for (int step = 0; step < kSteps; ++step) {
    body += ".loc 1 " + std::to_string(step + 1) + " 0\n";
    switch (random() % 12) {
      case 0:
      case 1:
        body += "bar.sync 0;\n";
        break;
      case 2:
        body += "bar.warp.sync 0xffffffff;\n";
        break;
      case 3:
        body += "membar.gl;\n";
        break;
      case 4:
        if (copies) {
          static const char* const kWaits[] = {"commit_group", "commit_group", "wait_group 0", "wait_group 1",
                                               "wait_all"};
          body += std::string("cp.async.") + kWaits[random() % 5] + ";\n";
        }
        break;
      default:
        body += access_in(random, copies);
    }
  }
  Program program;
  program.ptx = test::kernel_with(
      1, body, ".file 1 \"kernel.cu\"\n.shared .align 16 .b8 values[" + std::to_string(kBytes) + "];\n");
  program.shape = {{2, 1, 1}, {kThreads, 1, 1}, 0, false};
  program.options.resident_blocks = 2;
  return program;
}

std::vector<std::string> findings_of(std::uint32_t seed, Observer& observer, const FindingList& findings) {
  Program program = random_program(seed);
  program.options.observer = &observer;
  program.options.schedule_seed = seed % 3;
  test::run_cleanly(program, {Bytes(kBytes)});
  std::vector<std::string> texts;
  for (const Finding& f : findings.all())
    texts.push_back("line " + std::to_string(f.line) + ": " + f.kind + " x " + std::to_string(f.count) + ": " +
                    f.sentence);
  return texts;
}

void expect_same(const std::vector<std::string>& found, const std::vector<std::string>& expected, std::uint32_t seed) {
  EXPECT_EQ(found.size(), expected.size()) << "seed " << seed;
  for (std::size_t n = 0; n < found.size() && n < expected.size(); ++n)
    EXPECT_EQ(found[n], expected[n]) << "finding " << n << " of seed " << seed;
}

TEST(Racecheck, FindsTheSameInRowsOfLanesAsLaneByLane) {
  std::size_t all = 0;
  for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
    FindingList in_rows, by_lane;
    Racecheck quick(in_rows), slow(by_lane);
    OneLaneAtATime slowly(slow);
    const auto quickly_found = findings_of(seed, quick, in_rows);
    expect_same(quickly_found, findings_of(seed, slowly, by_lane), seed);
    if (HasFailure()) break;
    all += quickly_found.size();
  }
  EXPECT_GT(all, kPrograms) << "programs without races prove nothing";
}

TEST(Racecheck, FindsTheSameWhenItTidiesUpAllTheTime) {
  for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
    FindingList at_leisure, in_haste;
    Racecheck roomy(at_leisure), tidy(in_haste, 3);
    expect_same(findings_of(seed, tidy, in_haste), findings_of(seed, roomy, at_leisure), seed);
    if (HasFailure()) break;
  }
}

TEST(Racecheck, FindsNothingElseWhenItMustForget) {
  std::size_t all = 0, found = 0;
  for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
    FindingList with_room, without, in_haste;
    Racecheck roomy(with_room), forgetful(without), tidy(in_haste, 3);
    forgetful.set_slack(0);
    tidy.set_slack(0);
    findings_of(seed, roomy, with_room);
    const auto lines_of = [](const FindingList& findings) {
      std::set<std::pair<std::uint32_t, std::string>> lines;
      for (const Finding& f : findings.all()) {
        std::string kind = f.kind;  // who has forgotten the write of another value takes the race for less than it is
        const std::string less = " of the same value";
        if (const std::size_t at = kind.find(less); at != std::string::npos) kind.erase(at, less.size());
        lines.emplace(f.line, kind);
      }
      return lines;
    };
    expect_same(findings_of(seed, tidy, in_haste), findings_of(seed, forgetful, without), seed);
    if (HasFailure()) break;
    const auto known = lines_of(with_room), remembered = lines_of(without);
    EXPECT_TRUE(std::includes(known.begin(), known.end(), remembered.begin(), remembered.end())) << "seed " << seed;
    EXPECT_TRUE(known == remembered || !forgetful.unchecked().empty()) << "forgot without a word; seed " << seed;
    all += known.size();
    found += remembered.size();
  }
  EXPECT_LT(found, all) << "programs of which nothing is forgotten prove nothing";
  EXPECT_GT(found, all / 2) << "forgets more than it must";
}

std::vector<Finding> findings_on(const std::string& body, LaunchShape shape, const std::string& shared) {
  FindingList findings;
  Racecheck racecheck(findings);
  Program program;
  program.ptx = test::kernel_with(1, body, ".file 1 \"kernel.cu\"\n.shared .align " + shared + ";\n");
  program.shape = shape;
  program.options.observer = &racecheck;
  test::run_cleanly(program, {Bytes(1024)});
  return findings.all();
}

// Advice by who raced with whom, and whether one line did both.
std::vector<std::string> advice_on(const std::string& body, LaunchShape shape) {
  std::vector<std::string> advice;
  for (const Finding& finding : findings_on(body, shape, "16 .b8 values[1024]")) advice.push_back(finding.advice);
  return advice;
}

bool all_contain(const std::vector<std::string>& texts, const std::string& words) {
  return !texts.empty() && std::all_of(texts.begin(), texts.end(), [&words](const std::string& text) {
    return text.find(words) != std::string::npos;
  });
}

TEST(Racecheck, NamesAtomicsFirstWhereALineRacesWithItself) {
  const std::string increment =
      ".loc 1 7 1\nld.shared.u32 %r10, [values];\nadd.u32 %r10, %r10, 1;\nst.shared.u32 [values], %r10;\n";
  EXPECT_TRUE(all_contain(advice_on(increment, {{1, 1, 1}, {32, 1, 1}, 0, false}), "use an atomic operation"));
  EXPECT_TRUE(all_contain(advice_on(increment, {{1, 1, 1}, {64, 1, 1}, 0, false}), "use an atomic operation"));
}

TEST(Racecheck, NamesABarrierWhereOneLineReadsWhatAnotherWrote) {
  const std::string exchange =
      "mul.lo.u32 %r10, %r0, 4;\nmov.u32 %r12, values;\nadd.u32 %r11, %r12, %r10;\n"
      ".loc 1 7 1\nst.shared.u32 [%r11], %r0;\nxor.b32 %r10, %r10, 4;\nadd.u32 %r11, %r12, %r10;\n"
      ".loc 1 8 1\nld.shared.u32 %r13, [%r11];\n";
  EXPECT_TRUE(all_contain(advice_on(exchange, {{1, 1, 1}, {32, 1, 1}, 0, false}),
                          "put __syncthreads() between the two, or __syncwarp() if no other warp"));
}

TEST(Racecheck, NamesASecondBarrierWhereTheFirstOrdersOneRoundOfALoopOnly) {
  const std::string rounds =
      "mul.lo.u32 %r10, %r0, 4;\nmov.u32 %r12, values;\nadd.u32 %r11, %r12, %r10;\nxor.b32 %r14, %r10, 128;\n"
      "add.u32 %r14, %r12, %r14;\nmov.u32 %r15, 0;\nROUND:\n.loc 1 7 1\nst.shared.u32 [%r11], %r15;\n"
      ".loc 1 8 1\nbar.sync 0;\n.loc 1 9 1\nld.shared.u32 %r13, [%r14];\n";
  const std::string again = "add.u32 %r15, %r15, 1;\nsetp.lt.u32 %p1, %r15, 3;\n@%p1 bra ROUND;\n";
  const LaunchShape two_warps{{1, 1, 1}, {64, 1, 1}, 0, false};
  EXPECT_TRUE(all_contain(advice_on(rounds + again, two_warps), "put another __syncthreads() behind line 9"));
  EXPECT_TRUE(advice_on(rounds + ".loc 1 10 1\nbar.sync 0;\n" + again, two_warps).empty());
}

TEST(Racecheck, TakesNoBarrierForOneOfALoopBecauseItsLineLiesBetween) {
  const std::string straight =
      "mul.lo.u32 %r10, %r0, 4;\nmov.u32 %r12, values;\nadd.u32 %r11, %r12, %r10;\nxor.b32 %r14, %r10, 128;\n"
      "add.u32 %r14, %r12, %r14;\n.loc 1 7 1\nst.shared.u32 [%r11], %r0;\n.loc 1 9 1\nld.shared.u32 %r13, [%r14];\n"
      ".loc 1 8 1\nbar.sync 0;\n";
  EXPECT_TRUE(
      all_contain(advice_on(straight, {{1, 1, 1}, {64, 1, 1}, 0, false}), "Put __syncthreads() between the two"));
}

TEST(Racecheck, NamesABarrierAloneWhereALineMovesElementsBetweenThreads) {
  // values[t] += values[t + 1] in one line: an atomic operation would not help.
  const std::string neighbours =
      "mul.lo.u32 %r10, %r0, 4;\nmov.u32 %r12, values;\nadd.u32 %r11, %r12, %r10;\nst.shared.u32 [%r11], %r0;\n"
      "bar.sync 0;\n.loc 1 7 1\nld.shared.u32 %r13, [%r11+4];\nst.shared.u32 [%r11], %r13;\n";
  const std::vector<std::string> advice = advice_on(neighbours, {{1, 1, 1}, {64, 1, 1}, 0, false});
  EXPECT_TRUE(all_contain(advice, "read into a variable, put __syncthreads() behind it"));
  for (const std::string& text : advice) EXPECT_EQ(text.find("atomic"), std::string::npos) << text;
}

TEST(Racecheck, NamesTheIndexWhereTwoThreadsWriteToOnePlace) {
  const std::string scatter =
      "and.b32 %r10, %r0, 31;\nmul.lo.u32 %r10, %r10, %r10;\nand.b32 %r10, %r10, 252;\nmov.u32 %r12, values;\n"
      "add.u32 %r11, %r12, %r10;\n.loc 1 7 1\nst.shared.u32 [%r11], %r0;\n";
  EXPECT_TRUE(all_contain(advice_on(scatter, {{1, 1, 1}, {64, 1, 1}, 0, false}), "check how the index is computed"));
}

TEST(Racecheck, NamesTheIndexFirstWhereTwoLinesWriteToOnePlaceInGlobalMemory) {
  const std::string tail =  // every thread writes its own element in line 7, and in line 8 that of another warp
      "mov.u64 %rd6, sums;\nmul.wide.u32 %rd5, %r0, 4;\nadd.s64 %rd7, %rd6, %rd5;\n.loc 1 7 1\n"
      "st.global.u32 [%rd7], %r0;\nxor.b32 %r10, %r0, 32;\nmul.wide.u32 %rd5, %r10, 4;\nadd.s64 %rd7, %rd6, %rd5;\n"
      ".loc 1 8 1\nst.global.u32 [%rd7], 7;\n";
  const std::vector<Finding> findings =
      findings_on(tail, {{1, 1, 1}, {64, 1, 1}, 0, false}, "4 .b8 none[4];\n.global .align 4 .u32 sums[64]");
  ASSERT_FALSE(findings.empty());
  for (const Finding& finding : findings)
    EXPECT_EQ(finding.advice.find("If each thread was to write to a place of its own"), 0U) << finding.advice;
}

/// Of one warp, whose lanes write to values[lane & mask] what the last operand says.
std::vector<Finding> findings_in_step(std::uint32_t mask, const std::string& store) {
  return findings_on("and.b32 %r10, %r0, " + std::to_string(mask) +
                         ";\nmul.lo.u32 %r10, %r10, 16;\nmov.u32 %r12, values;\nadd.u32 %r11, %r12, %r10;\n"
                         "shr.u32 %r13, %r0, 4;\nmov.u32 %r14, 5;\n.loc 1 7 1\n" +
                         store + "\n",
                     {{1, 1, 1}, {32, 1, 1}, 0, false}, "16 .b8 values[1024]");
}

TEST(Racecheck, LanesThatWriteDifferentValuesToOnePlaceByOneInstructionRace) {
  for (const std::uint32_t mask : {0U, 1U, 15U, 30U}) {  // one place, two, halves of the warp, neighbours
    const std::vector<Finding> findings = findings_in_step(mask, "st.shared.u32 [%r11], %r0;");
    ASSERT_EQ(findings.size(), 1U) << mask;
    EXPECT_EQ(findings[0].kind, "write after write in line 7");
    EXPECT_NE(findings[0].sentence.find("writes with the same instruction in line 7; which of their values stays is "
                                        "undefined"),
              std::string::npos)
        << findings[0].sentence;
  }
  EXPECT_EQ(findings_in_step(15, "st.shared.v2.u32 [%r11], {%r14, %r13};").size(), 1U) << "in a second element only";
}

TEST(Racecheck, LanesThatWriteOneValueToOnePlaceByOneInstructionDoNot) {
  EXPECT_TRUE(findings_in_step(31, "st.shared.u32 [%r11], %r0;").empty()) << "each its own place";
  EXPECT_TRUE(findings_in_step(0, "st.shared.u32 [%r11], %r14;").empty());
  EXPECT_TRUE(findings_in_step(0, "st.shared.u32 [%r11], 7;").empty());
  EXPECT_TRUE(findings_in_step(0, "st.shared.v2.u32 [%r11], {%r14, %r14};").empty());
  EXPECT_TRUE(findings_in_step(0, "setp.lt.u32 %p1, %r0, 1;\n@%p1 st.shared.u32 [%r11], %r0;").empty()) << "one lane";
}

TEST(Racecheck, NamesTheElementOfAnArrayThatWasTakenApart) {
  const std::vector<Finding> findings =
      findings_on("st.shared.u64 [_ZZ4sortPiE7borders_$_1], 3;\n", {{1, 1, 1}, {64, 1, 1}, 0, false},
                  "8 .u64 _ZZ4sortPiE7borders_$_1");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].sentence.find("borders[1]"), std::string::npos) << findings[0].sentence;
}

TEST(Racecheck, WhoDoesNotLookAtWhatAnAtomicFoundIsNotOrderedByIt) {
  const auto races = [](const std::string& atomic) {
    FindingList findings;
    Racecheck racecheck(findings);
    Program program;
    program.ptx =
        test::kernel_with(1,
                          atomic +
                              "fence.acq_rel.gpu;\nld.global.u32 %r6, [sum];\nadd.u32 %r6, %r6, 1;\n"
                              "st.global.u32 [sum], %r6;\nfence.acq_rel.gpu;\nred.global.add.u32 [word], 1;\n",
                          ".global .align 4 .u32 word;\n.global .align 4 .u32 sum;\n");
    program.shape = {{4, 1, 1}, {1, 1, 1}, 0, false};
    program.options.observer = &racecheck;
    test::run_cleanly(program, {Bytes(1024)});
    return !findings.all().empty();
  };
  EXPECT_TRUE(races("red.global.add.u32 [word], 1;\n"));
  EXPECT_TRUE(races("atom.global.add.u32 %r5, [word], 1;\n"));
  EXPECT_FALSE(races("atom.global.add.u32 %r5, [word], 1;\nadd.u32 %r7, %r7, %r5;\n"));
}

/// Findings of a kernel with five blocks of two warps, more blocks than run at a time, in several orders.
std::vector<std::string> findings_among_blocks(const std::string& body) {
  std::vector<std::string> sentences;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    FindingList findings;
    Racecheck racecheck(findings);
    Program program;
    program.ptx = test::kernel_with(1, body,
                                    ".global .align 4 .u32 count;\n.global .align 4 .u32 word;\n"
                                    ".global .align 4 .u32 sums[512];\n");
    program.shape = {{5, 1, 1}, {64, 1, 1}, 0, false};
    program.options.resident_blocks = 3;
    program.options.schedule_seed = seed;
    program.options.observer = &racecheck;
    test::run_cleanly(program, {Bytes(1024)});
    for (const Finding& finding : findings.all()) sentences.push_back(finding.sentence);
  }
  return sentences;
}

const char* const kOnlyFirst = "setp.ne.u32 %p1, %tid.x, 0;\n@%p1 bra not_first;\n";
const char* const kCountIn = "atom.global.inc.u32 %r5, [count], 4;\nsetp.ne.u32 %p2, %r5, 4;\n@%p2 bra not_last;\n";

TEST(Racecheck, LastBlockMayOverwriteWhatAllHaveReadButNoOther) {
  const std::string all_read = "ld.global.u32 %r6, [word];\nbar.sync 0;\n";
  const std::string end = "st.global.u32 [word], %r5;\nnot_last:\nnot_first:\n";
  EXPECT_EQ(findings_among_blocks(all_read + kOnlyFirst + "membar.gl;\n" + kCountIn + "membar.gl;\n" + end),
            std::vector<std::string>());
  EXPECT_NE(findings_among_blocks(all_read + kOnlyFirst + end), std::vector<std::string>());
  EXPECT_NE(findings_among_blocks("ld.global.u32 %r6, [word];\n" + std::string(kOnlyFirst) + "membar.gl;\n" + kCountIn +
                                  "membar.gl;\n" + end),
            std::vector<std::string>())
      << "the other warp of the last block may still have to read it";
}

TEST(Racecheck, FollowsWhatBlocksTellOfTheirReadsSoFarOnlyAndSaysSo) {
  struct Outcome {
    std::size_t findings;
    std::vector<std::string> unchecked;
  };
  const auto outcome = [](std::uint32_t times) {
    FindingList findings;
    Racecheck racecheck(findings);
    Program program;
    program.ptx = test::kernel_with(
        1,
        "ld.global.u32 %r6, [read];\nmov.u32 %r7, 0;\nmul.wide.u32 %rd5, %r0, 4;\nmov.u64 %rd6, words;\n"
        "add.s64 %rd5, %rd6, %rd5;\nLOOP:\natom.global.exch.b32 %r5, [%rd5], %r6;\nadd.u32 %r6, %r6, %r5;\n"
        "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, " +
            std::to_string(times) + ";\n@%p1 bra LOOP;\nst.global.u32 [written], %r0;\n",
        ".global .align 4 .u32 read;\n.global .align 4 .u32 written;\n.global .align 4 .u32 words[32];\n");
    program.shape = {{16, 1, 1}, {32, 1, 1}, 0, false};
    program.options.observer = &racecheck;
    test::run_cleanly(program, {Bytes(1024)});
    return Outcome{findings.all().size(), racecheck.unchecked()};
  };
  const Outcome few = outcome(4), many = outcome(256);
  EXPECT_EQ(few.unchecked, std::vector<std::string>());
  EXPECT_TRUE(all_contain(many.unchecked, "tell each other more often of what they have read"));
  EXPECT_GT(few.findings, 0u);
  EXPECT_EQ(many.findings, few.findings) << "races between writes do not depend on what is read";
}

TEST(Racecheck, EveryThreadsFenceCountsBehindABarrierWhereOneThreadCountsItsBlockIn) {
  const std::string all_write =
      "mov.u32 %r7, %ctaid.x;\nmad.lo.u32 %r7, %r7, 64, %r0;\nand.b32 %r7, %r7, 511;\nmul.wide.u32 %rd5, %r7, 4;\n"
      "mov.u64 %rd6, sums;\nadd.s64 %rd5, %rd6, %rd5;\nst.global.u32 [%rd5], %r0;\n";
  const std::string last_reads =
      std::string(kOnlyFirst) + kCountIn + "membar.gl;\nld.global.u32 %r6, [sums+200];\nnot_last:\nnot_first:\n";
  EXPECT_EQ(findings_among_blocks(all_write + "membar.gl;\nbar.sync 0;\n" + last_reads), std::vector<std::string>());
  EXPECT_NE(findings_among_blocks(all_write + "bar.sync 0;\n" + last_reads), std::vector<std::string>());
  EXPECT_NE(findings_among_blocks(all_write + "membar.gl;\n" + last_reads), std::vector<std::string>());
}

TEST(Racecheck, WhoArrivesAtABarrierWithoutWaitingLearnsNothingThere) {
  const auto between_warps = [](const std::string& arrives, const std::string& waits) {
    const std::string body =
        "setp.lt.u32 %p1, %r0, 32;\n@!%p1 bra waits;\n" + arrives + "bra done;\nwaits:\n" + waits + "done:\n";
    return findings_among_blocks(
        "mov.u32 %r7, %ctaid.x;\nmul.wide.u32 %rd5, %r7, 4;\nmov.u64 %rd6, sums;\n"
        "add.s64 %rd5, %rd6, %rd5;\n" +
        body);
  };
  const std::string arrive = "bar.arrive 1, 64;\n", wait = "bar.sync 1, 64;\n";
  const std::string write = "st.global.u32 [%rd5], %r7;\n", read = "ld.global.u32 %r6, [%rd5];\n";
  EXPECT_EQ(between_warps(write + arrive, wait + read), std::vector<std::string>());
  EXPECT_NE(between_warps(arrive + write, wait + read), std::vector<std::string>()) << "it may be written later";
  EXPECT_NE(between_warps(arrive + read, write + wait), std::vector<std::string>()) << "it may be read before";
  EXPECT_EQ(between_warps(wait + read, write + wait), std::vector<std::string>());
  EXPECT_EQ(between_warps(write + arrive + "bar.sync 2, 64;\n" + read, wait + write + "bar.sync 2, 64;\n"),
            std::vector<std::string>())
      << "and waits at the next one";
}

TEST(Racecheck, GuessForASwapMayStandAnywhereInAnArray) {
  const std::string loop =
      "mov.u64 %rd5, sums;\nld.global.u32 %r5, [%rd5+16];\nadd.s64 %rd6, %rd5, 16;\nagain:\nadd.u32 %r6, %r5, 1;\n"
      "atom.global.cas.b32 %r7, [%rd6], %r5, %r6;\nsetp.ne.u32 %p1, %r7, %r5;\nmov.u32 %r5, %r7;\n@%p1 bra again;\n";
  EXPECT_EQ(findings_among_blocks(loop), std::vector<std::string>());
}

TEST(Racecheck, WhatNoSwapComparesWithIsNoGuess) {
  const std::string poll =
      "mov.u64 %rd5, sums;\nld.global.u32 %r5, [%rd5];\nmov.u32 %r6, 7;\n"
      "atom.global.cas.b32 %r7, [%rd5], %r6, 8;\nadd.u32 %r8, %r7, %r5;\n";
  EXPECT_NE(findings_among_blocks(poll), std::vector<std::string>());
}

TEST(Racecheck, SaysWhetherRaceFreeKernelsDependOnTheOrder) {
  const auto depends = [](const std::string& body) {
    FindingList findings;
    Racecheck racecheck(findings);
    Program program;
    program.ptx = test::kernel_with(1, body, ".global .align 4 .u32 word;\n");
    program.options.observer = &racecheck;
    test::run_cleanly(program, {Bytes(1024)});
    return racecheck.depends_on_order();
  };
  EXPECT_FALSE(depends("ld.global.u32 %r5, [word];\nadd.u32 %r6, %r5, 1;\n"));
  EXPECT_FALSE(depends("red.global.add.u32 [word], 1;\natom.global.add.u32 %r5, [word], 1;\n")) << "nobody looks";
  EXPECT_TRUE(depends("atom.global.add.u32 %r5, [word], 1;\nadd.u32 %r6, %r5, 1;\n"));
  EXPECT_TRUE(depends("atom.global.add.u32 %r5, [word], %r5;\n")) << "it is its own next operand";
  EXPECT_TRUE(depends("ld.volatile.global.u32 %r5, [word];\n"));
  EXPECT_TRUE(depends("st.relaxed.gpu.global.u32 [word], 0;\n")) << "the last one wins";
  EXPECT_TRUE(depends("ld.relaxed.gpu.global.u32 %r5, [word];\n"));
}

}  // namespace
}  // namespace vgpu
