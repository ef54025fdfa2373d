// The whole way: the real `lanewise check`, the real nvcc, a real worker on the virtual GPU, and submissions that break
// one task. Each gets a clear verdict, the other task is still graded, and nothing is left running.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <regex>

#include "harness/report/json_report.h"
#include "harness/runner/content_hash.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kGenerous(120);

// Task vec_add is right in every submission; vec_add_device is what a test says it is.
constexpr const char* kGoodHalf = R"cuda(#include "vecadd.cuh"
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

std::string with_device_body(const std::string& body) {
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

  Outcome run(std::vector<std::string> arguments) {
    ProcessOptions options;
    options.command = {LANEWISE_EXECUTABLE, "check"};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    const fs::path json = folder_ / "results.json";
    for (const std::string& argument : {std::string("--backend"), std::string("vgpu"), std::string("--json"),
                                        json.string(), std::string("--html"), (folder_ / "html").string()})
      options.command.push_back(argument);
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
    if (const auto content = read_file(json, 1 << 26)) {
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

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(CheckFlow, RightWorkGetsFullMarksAndIsNotRunTwice) {
  const std::string source = with_device_body("add(d_a, d_b, d_c, n);");
  const Outcome first = check(source, {"--require-full", "--fresh"});
  EXPECT_EQ(first.exit_code, 0) << first.text;
  ASSERT_EQ(first.verdicts.size(), 1U) << first.text;
  EXPECT_EQ(first.verdicts[0].points, first.verdicts[0].max_points) << first.text;
  EXPECT_GT(first.verdicts[0].points, 0);
  EXPECT_TRUE(fs::exists(folder_ / "html" / "vecadd" / "report.html"));
  check(source);  // now it is known
  const Outcome again = check(source, {"--require-full"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_TRUE(contains(again.text, "unchanged since")) << again.text;
}

TEST_F(CheckFlow, UntouchedSkeletonIsNotStartedAndNoError) {
  const Outcome outcome = run({"vecadd"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(contains(outcome.text, "vecadd · vec_add, vec_add_device   not started")) << outcome.text;
  ASSERT_EQ(outcome.verdicts.size(), 1U);
  EXPECT_EQ(outcome.verdicts[0].points, 0);
  EXPECT_EQ(run({"vecadd", "--require-full"}).exit_code, 1);
}

TEST_F(CheckFlow, OneTaskDoneTheOtherNotStarted) {
  const TaskVerdict task = check_broken("");
  EXPECT_EQ(task.state, TaskState::kNotStarted);
}

TEST_F(CheckFlow, CompilerSpeaksForBothTasks) {
  const Outcome outcome = check(with_device_body("add(d_a, d_b, d_c, n)"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(contains(outcome.text, "does not compile")) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "vecadd.cu(")) << outcome.text;
  ASSERT_EQ(outcome.verdicts.size(), 1U);
  for (const TaskVerdict& task : outcome.verdicts[0].tasks) EXPECT_EQ(task.state, TaskState::kCompileError);
  EXPECT_EQ(outcome.verdicts[0].points, 0);
}

TEST_F(CheckFlow, MissingFileIsAMistakeOfTheCommandLine) {
  const Outcome outcome = run({"vecadd", "--submission", (folder_ / "none.cu").string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.text, "none.cu: there is no such file")) << outcome.text;
}

TEST_F(CheckFlow, FolderWithoutASubmissionCannotBeGraded) {
  const Outcome outcome = run({"vecadd", "--submission", folder_.string()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(contains(outcome.text, "there is no .cu file in this folder")) << outcome.text;
}

TEST_F(CheckFlow, FunctionMissing) {
  const Outcome outcome = check(kGoodHalf);
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  EXPECT_EQ(outcome.verdicts[0].tasks.at(1).state, TaskState::kMissing);
}

TEST_F(CheckFlow, NullPointerOnTheHost) {
  const TaskVerdict task = check_broken("volatile float* p = nullptr; p[3] = d_c == nullptr ? 1 : 2;");
  EXPECT_TRUE(contains(first(task, CaseOutcome::kCrashed).sentence, "null pointer"));
}

TEST_F(CheckFlow, DevicePointerReadOnTheHost) {
  const TaskVerdict task = check_broken("if (n > 12) std::printf(\"%f\\n\", d_a[12]); add(d_a, d_b, d_c, n);");
  EXPECT_EQ(first(task, CaseOutcome::kCrashed).sentence,
            "host code read d_a[12]: that memory belongs to the device; copy it with cudaMemcpy first");
}

TEST_F(CheckFlow, Abort) {
  EXPECT_TRUE(contains(first(check_broken("std::abort();"), CaseOutcome::kCrashed).sentence, "SIGABRT"));
}

TEST_F(CheckFlow, StackOverflowOnTheHost) {
  // Something to do after the call, or the compiler makes a loop of it.
  const TaskVerdict task = check_broken(
      "volatile char big[1 << 16]; big[0] = 1; vec_add_device(d_a, d_b, d_c, n + big[0]); if (big[0] == 2) "
      "std::abort();");
  EXPECT_TRUE(contains(first(task, CaseOutcome::kCrashed).sentence, "out of stack"));
}

TEST_F(CheckFlow, EndlessLoopOnTheHost) {
  const TaskVerdict task = check_broken("for (volatile int i = 0;; i = i + 1) {}");
  EXPECT_TRUE(contains(first(task, CaseOutcome::kTimedOut).sentence, "2 seconds"));
  EXPECT_TRUE(contains(first(task, CaseOutcome::kNotRun).sentence, "2 cases had hung already"));
}

TEST_F(CheckFlow, Exit) {
  EXPECT_TRUE(contains(first(check_broken("std::exit(0);"), CaseOutcome::kExited).sentence, "exit code 0"));
  EXPECT_TRUE(contains(first(check_broken("_exit(3);"), CaseOutcome::kExited).sentence, "exit code 3"));
}

TEST_F(CheckFlow, CudaErrorLeftBehind) {
  const TaskVerdict task = check_broken("add_kernel<<<1, 2048>>>(d_a, d_b, d_c, n);");
  EXPECT_TRUE(
      contains(first(task, CaseOutcome::kCudaError).sentence, "left a CUDA error behind: cudaErrorInvalidValue"));
}

TEST_F(CheckFlow, GigabyteOfOutput) {
  const TaskVerdict task = check_broken(
      "if (n == 100) { const std::string line(1 << 20, 'x'); for (int i = 0; i < 1024; ++i) std::fwrite(line.data(), "
      "1, line.size(), "
      "stdout); }");
  EXPECT_EQ(task.output_bytes, std::uint64_t{1} << 30);
  EXPECT_LE(task.output.size(), std::size_t{16} << 10);
}

TEST_F(CheckFlow, ForkIsFound) {
  const TaskVerdict task = check_broken("if (fork() == 0) for (;;) pause(); add(d_a, d_b, d_c, n);");
  EXPECT_TRUE(has_finding(task, "lockdown")) << text_;
}

TEST_F(CheckFlow, ThreadIsFound) {
  const TaskVerdict task = check_broken("std::thread([] {}).join(); add(d_a, d_b, d_c, n);");
  EXPECT_TRUE(has_finding(task, "lockdown")) << text_;
  first(task, CaseOutcome::kCrashed);
}

TEST_F(CheckFlow, KillingTheParentIsFound) {
  const TaskVerdict task = check_broken("kill(getppid(), SIGKILL); add(d_a, d_b, d_c, n);");
  EXPECT_TRUE(has_finding(task, "lockdown")) << text_;
}

TEST_F(CheckFlow, ClosingEveryDescriptor) {
  const TaskVerdict task =
      check_broken("add(d_a, d_b, d_c, n); cudaDeviceSynchronize(); for (int i = 0; i < 4096; ++i) close(i);");
  EXPECT_TRUE(contains(first(task, CaseOutcome::kExited).sentence, "file descriptors"));
}

TEST_F(CheckFlow, WritingIntoTheChannel) {
  const TaskVerdict task = check_broken("for (int i = 3; i < 4096; ++i) send(i, \"rubbish\", 7, MSG_NOSIGNAL);");
  EXPECT_TRUE(contains(first(task, CaseOutcome::kExited).sentence, "file descriptors"));
}

TEST_F(CheckFlow, WritePastTheEndIsWrongAndFound) {
  std::string source = with_device_body("if (n > 0) one_too_many<<<(n + 256) / 256, 256>>>(d_a, d_b, d_c, n);");
  source.insert(source.find("void vec_add("),
                "__global__ void one_too_many(const float* a, const float* b, float* c, std::size_t n) {\n"
                "  const std::size_t i = blockIdx.x * 256ull + threadIdx.x;\n"
                "  if (i <= n) c[i] = i < n ? a[i] + b[i] : 1.0f;\n}\n\n");
  const Outcome outcome = check(source);
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  text_ = outcome.text;
  const TaskVerdict& task = outcome.verdicts[0].tasks.at(1);
  EXPECT_EQ(first(task, CaseOutcome::kWrong).sentence, "wrote 4 bytes past the end of d_c, nearest at d_c[100]");
  EXPECT_TRUE(has_finding(task, "memcheck")) << text_;
}

TEST_F(CheckFlow, EndlessLoopOnTheDevice) {
  std::string source = with_device_body("if (n > 0) spin<<<1, 32>>>(d_c);");
  source.insert(source.find("void vec_add("),
                "__global__ void spin(float* c) { while (*(volatile float*)c != 7.0f) {} }\n\n");
  const Outcome outcome = check(source);
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  text_ = outcome.text;
  first(outcome.verdicts[0].tasks.at(1), CaseOutcome::kTimedOut);
  EXPECT_EQ(outcome.verdicts[0].tasks[0].points, outcome.verdicts[0].tasks[0].max_points) << outcome.text;
}

}  // namespace
}  // namespace lanewise
