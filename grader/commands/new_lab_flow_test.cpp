// A teacher without C++ of Lanewise's: from an empty folder to a lab that checks, grades and recognises mistakes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// A lab as the guide has it (labs/README.md): four files.
constexpr const char* kLabToml = R"toml([lab]
title = "Reduction"
contract = "reduction.cuh"
skeleton = "reduction.cu"
oracle = "oracle.cpp"
profile = "h200"

[[task]]
name = "reduce"
points = { correct = 90, clean = 10 }
judge = { sum_of = "x" }
arrays.x = { shape = ["n"], values = "uniform(-1, 1)" }
arrays.sum = { shape = [1] }

[[task.case]]
name = "one block"
group = "check"
make = { n = 256 }
points = 30
why = "a tree over one block"

[[task.case]]
name = "not a power of two"
group = "check"
make = { n = 1000, x = "constant(1)" }
points = 30
why = "elements without a partner"

[[task.case]]
name = "many blocks"
group = "check"
make = { n = 100000, x = "constant(1)" }
points = 30
why = "blocks have to be added up, too"

[[task.misconception]]
name = "only the first block"
function = "first_block"
hint = "Only the sum of the first block arrived: each block's sum has to be added."

[[task.misconception]]
name = "mean"
function = "mean"
hint = "This is the mean; the sum is asked for."
)toml";
constexpr const char* kContract =
    "#pragma once\n#include <cstddef>\nvoid reduce(const float* d_x, float* d_sum, std::size_t n);\n";
constexpr const char* kSkeleton =
    "#include \"reduction.cuh\"\nvoid reduce(const float* d_x, float* d_sum, std::size_t n) {}\n";
constexpr const char* kOracle = R"cuda(#include "reduction.cuh"
void reduce(const float* x, float* sum, std::size_t n) {
  double all = 0;
  for (std::size_t i = 0; i < n; ++i) all += x[i];
  *sum = static_cast<float>(all);
}
void first_block(const float* x, float* sum, std::size_t n) { reduce(x, sum, n < 256 ? n : 256); }
void mean(const float* x, float* sum, std::size_t n) { reduce(x, sum, n); *sum /= n; }
)cuda";

// The block's sum by atomics on shared memory; `total` adds it to the others'.
std::string submission(const std::string& total) {
  return "#include \"reduction.cuh\"\n"
         "__global__ void add(const float* x, float* sum, std::size_t n) {\n"
         "  __shared__ float part;\n"
         "  if (threadIdx.x == 0) part = 0;\n"
         "  __syncthreads();\n"
         "  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;\n"
         "  if (i < n) atomicAdd(&part, x[i]);\n"
         "  __syncthreads();\n"
         "  if (threadIdx.x == 0) " +
         total +
         "\n}\n"
         "void reduce(const float* d_x, float* d_sum, std::size_t n) {\n"
         "  cudaMemset(d_sum, 0, sizeof(float));\n"
         "  add<<<(n + 255) / 256, 256>>>(d_x, d_sum, n);\n}\n";
}

class NewLabFlow : public ::testing::Test {
 protected:
  NewLabFlow() : root_(fs::temp_directory_path() / ("lanewise_new_lab_" + std::to_string(getpid()))) {
    fs::create_directories(root_ / "solutions");
  }
  ~NewLabFlow() override { fs::remove_all(root_); }

  struct Outcome {
    int exit_code = -1;
    std::string text;
  };
  Outcome lanewise(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), LANEWISE_EXECUTABLE);
    ProcessOptions options;
    options.command = std::move(arguments);
    options.folder = root_;
    options.environment = {"LANEWISE_LABS=" + (root_ / "labs").string(),
                           "LANEWISE_SOLUTIONS=" + (root_ / "solutions").string(), "PATH=/usr/bin:/bin",
                           "LANG=C.UTF-8"};
    const auto finished = run_to_end(options, std::chrono::seconds(100), 1 << 20);
    EXPECT_TRUE(finished && !finished->timed_out);
    return finished ? Outcome{WEXITSTATUS(finished->status), finished->output} : Outcome{};
  }
  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  Verdict verdict_of(const std::string& source) const {
    write("submission.cu", source);
    const Outcome outcome = lanewise({"check", "reduction", "--submission", "submission.cu", "--json", "verdict.json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    const auto json = read_file(root_ / "verdict.json", 1 << 24);
    const auto verdicts = json ? read_json_report(*json) : Expected<std::vector<Verdict>>(json.failure());
    EXPECT_TRUE(verdicts) << outcome.text;
    return verdicts && !verdicts->empty() ? verdicts->front() : Verdict{};
  }

  fs::path root_;
};

TEST_F(NewLabFlow, BeginsWithALabThatChecks) {
  const Outcome begun = lanewise({"new-lab", "mine"});
  EXPECT_EQ(begun.exit_code, 0) << begun.text;
  EXPECT_NE(begun.text.find("Next: lanewise check mine"), std::string::npos) << begun.text;
  const Outcome checked = lanewise({"check"});
  EXPECT_EQ(checked.exit_code, 0);
  EXPECT_NE(checked.text.find("not started"), std::string::npos) << checked.text;
  const Outcome again = lanewise({"new-lab", "mine"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.text.find("there is something of that name"), std::string::npos) << again.text;
  for (const char* name : {"Mine", "my-lab", "1st", "../mine", "int", ""})
    EXPECT_EQ(lanewise({"new-lab", name}).exit_code, 2) << name;
  EXPECT_EQ(std::distance(fs::directory_iterator(root_ / "labs"), {}), 1) << "nothing is left behind";
}

TEST_F(NewLabFlow, SkeletonOfAnOwnLabCanBeRestored) {
  ASSERT_EQ(lanewise({"new-lab", "mine"}).exit_code, 0);
  const auto skeleton = read_file(root_ / "labs/mine/mine.cu", 1 << 16);
  ASSERT_TRUE(skeleton);
  write("labs/mine/mine.cu", "my try");
  write("labs/mine/oracle.cpp", "#error nobody needs it\n");
  const Outcome restored = lanewise({"restore", "mine"});
  EXPECT_EQ(restored.exit_code, 0) << restored.text;
  const auto again = read_file(root_ / "labs/mine/mine.cu", 1 << 16);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *skeleton);
  EXPECT_TRUE(fs::exists(root_ / "labs/mine/mine.cu.mine"));
  fs::remove(root_ / "labs/mine/mine.cu.skeleton");
  const Outcome refused = lanewise({"restore", "mine"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.text.find("mine.cu.skeleton: the lab was handed out without this copy"), std::string::npos)
      << refused.text;
}

TEST_F(NewLabFlow, FailingOracleIsToldInItsCaseAndByTheExitCode) {
  write("labs/reduction/lab.toml", kLabToml);
  write("labs/reduction/reduction.cuh", kContract);
  write("labs/reduction/reduction.cu", submission("atomicAdd(sum, part);"));
  std::string oracle = kOracle;
  oracle.replace(oracle.find("  double all = 0;"), 17, "  double all = 0;\n  if (n == 1000) __builtin_trap();");
  write("labs/reduction/oracle.cpp", oracle);
  for (int round = 0; round < 2; ++round) {
    const Outcome outcome = lanewise({"check", "reduction"});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.text;
    EXPECT_NE(outcome.text.find("lanewise check: reduction · reduce · not a power of two: oracle.cpp: reduce() crashed "
                                "(Illegal instruction)"),
              std::string::npos)
        << outcome.text;
  }
  write("labs/reduction/oracle.cpp", "#error it does not compile\n");
  const Outcome broken = lanewise({"check", "reduction"});
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_NE(broken.text.find("oracle.cpp:1:2: error: #error it does not compile"), std::string::npos) << broken.text;
}

TEST_F(NewLabFlow, AuthorHearsOfASumThatIsJudgedAsIfItHadOneOrder) {
  std::string lab = kLabToml;
  lab.replace(lab.find("{ sum_of = \"x\" }"), 16, "{ ulps = 4 }");
  write("labs/reduction/lab.toml", lab);
  write("labs/reduction/reduction.cuh", kContract);
  write("labs/reduction/reduction.cu", kSkeleton);
  write("labs/reduction/oracle.cpp", kOracle);
  const std::string note =
      "reduction · reduce: the result combines the elements of x in floats, so its last bits depend on their order, "
      "which the judge { ulps = 4 } does not allow for: if it is their sum, use { sum_of = \"x\" }";
  const Outcome checked = lanewise({"check"});
  EXPECT_EQ(checked.exit_code, 0) << checked.text;
  EXPECT_NE(checked.text.find("lanewise check: note on " + note), std::string::npos) << checked.text;
  const Outcome verified = lanewise({"verify", "--out", (root_ / "reports").string()});
  EXPECT_EQ(verified.exit_code, 1) << verified.text;
  EXPECT_NE(verified.text.find(note), std::string::npos) << verified.text;
  write("labs/reduction/lab.toml", kLabToml);
  EXPECT_EQ(lanewise({"check"}).text.find("note on"), std::string::npos);
}

TEST_F(NewLabFlow, FourShortFilesAreALabWithMistakesThatAreRecognised) {
  std::ptrdiff_t lines = 0;
  for (const std::string text : {kLabToml, kContract, kSkeleton, kOracle})
    lines += std::count(text.begin(), text.end(), '\n');
  EXPECT_LE(lines, 60);
  write("labs/reduction/lab.toml", kLabToml);
  write("labs/reduction/reduction.cuh", kContract);
  write("labs/reduction/reduction.cu", kSkeleton);
  write("labs/reduction/oracle.cpp", kOracle);

  const Verdict right = verdict_of(submission("atomicAdd(sum, part);"));
  ASSERT_EQ(right.tasks.size(), 1U);
  EXPECT_EQ(right.tasks[0].points, 100);
  const Verdict first = verdict_of(submission("if (blockIdx.x == 0) *sum = part;"));
  ASSERT_EQ(first.tasks.size(), 1U);
  EXPECT_EQ(first.tasks[0].points, 30 + 10);
  EXPECT_EQ(first.tasks[0].cases.at(1).misconception, "only the first block");
  EXPECT_EQ(first.tasks[0].cases.at(2).misconception, "only the first block");
}

TEST_F(NewLabFlow, MistakesThatNoCaseTellsApartAreNoted) {
  const std::string twice =
      "[[task.misconception]]\nname = \"first 256\"\nfunction = \"first_block\"\nhint = \"The same again.\"\n";
  write("labs/reduction/lab.toml", kLabToml + twice);
  write("labs/reduction/reduction.cuh", kContract);
  write("labs/reduction/reduction.cu", kSkeleton);
  write("labs/reduction/oracle.cpp", kOracle);
  const Outcome outcome = lanewise({"verify", "--out", (root_ / "reports").string()});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.text;
  EXPECT_NE(outcome.text.find("reduction · reduce: no check case tells 'first 256' from the right answer and from the "
                              "mistakes before it: add one"),
            std::string::npos)
      << outcome.text;
  EXPECT_EQ(outcome.text.find("'mean'"), std::string::npos) << outcome.text;
}

TEST_F(NewLabFlow, ShippedLabsMistakesThatNoCaseTellsApartAreNoted) {
  fs::create_directories(root_ / "labs");
  for (const char* const name : {"vecadd", "cuda_host.cuh"})
    fs::copy(fs::path(LANEWISE_LABS_FOLDER) / name, root_ / "labs" / name, fs::copy_options::recursive);
  const auto lab = read_file(root_ / "labs/vecadd/lab.toml", 1 << 20);
  ASSERT_TRUE(lab);
  write("labs/vecadd/lab.toml", *lab +
                                    "\n[[misconception]]\nname = \"the first 256\"\nfunction = \"first_block\"\n"
                                    "with = [256]\nunwritten = \"device memory\"\nhint = \"Twice the same.\"\n");
  const Outcome outcome = lanewise({"verify", "--out", (root_ / "reports").string()});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.text;
  for (const char* const task : {"vec_add", "vec_add_device"})
    EXPECT_NE(outcome.text.find(std::string("vecadd · ") + task + ": no check case tells 'the first 256' from"),
              std::string::npos)
        << outcome.text;
  EXPECT_EQ(outcome.text.find("'only the first block computed'"), std::string::npos) << outcome.text;
}

TEST_F(NewLabFlow, MistakeInALabIsNamedWithItsPlace) {
  write("labs/reduction/lab.toml", kLabToml);
  write("labs/reduction/reduction.cuh", "void reduce(const float* d_x, float* d_total, unsigned n);\n");
  write("labs/reduction/reduction.cu", kSkeleton);
  write("labs/reduction/oracle.cpp", kOracle);
  const Outcome outcome = lanewise({"check"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(
      outcome.text.find("reduction/lab.toml:8: the contract's reduce takes the array total, which [task.arrays] does "
                        "not describe"),
      std::string::npos)
      << outcome.text;
}

}  // namespace
}  // namespace lanewise
