// Runs the real `lanewise check` on submissions to the lab vecadd, with labs of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <regex>

#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/runner/process.h"

namespace lanewise {

namespace fs = std::filesystem;

inline constexpr std::chrono::seconds kGenerous(120);

// Task vec_add is right in every submission; vec_add_device is what a test says it is.
inline constexpr const char* kGoodHalf = R"cuda(#include "vecadd.cuh"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <sys/socket.h>
#include <unistd.h>

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}

// Within the goals for counters: 16 bytes a load.
__global__ void add_fours_kernel(const float* a, const float* b, float* c, std::size_t n) {
  std::size_t i = 4 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
  if (i + 4 > n) {
    for (; i < n; ++i) c[i] = a[i] + b[i];
    return;
  }
  const float4 x = *reinterpret_cast<const float4*>(a + i);
  const float4 y = *reinterpret_cast<const float4*>(b + i);
  *reinterpret_cast<float4*>(c + i) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

static void add_fours(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_fours_kernel<<<static_cast<unsigned>((n + 1023) / 1024), 256>>>(d_a, d_b, d_c, n);
}

void vec_add(const float* a_h, const float* b_h, float* c_h, int n) {
  if (n == 0) return;
  const std::size_t bytes = sizeof(float) * n;
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, bytes);
  cudaMalloc(&d_b, bytes);
  cudaMalloc(&d_c, bytes);
  cudaMemcpy(d_a, a_h, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b_h, bytes, cudaMemcpyHostToDevice);
  add(d_a, d_b, d_c, n);
  cudaMemcpy(c_h, d_c, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}

)cuda";

inline std::string with_device_body(const std::string& body) {
  return std::string(kGoodHalf) +
         "void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {\n" + body + "\n}\n";
}

struct Outcome {
  int exit_code = -1;
  std::string text;
  std::vector<Verdict> verdicts;
  double seconds = 0;
};

class CheckFlow : public ::testing::Test {
 protected:
  // Labs with a time limit short enough for tests; builds are shared between tests through the real cache.
  static void SetUpTestSuite() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // whatever a run leaves behind becomes a child of this process, and is seen
    labs() = fs::temp_directory_path() / ("lanewise_check_flow_test_" + std::to_string(getpid()));
    fs::create_directories(labs());
    fs::copy(LANEWISE_LABS_FOLDER, labs(), fs::copy_options::recursive);
    const fs::path file = labs() / "vecadd" / "lab.toml";
    const auto text = read_file(file, 1 << 20);
    ASSERT_TRUE(text) << text.sentence();
    // For vec_add_device, marks that are wide enough for any kernel.
    std::ofstream(labs() / "vecadd" / "speed.toml")
        << "profile = \"h200\"\n[[task]]\nname = \"vec_add_device\"\ncase = \"two million\"\n"
           "baseline = \"1_one_element.cu\"\nreference = \"2_float4.cu\"\ncompiler = \"nvcc 13\"\nbaseline_ns = 2e9\n"
           "reference_ns = 1e9\n";
    std::ofstream(file) << std::regex_replace(*text, std::regex("time_limit = [0-9.]+"), "time_limit = 2");
  }
  static void TearDownTestSuite() { fs::remove_all(labs()); }

  static fs::path& labs() {
    static fs::path folder;
    return folder;
  }

  void SetUp() override {
    folder_ = labs() / "submission";
    fs::create_directories(folder_);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    // No child, alive or dead: ECHILD.
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "something is left running";
  }

  // With `html` empty the page goes where it goes without --html.
  Outcome run(const std::vector<std::string>& arguments) { return run(arguments, folder_ / "html"); }
  Outcome run(const std::vector<std::string>& arguments, const fs::path& html) {
    std::vector<std::string> command = {LANEWISE_EXECUTABLE, "check"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"--backend", "vgpu", "--json", json().string()});
    if (!html.empty()) command.insert(command.end(), {"--html", html.string()});
    return execute(std::move(command));
  }
  // The same in a shell that does something to its surroundings first or last.
  Outcome run_in_shell(const std::string& before, const std::string& after) {
    return execute({"/bin/sh", "-c",
                    before + LANEWISE_EXECUTABLE + " check vecadd --backend vgpu --submission " + folder_.string() +
                        " --html " + (folder_ / "html").string() + " --json " + json().string() + after});
  }

  // Without --json and --html; `arguments` are read by a shell.
  Outcome run_bare(const std::string& arguments) {
    return execute({"/bin/sh", "-c", LANEWISE_EXECUTABLE + std::string(" check --backend vgpu ") + arguments});
  }

  fs::path json() const { return folder_ / "results.json"; }

  Outcome execute(std::vector<std::string> command) {
    ProcessOptions options;
    options.command = std::move(command);
    options.environment = {"LANEWISE_LABS=" + labs().string(), "LANEWISE_SOLUTIONS=/nonexistent", "PATH=/usr/bin:/bin",
                           "LANG=C.UTF-8"};
    const auto started = Clock::now();
    const auto finished = run_to_end(options, kGenerous, 1 << 20);
    Outcome outcome;
    outcome.seconds = std::chrono::duration<double>(Clock::now() - started).count();
    EXPECT_TRUE(finished && !finished->timed_out);
    if (!finished) return outcome;
    EXPECT_TRUE(WIFEXITED(finished->status)) << finished->output;
    outcome.exit_code = WEXITSTATUS(finished->status);
    outcome.text = finished->output;
    if (const auto content = read_file(json(), 1 << 26)) {
      auto verdicts = read_json_report(*content);
      EXPECT_TRUE(verdicts) << verdicts.sentence();
      if (verdicts) outcome.verdicts = *verdicts;
    }
    return outcome;
  }

  Outcome check(const std::string& source, std::vector<std::string> more = {}) {
    std::ofstream(folder_ / "vecadd.cu") << source;
    std::vector<std::string> arguments = {"vecadd", "--submission", folder_.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  // The verdict of the broken task; the other one must be right and the exit code 0.
  TaskVerdict check_broken(const std::string& body) {
    const Outcome outcome = check(with_device_body(body));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    if (outcome.verdicts.size() != 1 || outcome.verdicts[0].tasks.size() != 2) {
      ADD_FAILURE() << outcome.text;
      return {};
    }
    text_ = outcome.text;
    const TaskVerdict& good = outcome.verdicts[0].tasks[0];
    EXPECT_EQ(good.task, "vec_add");
    EXPECT_EQ(good.points, good.max_points) << outcome.text;
    const TaskVerdict& broken = outcome.verdicts[0].tasks[1];
    EXPECT_LT(broken.points, broken.max_points) << outcome.text;
    return broken;
  }

  // The first case with that outcome; a failure if there is none.
  CaseVerdict first(const TaskVerdict& task, CaseOutcome outcome) {
    for (const CaseVerdict& a_case : task.cases)
      if (a_case.outcome == outcome) return a_case;
    ADD_FAILURE() << text_;
    return {};
  }

  static bool has_finding(const TaskVerdict& task, const std::string& tool) {
    for (const Finding& finding : task.findings)
      if (finding.tool == tool) return true;
    return false;
  }

  fs::path folder_;
  std::string text_;
};

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace lanewise
