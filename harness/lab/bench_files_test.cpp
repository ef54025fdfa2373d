// Roofs and modelled times come back as they were written; mistakes in them are said.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "harness/lab/modelled.h"
#include "harness/lab/roofs.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class BenchFiles : public ::testing::Test {
 protected:
  ~BenchFiles() override { fs::remove(file_); }

  const fs::path& with(const std::string& content) {
    std::ofstream(file_) << content;
    return file_;
  }

  const fs::path file_ =
      fs::temp_directory_path() / ("lanewise_bench_files_test_" + std::to_string(getpid()) + ".toml");
};

TEST_F(BenchFiles, RoofsComeBack) {
  const MeasuredRoofs h200{"NVIDIA H200", "580.95.05", "13.0", "2026-11-22", 4.6e12, 4.298e12, 4.31e12, 59.5e12};
  const auto roofs = read_roofs(with(roofs_text({h200})));
  ASSERT_TRUE(roofs) << roofs.sentence();
  const MeasuredRoofs* const found = find_roofs(*roofs, "NVIDIA H200");
  ASSERT_NE(found, nullptr);
  EXPECT_DOUBLE_EQ(found->read, 4.6e12);
  EXPECT_DOUBLE_EQ(found->copy, 4.298e12);
  EXPECT_DOUBLE_EQ(found->triad, 4.31e12);
  EXPECT_DOUBLE_EQ(found->ffma, 59.5e12);
  EXPECT_EQ(found->date, "2026-11-22");
  EXPECT_EQ(find_roofs(*roofs, "NVIDIA A100"), nullptr);
}

TEST(Bandwidth, FollowsTheShareOfWrites) {
  MeasuredRoofs roofs;
  roofs.read = 4.5e12;
  roofs.triad = 4.4e12;
  roofs.copy = 4.2e12;
  EXPECT_DOUBLE_EQ(bandwidth(roofs, 0), 4.5e12);
  EXPECT_NEAR(bandwidth(roofs, 1.0 / 3), 4.4e12, 1);
  EXPECT_DOUBLE_EQ(bandwidth(roofs, 0.5), 4.2e12);
  EXPECT_DOUBLE_EQ(bandwidth(roofs, 1), 4.2e12) << "beyond a half nothing was measured";
  double faster = bandwidth(roofs, 0);
  for (double share = 0.05; share <= 0.5; share += 0.05) {
    EXPECT_LT(bandwidth(roofs, share), faster) << share;
    faster = bandwidth(roofs, share);
  }
  roofs.triad = 0;
  EXPECT_EQ(bandwidth(roofs, 0.25), 0) << "not measured";
}

TEST_F(BenchFiles, RoofsAreReplacedByDevice) {
  MeasuredRoofs first;
  first.gpu = "first";
  MeasuredRoofs second;
  second.gpu = "second";
  second.copy = 1e9;
  const auto roofs = with_roofs(with_roofs({first}, second), second);
  ASSERT_EQ(roofs.size(), 2U);
  EXPECT_EQ(roofs[1].copy, 1e9);
}

TEST_F(BenchFiles, ModelledTimesComeBack) {
  const ModelledTask scan{
      "scan",
      "a \"case\"",
      "h200",
      "nvcc 13.0.88",
      {{"1_naive.cu", 12345, 2345, "memory", 2345, {"l2_sectors, small"}}, {"2.cu", 7, 6, "", 0, {}}},
      "large"};
  const auto tasks = read_modelled(with(modelled_text({scan})));
  ASSERT_TRUE(tasks) << tasks.sentence();
  const ModelledTask* const found = find_modelled(*tasks, "scan");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->case_name, "a \"case\"");
  EXPECT_EQ(found->compiler, "nvcc 13.0.88");
  ASSERT_EQ(found->steps.size(), 2U);
  EXPECT_EQ(found->steps[0].nanoseconds, 12345);
  EXPECT_EQ(found->steps[0].bound_by, "memory");
  EXPECT_EQ(found->steps[0].at_scale, 2345);
  EXPECT_EQ(found->steps[0].scored, 2345);
  EXPECT_EQ(found->steps[0].goals, std::vector<std::string>{"l2_sectors, small"});
  EXPECT_EQ(found->scored_case, "large");
  EXPECT_EQ(found->steps[1].bound_by, "");
  EXPECT_EQ(found->steps[1].scored, 0) << "a lab without points of fast";
  EXPECT_EQ(with_modelled(*tasks, scan).size(), 1U);
}

TEST_F(BenchFiles, AbsentMeansNothingIsKnown) {
  EXPECT_TRUE(read_roofs(file_)->empty());
  EXPECT_TRUE(read_modelled(file_)->empty());
}

TEST_F(BenchFiles, MistakesNameTheLine) {
  const auto roofs = read_roofs(with("[[roofs]]\ngpu = \"x\"\nspeed = 3\n"));
  ASSERT_FALSE(roofs);
  EXPECT_EQ(roofs.sentence().rfind(file_.string() + ":3: ", 0), 0U) << roofs.sentence();
  const auto modelled = read_modelled(
      with("[[task]]\nname = \"x\"\ncase = \"x\"\nprofile = \"x\"\ncompiler = \"x\"\n[[task.step]]\nstep = \"x\"\n"
           "nanoseconds = 0\n"));
  ASSERT_FALSE(modelled);
  EXPECT_EQ(modelled.sentence().rfind(file_.string() + ":8: ", 0), 0U) << modelled.sentence();
}

}  // namespace
}  // namespace lanewise
