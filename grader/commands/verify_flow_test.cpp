// `lanewise verify` notices every way in which a solution is not what it says it is.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "harness/runner/process.h"

namespace lanewise::verify_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRight =
    "#include \"vecadd.cuh\"\n"
    "__global__ void add(const float* a, const float* b, float* c, std::size_t n) {\n"
    "  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i] + b[i];\n}\n"
    "void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {\n"
    "  if (n > 0) add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);\n}\n";

class VerifyFlow : public ::testing::Test {
 protected:
  VerifyFlow() : root_(fs::temp_directory_path() / ("lanewise_verify_flow_test_" + std::to_string(getpid()))) {
    folder_ = root_ / "solutions" / "vecadd" / "vec_add_device";
    fs::create_directories(folder_ / "wrong");
    fs::copy_file(fs::path(LANEWISE_SOLUTIONS_FOLDER) / "vecadd" / "answers.toml",
                  root_ / "solutions" / "vecadd" / "answers.toml");
  }
  ~VerifyFlow() override { fs::remove_all(root_); }

  void put(const std::string& name, const std::string& first_line, const std::string& source) {
    std::ofstream(folder_ / name) << first_line << "\n" << source;
  }

  int run(const std::vector<std::string>& arguments = {}) {
    ProcessOptions options;
    options.command = {LANEWISE_EXECUTABLE, "verify", "vec_add_device", "--out", (root_ / "out").string()};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.environment = {"LANEWISE_SOLUTIONS=" + (root_ / "solutions").string(), "PATH=/usr/bin:/bin",
                           "LANG=C.UTF-8"};
    const auto finished = run_to_end(options, std::chrono::seconds(120), 1 << 20);
    EXPECT_TRUE(finished && !finished->timed_out && WIFEXITED(finished->status));
    if (!finished) return -1;
    text_ = finished->output;
    return WEXITSTATUS(finished->status);
  }

  bool says(const std::string& part) const { return text_.find(part) != std::string::npos; }

  fs::path root_;
  fs::path folder_;
  std::string text_;
};

TEST_F(VerifyFlow, AllAsDeclaredIsSuccess) {
  put("1_plain.cu", "// Step 1", kRight);
  put("library_x.cu", "// peer: x; needs: nvidia gpu", kRight);
  put("wrong/exits.cu", "// expect: vec_add_device: exit",
      "#include \"vecadd.cuh\"\n#include <cstdlib>\nvoid vec_add_device(const float*, const float*, float*, "
      "std::size_t) { std::exit(0); }\n");
  EXPECT_EQ(run(), 0) << text_;
  EXPECT_TRUE(says("✓ 1_plain.cu")) << text_;
  EXPECT_TRUE(says("– library_x.cu")) << text_;
  EXPECT_TRUE(says("✓ wrong/exits.cu")) << text_;
  EXPECT_TRUE(says("✓ vecadd.cu")) << text_;
  EXPECT_TRUE(says("3 of 3 as declared, 1 skipped")) << text_;
  for (const char* report : {"report.html", "report.txt", "results.json"})
    EXPECT_TRUE(fs::exists(root_ / "out" / "vecadd" / "vec_add_device" / "wrong" / "exits" / report)) << report;
}

TEST_F(VerifyFlow, TheReferenceMustMeetEveryGoal) {
  put("1_one_element.cu", "// Step 1", kRight);
  EXPECT_EQ(run(), 0) << text_;
  put("2_float4.cu", "// Step 2, the reference by name", kRight);
  EXPECT_EQ(run(), 1) << text_;
  EXPECT_TRUE(says("✓ 1_one_element.cu")) << text_;
  EXPECT_TRUE(says("(efficient: 1 of 2 goals met)")) << text_;
}

TEST_F(VerifyFlow, SampleLeavesOutWhatShowsNothingNew) {
  put("1_plain.cu", "// Step 1", kRight);
  put("2_another.cu", "// Step 2, and the last", kRight);
  put("wrong/a.cu", "// expect: vec_add_device: missing", "#include \"vecadd.cuh\"\n");
  put("wrong/b.cu", "// expect: vec_add_device: missing", kRight);
  EXPECT_EQ(run({"--sample"}), 0) << text_;
  for (const char* kept : {"✓ 2_another.cu", "✓ wrong/a.cu", "✓ vecadd.cu", "3 of 3 as declared"})
    EXPECT_TRUE(says(kept)) << kept << "\n" << text_;
}

TEST_F(VerifyFlow, RaceCasesNeedAGpu) {
  put("1_plain.cu", "// Step 1", kRight);
  EXPECT_EQ(run({"--cases", "race"}), 2) << text_;
  EXPECT_TRUE(says("--cases race needs --backend gpu")) << text_;
}

TEST_F(VerifyFlow, HiddenCasesCanBeRunToo) {
  put("1_plain.cu", "// Step 1", kRight);
  EXPECT_EQ(run({"--cases", "grade"}), 0) << text_;
  EXPECT_TRUE(says("✓ 1_plain.cu")) << text_;
}

TEST_F(VerifyFlow, FilesBesideTheReportsAreLeftAlone) {
  put("1_plain.cu", "// Step 1", kRight);
  const fs::path folder = root_ / "out" / "vecadd" / "vec_add_device" / "1_plain";
  fs::create_directories(folder / "pictures");
  for (const char* mine : {"notes.txt", "pictures/mine.png"}) std::ofstream(folder / mine) << "mine";
  EXPECT_EQ(run(), 0) << text_;
  for (const char* mine : {"notes.txt", "pictures/mine.png"}) EXPECT_TRUE(fs::exists(folder / mine)) << mine;
}

TEST_F(VerifyFlow, AnythingElseIsToldAndFails) {
  put("1_step.cu", "// Step 1", "#include \"vecadd.cuh\"\n");
  put("unnumbered.cu", "// no step", kRight);
  put("wrong/is_right.cu", "// expect: vec_add_device: wrong; memcheck", kRight);
  put("wrong/undeclared.cu", "// nothing", kRight);
  put("wrong/elsewhere.cu", "// expect: vec_add: right", kRight);
  EXPECT_EQ(run(), 1) << text_;
  EXPECT_TRUE(says("missing  (declared: right)")) << text_;
  EXPECT_TRUE(says("it is neither a numbered step nor marked as a peer")) << text_;
  EXPECT_TRUE(says("right  (declared: wrong; memcheck)")) << text_;
  EXPECT_TRUE(says("the first line must read")) << text_;
  EXPECT_TRUE(says("it is among the files of vec_add_device, but declares a verdict for vec_add")) << text_;
  EXPECT_TRUE(says("1 of 6 as declared")) << text_;  // the skeleton
  EXPECT_LT(text_.find("wrong/is_right.cu: right  (declared"), text_.find("✗ wrong/is_right.cu"))
      << "at once: " << text_;
}

}  // namespace
}  // namespace lanewise::verify_flow_test
