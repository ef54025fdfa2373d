// The real `lanewise check` and `lanewise nvcc` with each toolchain: the same verdicts, and one sentence where one is
// not there.
#include "grader/commands/check_flow_fixture_test.h"

namespace lanewise::toolchain_flow_test {
namespace {

constexpr const char* kTwice = R"cuda(#include <cstdio>
#ifndef FACTOR
#define FACTOR 2
#endif
__global__ void scale(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= FACTOR;
}
int main() {
  int *d_data, data[100];
  for (int i = 0; i < 100; ++i) data[i] = i;
  cudaMalloc(&d_data, sizeof data);
  cudaMemcpy(d_data, data, sizeof data, cudaMemcpyHostToDevice);
  scale<<<1, 128>>>(d_data, 100);
  cudaMemcpy(data, d_data, sizeof data, cudaMemcpyDeviceToHost);
  cudaFree(d_data);
  std::printf("the last is %d\n", data[99]);
}
)cuda";

class ToolchainFlow : public CheckFlow {
 protected:
  void SetUp() override {
    CheckFlow::SetUp();
    if (!fs::exists("/usr/bin/clang++-19")) GTEST_SKIP() << "needs clang: apt-get install clang-19";
  }

  static void expect_full_but_for_questions(const Outcome& outcome) {
    ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
    for (const TaskVerdict& task : outcome.verdicts[0].tasks)
      for (const PartScore& part : task.parts) {
        if (part.scored && part.name != "understood") {
          EXPECT_EQ(part.points, part.max_points) << part.name << "\n" << outcome.text;
        }
      }
  }

  Outcome shell(const std::string& script) {
    return execute({"/bin/sh", "-c", "cd " + folder_.string() + " && " + script});
  }
};

class EachToolchain : public ToolchainFlow, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    ToolchainFlow::SetUp();
    if (GetParam() == std::string("nvcc") && *LANEWISE_NVCC == '\0') GTEST_SKIP() << "needs nvcc: the CUDA Toolkit 13";
  }
};

TEST_P(EachToolchain, RightWorkGetsFullMarksAndTheVerdictNamesIt) {
  const Outcome vectors = check(with_device_body("add_fours(d_a, d_b, d_c, n);"), {"--toolchain", GetParam()});
  ASSERT_NO_FATAL_FAILURE(expect_full_but_for_questions(vectors));
  EXPECT_EQ(vectors.verdicts[0].environment.compiler.rfind(GetParam() + std::string(" 1"), 0), 0U) << vectors.text;
  const auto page = read_file(folder_ / "html/vecadd/report.html", 1 << 22);
  ASSERT_TRUE(page) << page.sentence();
  EXPECT_TRUE(contains(*page, std::string("compiled with ") + GetParam() + " 1"));
}

TEST_P(EachToolchain, ReferenceOfMatmulMeetsItsGoals) {
  const std::string source = LANEWISE_SOLUTIONS_FOLDER "/matmul/3_shared_tile.cu";
  expect_full_but_for_questions(run({"matmul", "--submission", source, "--toolchain", GetParam()}));
}

TEST_P(EachToolchain, MistakesAreFoundAtTheirLines) {
  const Outcome outcome = check(with_device_body("add_kernel<<<unsigned((n + 255) / 256 + 1), 256>>>(d_a, d_b, d_c, "
                                                 "n + 1);"),
                                {"--toolchain", GetParam()});
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  const TaskVerdict& task = outcome.verdicts[0].tasks[1];
  EXPECT_TRUE(has_finding(task, "memcheck")) << outcome.text;
  for (const Finding& finding : task.findings) EXPECT_EQ(finding.place.file, "vecadd.cu") << outcome.text;
}

TEST_P(EachToolchain, ErrorsOfTheCompilerNameTheStudentsFile) {
  const Outcome outcome = check(with_device_body("add(d_a, d_b)"), {"--toolchain", GetParam()});
  EXPECT_TRUE(contains(outcome.text, "does not compile")) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "\n  vecadd.cu")) << outcome.text;
}

TEST_P(EachToolchain, ProgramOfOnesOwnIsCompiledAndRuns) {
  std::ofstream(folder_ / "twice.cu") << kTwice;
  const std::string compile = std::string(LANEWISE_EXECUTABLE " nvcc --toolchain ") + GetParam();
  const std::string run = " && " LANEWISE_EXECUTABLE " run -- ./";
  const Outcome plain = shell(compile + " twice.cu -o twice" + run + "twice");
  EXPECT_EQ(plain.exit_code, 0);
  EXPECT_TRUE(contains(plain.text, "the last is 198")) << plain.text;
  const Outcome options = shell(compile +
                                " -O0 -g -lineinfo -std=c++17 -arch=sm_80 -cudart shared -DFACTOR=3 -I. -Xcompiler "
                                "-Wall,-Wextra -c "
                                "twice.cu -o thrice.o && " +
                                compile + " thrice.o" + run + "a.out");
  EXPECT_EQ(options.exit_code, 0);
  EXPECT_TRUE(contains(options.text, "the last is 297")) << options.text;
  EXPECT_TRUE(contains(options.text, "scale")) << options.text;
  while (waitpid(-1, nullptr, 0) > 0) {  // the programs' devices end by themselves
  }
}

INSTANTIATE_TEST_SUITE_P(Of, EachToolchain, ::testing::Values("nvcc", "clang"));

TEST_F(ToolchainFlow, EnvironmentChoosesWhereTheCommandLineDoesNot) {
  std::ofstream(folder_ / "vecadd.cu") << with_device_body("add(d_a, d_b, d_c, n);");
  const Outcome outcome = run_in_shell("LANEWISE_TOOLCHAIN=clang ", "");
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  EXPECT_EQ(outcome.verdicts[0].environment.compiler.rfind("clang ", 0), 0U);
}

TEST_F(ToolchainFlow, OneThatIsNotThereIsOneSentenceAndTheEnvironmentsFault) {
  std::ofstream(folder_ / "vecadd.cu") << with_device_body("add(d_a, d_b, d_c, n);");
  const std::string sentence = "clang was not found on the PATH; install it (apt-get install clang-19)\n";
  const Outcome graded = run_in_shell("PATH=/nonexistent LANEWISE_TOOLCHAIN=clang ", "");
  EXPECT_EQ(graded.exit_code, 3);
  EXPECT_EQ(graded.text, "lanewise check: " + sentence);
  const Outcome compiled = shell("PATH=/nonexistent " LANEWISE_EXECUTABLE " nvcc --toolchain clang vecadd.cu");
  EXPECT_EQ(compiled.exit_code, 3);
  EXPECT_EQ(compiled.text, "lanewise nvcc: " + sentence);
}

TEST_F(ToolchainFlow, OptionsOfNvccThatAreNotKnownAreRefusedByName) {
  for (const char* option :
       {"-rdc=true", "--extended-lambda", "-lcublas", "-arch=native", "-cudart=static", "-o", "twice.cpp"}) {
    const Outcome outcome = shell(std::string(LANEWISE_EXECUTABLE " nvcc twice.cu ") + option);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
    EXPECT_TRUE(contains(outcome.text, option)) << outcome.text;
    EXPECT_EQ(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 1) << outcome.text;
  }
}

TEST_F(ToolchainFlow, FileThatIsNotThereIsOneSentence) {
  const Outcome outcome = shell(LANEWISE_EXECUTABLE " nvcc twice.cu");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.text, "lanewise nvcc: twice.cu: there is no such file here\n");
}

TEST_F(ToolchainFlow, ProgramThatNeedsNvidiasLibrariesIsToldWhoHasThem) {
  std::ofstream(folder_ / "sorts.cu") << "#include <cub/cub.cuh>\nint main() {}\n";
  const Outcome outcome = shell(LANEWISE_EXECUTABLE " nvcc --toolchain clang sorts.cu");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(contains(outcome.text, "sorts.cu:1:")) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "<cub/cub.cuh> comes with NVIDIA's toolkit alone")) << outcome.text;
}

}  // namespace
}  // namespace lanewise::toolchain_flow_test
