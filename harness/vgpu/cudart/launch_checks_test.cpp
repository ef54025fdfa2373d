// Which launches may begin, what is said of the others, and how many blocks are under way at the same time.
#include "harness/vgpu/cudart/launch_checks.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "harness/vgpu/machine/loaded_module.h"
#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

/// A kernel with 1,000 bytes of static shared memory on an H200.
class Launches : public ::testing::Test {
 protected:
  Launches() {
    std::string problem;
    memory_ = AddressSpace::reserve(0x200000000000, std::uint64_t{64} << 20, problem);
    auto loaded = LoadedModule::load(
        module_with(".shared .align 4 .b8 tile[1000];\n.visible .entry plain()\n{\nst.shared.u32 [tile], 1;\nret;\n}\n"
                    ".visible .entry shaped()\n.reqntid 16, 8, 1\n{\nret;\n}\n"
                    ".visible .entry bounded()\n.maxclusterrank 4\n{\nret;\n}\n"
                    ".visible .entry explicit()\n.explicitcluster\n{\nret;\n}\n"),
        *memory_);
    module_ = std::move(std::get<std::unique_ptr<LoadedModule>>(loaded));
  }
  const Kernel& kernel(const char* name = "plain") { return *module_->kernel(name, false); }

  std::unique_ptr<AddressSpace> memory_;
  std::unique_ptr<LoadedModule> module_;
  const DeviceProfile profile_ = std::get<DeviceProfile>(load_profile("h200"));
  const KernelLimits limits_{32, 1024, 48 * 1024 - 1000};
};

TEST_F(Launches, WithinAllLimitsAreFine) {
  const LaunchShape kShapes[] = {
      {{1, 1, 1}, {1, 1, 1}, 0, false},
      {{2147483647, 65535, 65535}, {1024, 1, 1}, 0, false},
      {{1, 1, 1}, {1, 1024, 1}, 0, false},
      {{1, 1, 1}, {4, 4, 64}, 0, false},
      {{1, 1, 1}, {32, 1, 1}, 48 * 1024 - 1000, false},
      {{132 * 2, 1, 1}, {1024, 1, 1}, 0, true},  // 2,048 threads a multiprocessor, 132 of these
  };
  for (const LaunchShape& shape : kShapes) EXPECT_EQ(launch_problem(profile_, kernel(), limits_, shape), "");
}

TEST_F(Launches, WithBlocksAndThreadsSwappedAreAskedAboutTheirOrder) {
  EXPECT_NE(refused_launch_advice({{256, 1, 1}, {7813, 1, 1}, 0, false}).find("in that order?"), std::string::npos);
  EXPECT_EQ(refused_launch_advice({{977, 1, 1}, {0, 1, 1}, 0, false}), "");
  EXPECT_EQ(refused_launch_advice({{1, 1, 1}, {2048, 1, 1}, 0, false}), "") << "a block too large for a single one";
  EXPECT_EQ(refused_launch_advice({{7813, 1, 1}, {2048, 1, 1}, 0, false}), "") << "too many for a block";
}

TEST_F(Launches, BeyondALimitAreRefusedWithWhatWouldDo) {
  const struct {
    LaunchShape shape;
    std::vector<const char*> words;
  } kRows[] = {
      {{{1, 1, 1}, {0, 1, 1}, 0, false}, {"block is empty", "0 x 1 x 1"}},
      {{{1, 0, 1}, {32, 1, 1}, 0, false}, {"grid is empty"}},
      {{{1, 1, 1}, {1025, 1, 1}, 0, false}, {"1025 threads", "at most 1024"}},
      {{{1, 1, 1}, {32, 33, 1}, 0, false}, {"1056 threads", "32 x 33 x 1", "at most 1024"}},
      {{{1, 1, 1}, {1, 1, 65}, 0, false}, {"1 x 1 x 65", "1024 x 1024 x 64"}},
      {{{1, 65536, 1}, {32, 1, 1}, 0, false}, {"1 x 65536 x 1 blocks", "2147483647 x 65535 x 65535"}},
      {{{1, 1, 65536}, {32, 1, 1}, 0, false}, {"blocks; at most"}},
      {{{2147483648u, 1, 1}, {32, 1, 1}, 0, false}, {"blocks; at most"}},
      {{{1, 1, 1}, {32, 1, 1}, 48 * 1024, false},
       {"49152 bytes of dynamic shared memory", "48152 are allowed", "cudaFuncSetAttribute", "231448"}},
      {{{1, 1, 1}, {32, 1, 1}, 256 * 1024, false},
       {"262144 bytes of dynamic shared memory", "a block of this kernel can have 231448 at most"}},
      {{{132 * 2 + 1, 1, 1}, {1024, 1, 1}, 0, true}, {"cooperative grid of 265 blocks", "264 fit"}},
  };
  for (const auto& row : kRows) {
    const std::string problem = launch_problem(profile_, kernel(), limits_, row.shape);
    for (const char* words : row.words)
      EXPECT_NE(problem.find(words), std::string::npos) << words << " is not in: " << problem;
  }
}

TEST_F(Launches, KeepToWhatTheKernelAsksFor) {
  const LaunchShape shape{{1, 1, 1}, {512, 1, 1}, 0, false};
  EXPECT_NE(launch_problem(profile_, kernel(), {32, 256, 0}, shape).find("__launch_bounds__"), std::string::npos);
  EXPECT_EQ(launch_problem(profile_, kernel("shaped"), limits_, {{1, 1, 1}, {16, 8, 1}, 0, false}), "");
  EXPECT_NE(launch_problem(profile_, kernel("shaped"), limits_, {{1, 1, 1}, {128, 1, 1}, 0, false})
                .find("exactly 16 x 8 x 1"),
            std::string::npos);
  // 1,024 threads of 65 registers are more than the 65,536 a block can have.
  EXPECT_NE(launch_problem(profile_, kernel(), {65, 1024, 0}, {{1, 1, 1}, {1024, 1, 1}, 0, false}).find("65 registers"),
            std::string::npos);
  EXPECT_EQ(launch_problem(profile_, kernel(), {64, 1024, 0}, {{1, 1, 1}, {1024, 1, 1}, 0, false}), "");
}

TEST_F(Launches, OfClustersAreRefusedUnlessTheyAreWholeAndSmallEnough) {
  KernelLimits limits = limits_;
  limits.max_cluster = kPortableCluster;
  const auto problem = [&](Extent3 grid, Extent3 cluster, const char* name = "plain", bool has_cluster = true) {
    return cluster_problem(profile_, kernel(name), limits, {grid, {32, 1, 1}, 0, false, has_cluster, cluster});
  };
  const auto expect = [](const std::string& words, const std::string& in) {
    EXPECT_NE(in.find(words), std::string::npos) << words << " is not in: " << in;
  };
  EXPECT_EQ(problem({8, 6, 1}, {4, 2, 1}), "");
  EXPECT_EQ(problem({7, 1, 1}, {1, 1, 1}), "");
  expect("cannot be divided into clusters of 4 x 1 x 1", problem({6, 1, 1}, {4, 1, 1}));
  expect("cannot be divided into clusters", problem({8, 3, 1}, {1, 2, 1}));
  expect("is empty", problem({8, 1, 1}, {0, 1, 1}));
  expect("at most 8 are allowed (cudaFuncSetAttribute", problem({16, 1, 1}, {16, 1, 1}));
  expect("at most 8 are allowed", problem({1, 1, 1}, {65536, 65536, 65536}));
  expect("at most 4 are allowed by the kernel's __launch_bounds__", problem({8, 1, 1}, {8, 1, 1}, "bounded"));
  expect("has none", problem({8, 1, 1}, {1, 1, 1}, "explicit", false));
  limits.required_cluster[0] = 2, limits.required_cluster[1] = limits.required_cluster[2] = 1;
  expect("exactly 2 x 1 x 1 blocks; the launch asks for 4 x 1 x 1", problem({8, 1, 1}, {4, 1, 1}));
  EXPECT_EQ(problem({8, 1, 1}, {2, 1, 1}), "");
  limits = limits_;
  expect("on this device", problem({8, 1, 1}, {2, 1, 1}));
  limits.max_cluster = kLargestCluster;
  EXPECT_EQ(problem({32, 1, 1}, {16, 1, 1}), "");
  expect("at most 16 are allowed", problem({34, 1, 1}, {17, 1, 1}));
  // 132 blocks of 1,024 threads and 64 registers: eight clusters of 16.
  EXPECT_EQ(resident_blocks(profile_, kernel(), {64, 1024, 0}, {{160, 1, 1}, {1024, 1, 1}, 0, false, true, {16, 1, 1}}),
            8 * 16u);
}

TEST_F(Launches, RunAsManyBlocksAtATimeAsFitOnTheDevice) {
  const auto resident = [&](std::uint32_t registers, std::uint32_t threads, std::uint32_t dynamic_shared) {
    return resident_blocks(profile_, kernel(), {registers, 1024, 232448},
                           {{1000000, 1, 1}, {threads, 1, 1}, dynamic_shared, false});
  };
  EXPECT_EQ(resident(32, 1024, 0), 132 * 2u);
  EXPECT_EQ(resident(32, 32, 0), 132 * 32u);       // blocks of a multiprocessor
  EXPECT_EQ(resident(64, 1024, 0), 132 * 1u);      // registers
  EXPECT_EQ(resident(16, 64, 100'000), 132 * 2u);  // shared memory: 101,000 and 1,024 bytes of 233,472
  EXPECT_EQ(resident(255, 1024, 0), 1u);           // does not fit; never less than one
}

}  // namespace
}  // namespace vgpu::test
