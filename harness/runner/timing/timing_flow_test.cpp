// Whole: sources are built, hosted by workers on the virtual GPU and timed side by side. What comes of it is asserted,
// not how long it took.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "harness/declared/known_labs.h"
#include "harness/runner/build/builder.h"
#include "harness/runner/session/backend.h"
#include "harness/runner/timing/timing.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHead =
    "#include \"vecadd.cuh\"\n"
    "__global__ void add(const float* a, const float* b, float* c, std::size_t n) {\n"
    "  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i] + b[i];\n}\n"
    "void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {\n";
constexpr const char* kHonest = "  add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);\n}\n";
constexpr const char* kTwice =
    "  add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);\n  add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);\n}\n";
// Does its work for as long as it thinks that it is warmed up, and hands out what it remembers from then on.
constexpr const char* kRemembers =
    "  static float* kept = nullptr;\n  static int calls = 0;\n"
    "  if (!kept) cudaMalloc(&kept, n * sizeof(float));\n"
    "  if (++calls > 4) {\n    cudaMemcpyAsync(d_c, kept, n * sizeof(float), cudaMemcpyDeviceToDevice);\n    return;\n "
    " }\n"
    "  add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);\n"
    "  cudaMemcpyAsync(kept, d_c, n * sizeof(float), cudaMemcpyDeviceToDevice);\n}\n";
constexpr const char* kReadsNull =
    "  static int calls = 0;\n  if (++calls > 6) *static_cast<volatile int*>(nullptr) = 1;\n"
    "  add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);\n}\n";

class TimingFlow : public ::testing::Test {
 protected:
  TimingFlow()
      : installation_(find_installation(LANEWISE_EXECUTABLE)),
        folder_(fs::temp_directory_path() / ("lanewise_timing_flow_test_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    installation_.cache = folder_ / "cache";
  }
  ~TimingFlow() override { fs::remove_all(folder_); }

  void SetUp() override {
    const auto labs = known_labs(installation_, {"vecadd"});
    ASSERT_TRUE(labs) << labs.sentence();
    const LabSelection lab = select_labs(*labs, {"vecadd"})->front();
    lab_file_ = lab.file;
    lab_ = *lab.lab;
    case_file_.name = "timed";
    case_file_.make.set("n", std::int64_t{5000});
    case_file_.make.set("low", -1.0);
    case_file_.make.set("high", 1.0);

    auto backend = choose_backend(BackendChoice::kVgpu, installation_);
    ASSERT_TRUE(backend) << backend.sentence();
    request_.session.worker = installation_.worker;
    backend->choose(request_.session);
    request_.session.monitors = "none";
    request_.session.profile = lab_file_.profile;
    request_.task = find_task(lab_, "vec_add_device");
    ASSERT_NE(request_.task, nullptr);
    request_.case_file = &case_file_;
    request_.lab = lab_.id;
    request_.setup.warm_up = 0.01;
    request_.setup.rule.fewest = 10;
    request_.setup.rule.shortest = 0;
    request_.setup.rule.half_width = 10;  // the machine may be busy: what is asserted does not depend on it
    request_.most = std::chrono::seconds(60);
  }

  void add(TimedRole role, const std::string& name, const char* body) {
    auto builder = Builder::create(installation_);
    ASSERT_TRUE(builder) << builder.sentence();
    const fs::path source = folder_ / (name + ".cu");
    std::ofstream(source) << kHead << body;
    const auto architecture = architecture_of_profile(lab_file_.profile);
    ASSERT_TRUE(architecture) << architecture.sentence();
    const auto build = builder->build(lab_file_, source, *architecture);
    ASSERT_TRUE(build) << build.sentence();
    ASSERT_TRUE(build->is_built) << build->message;
    request_.entries.push_back({role, name, build->shared_object});
  }

  Installation installation_;
  fs::path folder_;
  LabFile lab_file_;
  Lab lab_;
  CaseFile case_file_;
  TimingRequest request_;
};

TEST_F(TimingFlow, HonestEntriesHaveTimesAndWhoCheatsOrBreaksHasNone) {
  add(TimedRole::kBaseline, "baseline", kTwice);
  add(TimedRole::kReference, "reference", kHonest);
  add(TimedRole::kSubmission, "submission", kTwice);
  add(TimedRole::kPeer, "remembers", kRemembers);
  add(TimedRole::kPeer, "reads_null", kReadsNull);
  ASSERT_FALSE(HasFatalFailure());
  const auto result = time_entries(request_);
  ASSERT_TRUE(result) << result.sentence();
  ASSERT_EQ(result->entries.size(), 5U);
  for (std::size_t i = 0; i < 3; ++i) {
    const EntryTimes& each = result->entries[i];
    EXPECT_EQ(each.trouble, "") << i;
    EXPECT_EQ(each.review, "") << i;
    EXPECT_GT(each.time.milliseconds, 0) << i;
    EXPECT_GT(each.ratio.milliseconds, 0) << i;
  }
  EXPECT_GE(result->entries[2].samples, request_.setup.rule.fewest);
  EXPECT_EQ(result->sizes, "n = 5000");
  EXPECT_EQ(result->clocks, "");  // a virtual GPU has none
  EXPECT_NE(result->entries[3].trouble.find(": c["), std::string::npos) << result->entries[3].trouble;
  EXPECT_EQ(result->entries[3].time.milliseconds, 0);
  EXPECT_NE(result->entries[4].trouble.find("null pointer"), std::string::npos) << result->entries[4].trouble;
}

}  // namespace
}  // namespace lanewise
