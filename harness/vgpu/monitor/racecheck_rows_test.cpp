// racecheck looks at lanes side by side together. Nobody must be able to tell from what it finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/monitor/racecheck.h"

namespace vgpu::racecheck_rows {
namespace {

using test::Bytes;
using test::Program;

/// Two blocks of two warps read overlapping rows of bytes or words, as stencils do, and write some; `by_lane`: odd and
/// even lanes by themselves, so that there are no rows.
std::string stencil(unsigned seed, bool by_lane) {
  std::mt19937 random(seed);
  const auto pick = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  const bool bytes = pick(2) == 0;
  std::string body = "and.b32 %r2, %r0, 1;\nsetp.ne.u32 %p1, %r2, 0;\nmul.wide.u32 %rd2, %r1, " +
                     std::string(bytes ? "1" : "4") + ";\nadd.u64 %rd1, %rd0, %rd2;\n";
  for (int n = 0; n < 10; ++n) {
    const unsigned offset = (64 + pick(48)) * (bytes ? 1 : 4);
    const std::string at = "[%rd1+" + std::to_string(offset) + "]";
    const bool writes = n > 6 && pick(3) == 0;
    const std::string access = writes ? "st.global." + std::string(bytes ? "u8 " : "u32 ") + at + ", %r3;\n"
                                      : "ld.global." + std::string(bytes ? "u8 " : "u32 ") + "%r3, " + at + ";\n";
    body += by_lane ? "@%p1 " + access + "@!%p1 " + access : access;
    if (pick(8) == 0) body += "bar.sync 0;\n";
  }
  return test::kernel_with(1, body);
}

std::vector<std::string> found(unsigned seed, bool by_lane) {
  Program program;
  program.ptx = stencil(seed, by_lane);
  program.shape = {{2, 1, 1}, {64, 1, 1}, 0, false};
  FindingList findings;
  Racecheck racecheck(findings);
  program.options.observer = &racecheck;
  test::run_cleanly(program, {Bytes(2048)});
  std::vector<std::string> kinds;
  for (const Finding& finding : findings.all()) kinds.push_back(finding.kind + " x " + std::to_string(finding.count));
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

TEST(RacecheckRows, HaveTheRacesOfTheirLanes) {
  std::size_t with_races = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::vector<std::string> by_lane = found(seed, true);
    EXPECT_EQ(found(seed, false), by_lane) << seed;
    with_races += by_lane.empty() ? 0 : 1;
  }
  EXPECT_GT(with_races, 50u);
  EXPECT_LT(with_races, 290u);
}

}  // namespace
}  // namespace vgpu::racecheck_rows
