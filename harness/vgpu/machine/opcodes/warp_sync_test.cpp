// What lanes of a warp tell each other: shuffles, votes, matches and reductions over whole and partial warps, with one
// member mask or several in one instruction, and between lanes that come from different branches.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/edge_values.h"
#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

/// What the lanes of one warp bring to an instruction.
struct WarpInput {
  std::array<U64, 32> a{};
  std::array<U32, 32> b{}, c{}, members{};
  U32 lanes = ~0u;  ///< that execute the instruction
};

/// What they take away.
struct WarpOutput {
  std::array<U32, 32> d{};
  std::array<bool, 32> p{};
};

constexpr U32 kOldValue = 0xDEAD0000;

/// Executes `code` once for every input, one block each. Registers: %a (b64), %al (its low word), %b, %c, %m (the
/// member mask), %q (whether %a is odd); results in %d and %p. Lanes are kept out by a branch or by a guard.
std::vector<WarpOutput> run_warps(const std::string& code, const std::vector<WarpInput>& inputs, bool by_guard) {
  std::vector<U64> cells;
  for (const WarpInput& input : inputs)
    for (std::size_t lane = 0; lane < 32; ++lane) {
      cells.push_back(input.a[lane]);
      cells.push_back(U64{input.c[lane]} << 32 | input.b[lane]);
      cells.push_back(U64{input.lanes} << 32 | input.members[lane]);
    }
  Program program;
  program.ptx = kernel_with(
      2,
      ".reg .b64 %a;\n.reg .b32 %al, %b, %c, %m, %d;\n.reg .pred %q, %p, %in;\n"
      "mul.wide.u32 %rd5, %r1, 24;\nadd.u64 %rd5, %rd5, %rd1;\nld.global.b64 %a, [%rd5];\nld.global.v2.b32 {%b, %c}, "
      "[%rd5+8];\n"
      "ld.global.v2.b32 {%m, %r5}, [%rd5+16];\ncvt.u32.u64 %al, %a;\nand.b32 %r6, %al, 1;\nsetp.ne.u32 %q, %r6, 0;\n"
      "shr.u32 %r5, %r5, %r0;\nand.b32 %r5, %r5, 1;\nsetp.ne.u32 %in, %r5, 0;\nmov.u32 %d, 0xDEAD0000;\nsetp.ne.u32 "
      "%p, %r0, %r0;\n" +
          std::string(by_guard ? "@%in " : "@!%in bra SKIP;\n") + code +
          "\nSKIP:\nselp.b32 %r7, 1, 0, %p;\nmul.wide.u32 %rd6, %r1, 8;\nadd.u64 %rd6, %rd6, %rd0;\nst.global.v2.b32 "
          "[%rd6], {%d, %r7};\n");
  program.shape.grid.x = static_cast<U32>(inputs.size());
  const std::vector<U32> got = results_of<U32>(program, 64 * inputs.size(), {bytes_of(cells)});
  std::vector<WarpOutput> outputs(inputs.size());
  for (std::size_t i = 0; i < got.size(); i += 2) {
    outputs[i / 64].d[i / 2 % 32] = got[i];
    outputs[i / 64].p[i / 2 % 32] = got[i + 1] != 0;
  }
  return outputs;
}

/// What a lane should get, given the lanes that take part together with it; `wanted` is false where PTX leaves it open.
struct LaneResult {
  U32 d = kOldValue;
  bool p = false;
  bool wanted = true;
};
using LaneReference = std::function<LaneResult(const WarpInput& input, int lane, U32 together)>;

void check_warps(const std::string& code, const std::vector<WarpInput>& inputs, const LaneReference& reference) {
  for (const bool by_guard : {false, true}) {
    const std::vector<WarpOutput> outputs = run_warps(code, inputs, by_guard);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      for (int lane = 0; lane < 32; ++lane) {
        LaneResult expected;
        const U32 members = inputs[i].members[static_cast<std::size_t>(lane)];
        if ((inputs[i].lanes >> lane & 1) != 0) expected = reference(inputs[i], lane, members & inputs[i].lanes);
        if (!expected.wanted) continue;
        const auto at = static_cast<std::size_t>(lane);
        ASSERT_EQ(outputs[i].d[at], expected.d)
            << code << " input " << i << " lane " << lane << (by_guard ? " guarded" : " branched") << std::hex
            << " members " << members << " lanes " << inputs[i].lanes;
        ASSERT_EQ(outputs[i].p[at], expected.p)
            << code << " input " << i << " lane " << lane << (by_guard ? " guarded" : " branched") << std::hex
            << " members " << members << " lanes " << inputs[i].lanes;
      }
    }
  }
}

/// Warps that take part as a whole, in part, and as several groups at once, each with a member mask of its own: as
/// cooperative groups' tiles do.
std::vector<WarpInput> groupings() {
  std::vector<WarpInput> inputs;
  for (const U32 lanes : {~0u, 0x0000FFFFu, 0xA5C30F71u, 0x80000001u, 0x00010000u}) {
    WarpInput input;
    input.lanes = lanes;
    input.members.fill(lanes);
    inputs.push_back(input);
  }
  for (const int width : {1, 2, 4, 8, 16}) {
    WarpInput input;
    for (int lane = 0; lane < 32; ++lane)
      input.members[static_cast<std::size_t>(lane)] = ((1u << width) - 1) << (lane / width * width);
    inputs.push_back(input);
  }
  WarpInput odd_and_even;
  for (std::size_t lane = 0; lane < 32; ++lane) odd_and_even.members[lane] = lane % 2 == 0 ? 0x55555555 : 0xAAAAAAAA;
  inputs.push_back(odd_and_even);
  return inputs;
}

/// The groupings with several sets of values each: random, all equal, one lane different, few different ones.
std::vector<WarpInput> groupings_with_values() {
  std::vector<WarpInput> inputs;
  Numbers numbers(5);
  for (const WarpInput& grouping : groupings()) {
    for (int kind = 0; kind < 8; ++kind) {
      WarpInput input = grouping;
      for (std::size_t lane = 0; lane < 32; ++lane) {
        const U64 random = numbers.next();
        input.a[lane] = kind == 0   ? random
                        : kind == 1 ? 1
                        : kind == 2 ? 0x7777777700000002u
                        : kind == 3 ? 1 + (lane == 11)
                        : kind == 4 ? (lane == 29)
                                    : random % 3;
        if (kind >= 6) input.a[lane] = (random % 2) << 40 | 5;  // differ in the upper word only
      }
      inputs.push_back(input);
    }
  }
  return inputs;
}

// --- shfl ---

/// The lane whose value is taken, and whether it was in range: the pseudocode of the PTX ISA.
struct Source {
  int lane;
  bool in_range;
};
Source shuffle_source(const std::string& mode, int lane, U32 b, U32 c) {
  const int bval = static_cast<int>(b & 31), cval = static_cast<int>(c & 31), segment = static_cast<int>(c >> 8 & 31);
  const int max_lane = (lane & segment) | (cval & ~segment), min_lane = lane & segment;
  int j = 0;
  bool in_range = false;
  if (mode == "up") j = lane - bval, in_range = j >= max_lane;
  if (mode == "down") j = lane + bval, in_range = j <= max_lane;
  if (mode == "bfly") j = lane ^ bval, in_range = j <= max_lane;
  if (mode == "idx") j = min_lane | (bval & ~segment), in_range = j <= max_lane;
  return {in_range ? j : lane, in_range};
}

LaneReference shuffle_reference(const std::string& mode) {
  return [mode](const WarpInput& input, int lane, U32 together) {
    const auto at = static_cast<std::size_t>(lane);
    const Source source = shuffle_source(mode, lane, input.b[at], input.c[at]);
    // The value of a lane that does not take part is open.
    return LaneResult{static_cast<U32>(input.a[static_cast<std::size_t>(source.lane)]), source.in_range,
                      (together >> source.lane & 1) != 0};
  };
}

TEST(Shuffle, FollowsThePtxIsaForEverySegmentAndClamp) {
  std::vector<WarpInput> inputs;
  Numbers numbers(1);
  for (const U32 segment : {0u, 16u, 24u, 28u, 30u, 31u, 8u})
    for (const U32 clamp : {31u, 0u, 7u, 15u, 13u, 28u})
      for (U32 distance = 0; distance <= 34; ++distance) {
        WarpInput input;
        input.members.fill(~0u);
        for (std::size_t lane = 0; lane < 32; ++lane) {
          input.a[lane] = numbers.next();
          input.b[lane] = distance < 33 ? distance : static_cast<U32>(numbers.next());  // then each lane its own
          input.c[lane] = segment << 8 | clamp;
        }
        inputs.push_back(input);
      }
  for (const char* mode : {"up", "down", "bfly", "idx"})
    check_warps(std::string("shfl.sync.") + mode + ".b32 %d|%p, %al, %b, %c, %m;", inputs, shuffle_reference(mode));
}

TEST(Shuffle, WorksInGroups) {
  std::vector<WarpInput> inputs;
  for (const WarpInput& grouping : groupings_with_values())
    for (const U32 distance : {0u, 1u, 3u, 16u}) {
      WarpInput input = grouping;
      input.b.fill(distance);
      input.c.fill(0x1F);
      inputs.push_back(input);
    }
  for (const char* mode : {"bfly", "idx", "down"})
    check_warps(std::string("shfl.sync.") + mode + ".b32 %d|%p, %al, %b, %c, %m;", inputs, shuffle_reference(mode));
}

TEST(Shuffle, NeedsNoPredicate) {
  WarpInput input;
  input.members.fill(~0u);
  for (std::size_t lane = 0; lane < 32; ++lane) input.a[lane] = 100 + lane;
  check_warps("shfl.sync.idx.b32 %d, %al, 7, 0x1F, -1;", {input}, [](const WarpInput&, int, U32) {
    return LaneResult{107, false};
  });
  check_warps("shfl.sync.up.b32 %d, %al, 1, 0, %m;", {input}, [](const WarpInput&, int lane, U32) {
    return LaneResult{100 + static_cast<U32>(lane == 0 ? 0 : lane - 1), false};
  });
}

// --- vote, match, redux, elect ---

U32 lanes_with(const WarpInput& input, U32 together, const std::function<bool(U64)>& holds) {
  U32 lanes = 0;
  for (int lane = 0; lane < 32; ++lane)
    if ((together >> lane & 1) != 0 && holds(input.a[static_cast<std::size_t>(lane)])) lanes |= 1u << lane;
  return lanes;
}

TEST(Votes, CountTheMembersOnly) {
  const std::vector<WarpInput> inputs = groupings_with_values();
  for (const bool negated : {false, true}) {
    const std::string q = negated ? "!%q" : "%q";
    const auto yes = [=](const WarpInput& input, U32 together) {
      return lanes_with(input, together, [=](U64 a) { return ((a & 1) != 0) != negated; });
    };
    check_warps("vote.sync.all.pred %p, " + q + ", %m;", inputs, [=](const WarpInput& input, int, U32 together) {
      return LaneResult{kOldValue, yes(input, together) == together};
    });
    check_warps("vote.sync.any.pred %p, " + q + ", %m;", inputs, [=](const WarpInput& input, int, U32 together) {
      return LaneResult{kOldValue, yes(input, together) != 0};
    });
    check_warps("vote.sync.uni.pred %p, " + q + ", %m;", inputs, [=](const WarpInput& input, int, U32 together) {
      return LaneResult{kOldValue, yes(input, together) == 0 || yes(input, together) == together};
    });
    check_warps("vote.sync.ballot.b32 %d, " + q + ", %m;", inputs, [=](const WarpInput& input, int, U32 together) {
      return LaneResult{yes(input, together), false};
    });
  }
}

TEST(Match, FindsTheMembersWithTheSameValue) {
  const std::vector<WarpInput> inputs = groupings_with_values();
  for (const bool wide : {false, true}) {
    const std::string operand = wide ? "%a" : "%al";
    const std::string type = wide ? "b64" : "b32";
    const U64 bits = wide ? ~0ull : 0xFFFFFFFFull;
    const auto same = [=](const WarpInput& input, int lane, U32 together) {
      const U64 own = input.a[static_cast<std::size_t>(lane)] & bits;
      return lanes_with(input, together, [=](U64 a) { return (a & bits) == own; });
    };
    check_warps("match.any.sync." + type + " %d, " + operand + ", %m;", inputs,
                [=](const WarpInput& input, int lane, U32 together) {
                  return LaneResult{same(input, lane, together), false};
                });
    check_warps("match.all.sync." + type + " %d|%p, " + operand + ", %m;", inputs,
                [=](const WarpInput& input, int lane, U32 together) {
                  const bool all = same(input, lane, together) == together;
                  return LaneResult{all ? together : 0, all};
                });
  }
}

TEST(Redux, ReducesOverTheMembers) {
  struct Reduction {
    const char* name;
    U32 (*apply)(U32, U32);
  };
  const Reduction kReductions[] = {
      {"add.u32", [](U32 a, U32 b) { return a + b; }},
      {"add.s32", [](U32 a, U32 b) { return a + b; }},
      {"min.u32", [](U32 a, U32 b) { return a < b ? a : b; }},
      {"max.u32", [](U32 a, U32 b) { return a > b ? a : b; }},
      {"min.s32", [](U32 a, U32 b) { return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b; }},
      {"max.s32", [](U32 a, U32 b) { return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b; }},
      {"and.b32", [](U32 a, U32 b) { return a & b; }},
      {"or.b32", [](U32 a, U32 b) { return a | b; }},
      {"xor.b32", [](U32 a, U32 b) { return a ^ b; }},
  };
  const std::vector<WarpInput> inputs = groupings_with_values();
  for (const Reduction& reduction : kReductions)
    check_warps(std::string("redux.sync.") + reduction.name + " %d, %al, %m;", inputs,
                [&](const WarpInput& input, int, U32 together) {
                  LaneResult result;
                  bool first = true;
                  for (std::size_t lane = 0; lane < 32; ++lane) {
                    if ((together >> lane & 1) == 0) continue;
                    const auto value = static_cast<U32>(input.a[lane]);
                    result.d = first ? value : reduction.apply(result.d, value);
                    first = false;
                  }
                  return result;
                });
}

TEST(Elect, ChoosesOneLaneOfTheMembers) {
  check_warps("elect.sync %d|%p, %m;", groupings(), [](const WarpInput&, int lane, U32 together) {
    const int leader = __builtin_ctz(together);
    return LaneResult{static_cast<U32>(leader), lane == leader};
  });
  check_warps("elect.sync _|%p, %m;", groupings(), [](const WarpInput&, int lane, U32 together) {
    return LaneResult{kOldValue, lane == __builtin_ctz(together)};
  });
}

TEST(Activemask, HoldsTheLanesThatExecuteIt) {
  std::vector<WarpInput> inputs;
  for (const U32 lanes : {~0u, 0xA5C30F71u, 1u}) {
    WarpInput input;
    input.lanes = lanes;
    inputs.push_back(input);
  }
  check_warps("activemask.b32 %d;", inputs, [](const WarpInput& input, int, U32) {
    return LaneResult{input.lanes, false};
  });
}

// --- lanes that come from different places ---

TEST(WarpSync, LanesMeetFromBothSidesOfABranch) {
  // Odd lanes execute one shfl, even ones another: __shfl_xor_sync in both branches of an if.
  Program program;
  program.ptx = kernel_with(1,
                            "mul.wide.u32 %rd5, %r0, 4;\nadd.u64 %rd5, %rd5, %rd0;\nand.b32 %r5, %r0, 1;\nsetp.ne.u32 "
                            "%p1, %r5, 0;\n@%p1 bra ODD;\n"
                            "add.u32 %r6, %r0, 1000;\nshfl.sync.bfly.b32 %r7, %r6, 1, 0x1F, -1;\nvote.sync.ballot.b32 "
                            "%r8, %p1, -1;\nredux.sync.add.u32 %r9, %r0, -1;\n"
                            "bra JOIN;\nODD:\nadd.u32 %r6, %r0, 2000;\nshfl.sync.bfly.b32 %r7, %r6, 1, 0x1F, "
                            "-1;\nvote.sync.ballot.b32 %r8, %p1, -1;\n"
                            "redux.sync.add.u32 %r9, %r0, -1;\nJOIN:\nadd.u32 %r7, %r7, %r8;\nadd.u32 %r7, %r7, "
                            "%r9;\nst.global.u32 [%rd5], %r7;\n");
  const std::vector<U32> got = results_of<U32>(program, 32);
  for (U32 lane = 0; lane < 32; ++lane)
    EXPECT_EQ(got[lane], (lane ^ 1) + (lane % 2 == 0 ? 2000 : 1000) + 0xAAAAAAAAu + 496) << lane;
}

TEST(WarpSync, BarrierInBothBranchesOfAnIf) {
  // The odd lanes store before their __syncwarp, the even ones read after theirs, and the other way round.
  Program program;
  program.ptx = kernel_with(1,
                            "mul.wide.u32 %rd5, %r0, 4;\nadd.u64 %rd6, %rd5, %rd0;\nmov.u32 %r9, tile;\nmad.lo.u32 "
                            "%r5, %r0, 4, %r9;\nxor.b32 %r6, %r0, 1;\n"
                            "mad.lo.u32 %r6, %r6, 4, %r9;\nand.b32 %r7, %r0, 1;\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 bra "
                            "ODD;\nst.shared.u32 [%r5], %r0;\n"
                            "bar.warp.sync -1;\nld.shared.u32 %r8, [%r6];\nbra JOIN;\nODD:\nadd.u32 %r10, %r0, "
                            "100;\nst.shared.u32 [%r5], %r10;\nbar.warp.sync -1;\n"
                            "ld.shared.u32 %r8, [%r6];\nJOIN:\nst.global.u32 [%rd6], %r8;\n",
                            ".shared .align 4 .b32 tile[32];");
  const std::vector<U32> got = results_of<U32>(program, 32);
  for (U32 lane = 0; lane < 32; ++lane) EXPECT_EQ(got[lane], lane % 2 == 0 ? (lane ^ 1) + 100 : lane ^ 1) << lane;
}

TEST(WarpSync, ExitedLanesAreNotWaitedFor) {
  Program program;
  program.ptx = kernel_with(
      1,
      "setp.ge.u32 %p1, %r0, 20;\n@%p1 exit;\nvote.sync.ballot.b32 %r5, %p1, -1;\nredux.sync.add.u32 %r6, 1, -1;\n"
      "shfl.sync.bfly.b32 %r7, %r0, 1, 0x1F, -1;\nadd.u32 %r6, %r6, %r7;\nmul.wide.u32 %rd5, %r0, 4;\nadd.u64 %rd5, "
      "%rd5, %rd0;\n"
      "st.global.u32 [%rd5], %r6;\n");
  const std::vector<U32> got = results_of<U32>(program, 32);
  for (U32 lane = 0; lane < 32; ++lane) EXPECT_EQ(got[lane], lane < 20 ? 20 + (lane ^ 1) : 0) << lane;
}

TEST(WarpSync, PartialWarpsNeedOnlyTheLanesThereAre) {
  for (const U32 threads : {1u, 5u, 31u, 33u, 63u}) {
    Program program;
    program.ptx = kernel_with(1,
                              "redux.sync.add.u32 %r6, 1, -1;\nmul.wide.u32 %rd5, %r0, 4;\nadd.u64 %rd5, %rd5, "
                              "%rd0;\nst.global.u32 [%rd5], %r6;\n");
    program.shape.block.x = threads;
    const std::vector<U32> got = results_of<U32>(program, threads);
    for (U32 t = 0; t < threads; ++t) EXPECT_EQ(got[t], t < threads / 32 * 32 ? 32u : threads % 32) << threads;
  }
}

TEST(WarpSync, WhatIsNotThereIsRefused) {
  for (const char* instruction :
       {"shfl.idx.b32 %r5, %r6, 0, 31;", "vote.all.pred %p1, %p2;", "redux.sync.add.f32 %r5, %r6, -1;",
        "redux.sync.mul.u32 %r5, %r6, -1;", "match.some.sync.b32 %r5, %r6, -1;", "elect.sync %r5, -1;",
        "shfl.sync.left.b32 %r5, %r6, 0, 31, -1;"}) {
    Program program;
    program.ptx = kernel_with(1, instruction);
    EXPECT_NE(run(program, {Bytes(64)}).refusal, "") << instruction;
  }
}

}  // namespace
}  // namespace vgpu::test
