// `lanewise run` as a user meets it: the real command, programs compiled by the real nvcc.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "harness/runner/content_hash.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kGenerous(120);

constexpr const char* kProgram = R"cuda(#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void twice(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] *= 2;
}

__global__ void unknown_instruction(unsigned* data) {
  asm("vabsdiff4.u32.u32.u32 %0, %0, %0, %0;" : "+r"(data[0]));
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int* data;
  cudaMalloc(&data, 100 * sizeof(int));
  cudaMemset(data, 0, 100 * sizeof(int));
  if (strcmp(what, "right") == 0) twice<<<1, 100>>>(data, 100);
  if (strcmp(what, "beyond") == 0) twice<<<1, 128>>>(data, 100);
  if (strcmp(what, "host") == 0) return data[5];
  if (strcmp(what, "graph") == 0) {
    cudaGraph_t graph;
    printf("%s\n", cudaGetErrorName(cudaGraphCreate(&graph, 0)));
  }
  if (strcmp(what, "instruction") == 0) {
    unknown_instruction<<<1, 1>>>(reinterpret_cast<unsigned*>(data));
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  }
  cudaDeviceSynchronize();
  printf("end of %s\n", what);
  return strcmp(what, "seven") == 0 ? 7 : 0;
}
)cuda";

class RunFlow : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::temp_directory_path() / ("lanewise_run_flow_test_" + std::to_string(getpid()));
    fs::create_directories(folder());
    std::ofstream(folder() / "program.cu") << kProgram;
    compile({"-cudart", "shared", "-lineinfo", "-o", "program"});
    compile({"-cudart", "static", "-o", "static_program"});
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }

  static void compile(const std::vector<std::string>& arguments) {
    ProcessOptions options;
    options.command = {LANEWISE_NVCC, "-std=c++17", "-gencode", "arch=compute_90,code=compute_90", "program.cu"};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.environment = {"PATH=/usr/bin:/bin"};
    options.folder = folder();
    const auto finished = run_to_end(options, kGenerous, 1 << 20);
    ASSERT_TRUE(finished && finished->succeeded()) << (finished ? finished->output : finished.sentence());
  }

  static fs::path& folder() {
    static fs::path path;
    return path;
  }

  static Finished run(std::vector<std::string> arguments) {
    ProcessOptions options;
    options.command = {LANEWISE_EXECUTABLE, "run"};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
    options.folder = folder();
    auto finished = run_to_end(options, kGenerous, 1 << 20);
    EXPECT_TRUE(finished) << finished.sentence();
    return *finished;
  }

  static bool says(const Finished& finished, const std::string& text) {
    return finished.output.find(text) != std::string::npos;
  }
  static int exit_code(const Finished& finished) {
    return WIFEXITED(finished.status) ? WEXITSTATUS(finished.status) : -1;
  }
};

TEST_F(RunFlow, ACorrectProgramRunsAsIfAloneAndKeepsItsExitCode) {
  const Finished right = run({"--", "./program", "right"});
  EXPECT_EQ(right.output, "end of right\n");
  EXPECT_EQ(exit_code(right), 0);
  EXPECT_EQ(exit_code(run({"--", "./program", "seven"})), 7);
}

TEST_F(RunFlow, AFindingNamesLineAndElementAndGoesIntoTheReport) {
  const Finished beyond = run({"--report", "findings.json", "--error-exitcode", "9", "--", "./program", "beyond"});
  EXPECT_TRUE(says(beyond, "memcheck  program.cu:7  out-of-bounds write")) << beyond.output;
  EXPECT_TRUE(says(beyond, "[100], just past its end")) << beyond.output;
  EXPECT_TRUE(says(beyond, "(28 times)")) << beyond.output;
  EXPECT_EQ(exit_code(beyond), 9);
  const auto report = read_file(folder() / "findings.json", 1 << 20);
  ASSERT_TRUE(report);
  EXPECT_NE(report->find("\"index\":100"), std::string::npos) << *report;
}

TEST_F(RunFlow, WithoutMonitorsNothingIsFoundAndTheProgramGoesOnAsOnAGpu) {
  const Finished beyond = run({"--monitor", "none", "--", "./program", "beyond"});
  EXPECT_EQ(beyond.output, "end of beyond\n");
}

TEST_F(RunFlow, HostCodeThatReadsDeviceMemoryIsToldWhichElement) {
  const Finished host = run({"--", "./program", "host"});
  EXPECT_TRUE(says(host, "host code touched byte 20 of a device allocation of 400 bytes")) << host.output;
  EXPECT_EQ(exit_code(host), 128 + SIGSEGV);
}

TEST_F(RunFlow, ACallThatIsNotThereIsRefusedByName) {
  const Finished graph = run({"--", "./program", "graph"});
  EXPECT_TRUE(says(graph, "cudaGraphCreate is not available on the virtual GPU")) << graph.output;
  EXPECT_TRUE(says(graph, "cudaErrorNotSupported")) << graph.output;
}

TEST_F(RunFlow, AnInstructionThatIsNotThereIsRefusedWithItsPtxAndCudaLine) {
  const Finished refused = run({"--", "./program", "instruction"});
  EXPECT_TRUE(
      says(refused,
           "program.cu:11: the kernel unknown_instruction(unsigned int*) uses the instruction vabsdiff4.u32.u32.u32"))
      << refused.output;
  EXPECT_TRUE(says(refused, "(PTX line ")) << refused.output;
  EXPECT_TRUE(says(refused, "cudaErrorNotSupported")) << refused.output;
}

TEST_F(RunFlow, AProgramThatCannotUseTheVirtualGpuIsTold) {
  const Finished statically = run({"--", "./static_program", "right"});
  EXPECT_TRUE(says(statically, "link it with nvcc -cudart shared")) << statically.output;
}

TEST_F(RunFlow, WhatCannotBeStartedIsAUsageError) {
  const Finished missing = run({"--", "./no_such_program"});
  EXPECT_TRUE(says(missing, "./no_such_program cannot be run: No such file or directory")) << missing.output;
  EXPECT_EQ(exit_code(missing), 2);
  EXPECT_EQ(exit_code(run({"--monitor", "everything", "--", "./program"})), 2);
  EXPECT_EQ(exit_code(run({})), 2);
}

}  // namespace
}  // namespace lanewise
