// vgpu_sweep as anybody would run it, over sources that show what it says when something is not as it should be.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/vgpu/sweep/command.h"

namespace vgpu::sweep {
namespace {

namespace fs = std::filesystem;

class SweepFlow : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  /// The source of a program with this kernel, which gets n + 1 ints, the last of which nobody looks at.
  fs::path source(const std::string& kernel) {
    fs::path path = folder_ / "source.cu";
    std::ofstream(path) << kernel << R"(
int main() {
  constexpr int kCount = 40;
  int *data, got[kCount];
  if (cudaMalloc(&data, (kCount + 1) * sizeof(int)) != cudaSuccess) return 2;
  kernel<<<2, 32>>>(data, kCount);
  if (cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  for (int i = 0; i < kCount; ++i)
    if (got[i] != i) return 1;
  return 0;
}
)";
    return path;
  }

  int run(std::vector<std::string> arguments) {
    Command command{{VGPU_SWEEP_EXECUTABLE}, {}, folder_ / "output.txt", std::chrono::minutes(4)};
    command.words.insert(command.words.end(), arguments.begin(), arguments.end());
    const Ended ended = sweep::run(command);
    output_ = read_file(command.output);
    return WIFEXITED(ended.status) ? WEXITSTATUS(ended.status) : -1;
  }
  bool says(const std::string& text) const { return output_.find(text) != std::string::npos; }

  fs::path folder_ = fs::path(::testing::TempDir()) / ("sweep_flow_" + std::to_string(getpid()));
  std::string output_;
};

const char* const kKernel =
    "__global__ void kernel(int* data, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) data[i] = i;\n"
    "}\n";

TEST_F(SweepFlow, ASurvivorIsNamedAndFailsTheRun) {
  const fs::path json = folder_ / "sweep.json", markdown = folder_ / "sweep.md";
  EXPECT_EQ(run({source(kKernel), "--json", json, "--markdown", markdown}), 1) << output_;
  EXPECT_TRUE(says("source.cu:3: 'shift-bound 1' in kernel: <  ->  <=")) << output_;  // data[n] is there
  EXPECT_TRUE(says("3 of 4 mutants that change behaviour are found (75.0 %)")) << output_;
  EXPECT_NE(read_file(markdown).find("| source |"), std::string::npos);
  const auto all = nlohmann::json::parse(read_file(json));
  ASSERT_EQ(all["mutants"].size(), 4u);
  EXPECT_EQ(all["mutants"][0]["fate"], "survived");
  EXPECT_EQ(all["mutants"][1]["operator"], "widen-index");
  EXPECT_EQ(all["mutants"][1]["wrong_output"], true);
  EXPECT_EQ(all["mutants"][3]["operator"], "drop-guard");
  EXPECT_EQ(all["mutants"][3]["checkers"][0], "memcheck");
}

TEST_F(SweepFlow, ADeclaredSurvivorIsFineAndAWrongDeclarationIsNot) {
  std::string kernel = kKernel;
  const auto mark = [&](const std::string& marker) {
    return std::string(kKernel).insert(kernel.find("  if"), "  // sweep: equivalent " + marker + "\n");
  };
  EXPECT_EQ(run({source(mark("shift-bound 1: data has an element more"))}), 0) << output_;
  EXPECT_TRUE(says("(100.0 %)")) << output_;
  EXPECT_EQ(run({source(mark("drop-guard 1: no reason"))}), 1) << output_;
  EXPECT_TRUE(says("source.cu:3: 'drop-guard 1' is marked as equivalent but is found")) << output_;
  EXPECT_EQ(run({source(mark("drop-guard 2: no reason"))}), 3) << output_;
  EXPECT_TRUE(says("source.cu:3: line 4 has no mutation 'drop-guard 2'")) << output_;
}

TEST_F(SweepFlow, ASourceThatIsWrongOrDoesNotCompileIsRefused) {
  EXPECT_EQ(run({source("__global__ void kernel(int* data, int n) { data[threadIdx.x] = n; }\n")}), 1) << output_;
  EXPECT_TRUE(says("the unchanged source is not right")) << output_;
  EXPECT_EQ(run({source("__global__ void kernel(int* data, int n) { data[0] = unknown; }\n")}), 3) << output_;
  EXPECT_TRUE(says("does not compile")) << output_;
  EXPECT_TRUE(says("\"unknown\" is undefined")) << output_;
}

TEST_F(SweepFlow, HelpHasExamplesAndUsageErrorsAreTwo) {
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_TRUE(says("Examples:"));
  EXPECT_EQ(run({"no_such_file.cu"}), 2);
  EXPECT_EQ(run({"--jobs", "0"}), 2);
}

}  // namespace
}  // namespace vgpu::sweep
