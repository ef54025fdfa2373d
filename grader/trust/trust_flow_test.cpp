// timing_trust and timing_attacks go their whole way on the virtual GPU; what they would find out takes a real one.
// Calls are long enough here that a busy machine's round trips, which are subtracted, leave most of them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/runner/process.h"

namespace lanewise::trust_flow_test {
namespace {

namespace fs = std::filesystem;

class TrustFlow : public ::testing::Test {
 protected:
  TrustFlow() : folder_(fs::temp_directory_path() / ("lanewise_trust_flow_test_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~TrustFlow() override { fs::remove_all(folder_); }

  int run(std::vector<std::string> command) {
    ProcessOptions options;
    options.command = std::move(command);
    options.command.insert(options.command.end(), {"--backend", "vgpu"});
    options.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
    const auto finished = run_to_end(options, std::chrono::seconds(240), 1 << 20);
    EXPECT_TRUE(finished && !finished->timed_out && WIFEXITED(finished->status));
    if (!finished) return -1;
    text_ = finished->output;
    return WEXITSTATUS(finished->status);
  }

  // A submission that adds `times` over.
  void put(const std::string& name, int times) {
    std::ofstream(folder_ / name) << "#include \"vecadd.cuh\"\n"
                                     "__global__ void add(const float* a, const float* b, float* c, std::size_t n) {\n"
                                     "  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;\n"
                                     "  if (i < n) c[i] = a[i] + b[i];\n}\n"
                                     "void vec_add_device(const float* a, const float* b, float* c, std::size_t n) {\n"
                                     "  for (int i = 0; n > 0 && i < "
                                  << times << "; ++i) add<<<(n + 255) / 256, 256>>>(a, b, c, n);\n}\n";
  }

  bool says(const std::string& part) const { return text_.find(part) != std::string::npos; }

  fs::path folder_;
  std::string text_;
};

TEST_F(TrustFlow, TrustPrintsItsFiguresAgainstTheirBars) {
  const int code = run({TIMING_TRUST, "--runs", "2", "--elements", "500000", "--seconds", "1"});
  EXPECT_TRUE(code == 0 || code == 1) << text_;
  EXPECT_TRUE(says("the same entry timed 2 times: spread of its ratio")) << text_;
  EXPECT_TRUE(says("14 pairs of identical entries: intervals overlap")) << text_;
  EXPECT_TRUE(says("16 pairs with an entry that moves 2 % more: told apart")) << text_;
}

TEST_F(TrustFlow, EntryThatIsMuchFasterThanHonestWorkHasGained) {
  put("honest.cu", 60);
  put("quick.cu", 2);
  put("slow.cu", 120);
  std::ofstream(folder_ / "idle.cu") << "#include \"vecadd.cuh\"\n__global__ void nothing() {}\n"
                                        "void vec_add_device(const float*, const float*, float*, std::size_t) {\n"
                                        "  nothing<<<1, 1>>>();\n}\n";
  EXPECT_EQ(
      run({TIMING_ATTACKS, "--folder", folder_.string(), "--only-times", "--elements", "100000", "--seconds", "3"}), 1)
      << text_;
  EXPECT_TRUE(says("1 of 3 gained by it")) << text_;
  EXPECT_TRUE(says("no time: during warm-up")) << "idle.cu: " << text_;
}

TEST_F(TrustFlow, GradesAloneAreHeldAgainstThoseOfHonestWork) {
  put("honest.cu", 1);
  put("twice.cu", 2);
  EXPECT_EQ(run({TIMING_ATTACKS, "--folder", folder_.string(), "--only-grades"}), 0) << text_;
  EXPECT_TRUE(says("0 of 1 gained by it")) << text_;
  EXPECT_TRUE(says("not timed")) << text_;
  put("thrice.cu", 3);
  EXPECT_EQ(run({TIMING_ATTACKS, "--folder", folder_.string(), "--only-grades", "--only", "thrice"}), 0) << text_;
  EXPECT_TRUE(says("graded thrice: right") && says("0 of 1 gained by it")) << text_;
  EXPECT_EQ(run({TIMING_ATTACKS, "--folder", folder_.string(), "--only-grades", "--only", "four"}), 3);
  EXPECT_TRUE(says("contains no four.cu")) << text_;
}

TEST_F(TrustFlow, WithoutHonestWorkThereIsNothingToCompare) {
  put("quick.cu", 1);
  EXPECT_EQ(run({TIMING_ATTACKS, "--folder", folder_.string(), "--only-times"}), 3);
  EXPECT_TRUE(says("no honest.cu")) << text_;
}

}  // namespace
}  // namespace lanewise::trust_flow_test
