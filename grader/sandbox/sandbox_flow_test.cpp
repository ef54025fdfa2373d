// With the real compiler and the real worker on the virtual GPU: honest work is graded in the sandbox as it is outside,
// and every file of grader/attacks/sandbox gets what it declares and leaves nothing behind.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "grader/sandbox/sandbox.h"
#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/runner/find.h"
#include "harness/runner/grade.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr double kTimeLimit = 2;
constexpr const char* kSecret = "the work of another student";

// Part of every attack: vec_add_device as it should be.
constexpr const char* kHonest = R"cuda(
#include "vecadd.cuh"
__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
void vec_add(const float*, const float*, float*, int) {}
void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
)cuda";

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + by.size()))
    text.replace(at, part.size(), by);
  return text;
}

class SandboxFlow : public ::testing::Test {
 protected:
  void SetUp() override {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // what is left behind becomes a child of this process, and is seen
    folder_ = fs::temp_directory_path() / ("lanewise_sandbox_flow_test_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "hers");
    fs::create_directories(folder_ / "theirs");
    std::ofstream(folder_ / "theirs" / "vecadd.cu") << "#define SECRET \"" << kSecret << "\"\n";

    installation_ = find_installation(LANEWISE_EXECUTABLE);
    installation_.cache = folder_ / "cache";
    labs_ = all_labs();
    auto files = read_labs(labs_, installation_.labs);
    ASSERT_TRUE(files) << files.sentence();
    auto selected = select_labs(*files, {"vecadd"});
    ASSERT_TRUE(selected) << selected.sentence();
    lab_ = selected->front();
    for (TaskFile& task : lab_.file.tasks) task.time_limit_seconds = kTimeLimit;
    auto backend = choose_backend(BackendChoice::kVgpu, installation_);
    ASSERT_TRUE(backend) << backend.sentence();
    backend_ = *backend;
  }
  void TearDown() override {
    fs::remove_all(folder_);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "something is left running";
  }

  static Confinement sandbox_of(const Installation& installation) {
    auto sandbox = open_sandbox(installation);
    EXPECT_TRUE(sandbox) << sandbox.sentence();
    return sandbox ? sandbox->confinement : nullptr;
  }

  Expected<Verdict> grade_in(const Confinement& confinement, const std::string& source) {
    const fs::path file = folder_ / "hers" / "vecadd.cu";
    std::ofstream(file) << source;
    auto builder = Builder::create(installation_, confinement);
    if (!builder) return builder.failure();
    GradeRequest request;
    request.lab = lab_.lab;
    request.file = &lab_.file;
    request.source = file;
    request.tasks = {"vec_add_device"};
    auto verdict = grade(request, installation_, *builder, backend_);
    if (!verdict) return verdict;
    verdict->seconds = 0;
    for (TaskVerdict& task : verdict->tasks)
      for (CaseVerdict& each : task.cases) each.seconds = 0;
    return verdict;
  }

  std::vector<Lab> labs_;
  Installation installation_;
  LabSelection lab_;
  Backend backend_;
  fs::path folder_;
};

std::string with_body(const std::string& body) {
  std::string source = kHonest;
  source.insert(0, "#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n");
  return replaced(source, "std::size_t n) {\n  if (n", "std::size_t n) {\n  " + body + "\n  if (n");
}

TEST_F(SandboxFlow, VerdictsAreTheSameAsOutside) {
  const Confinement sandbox = sandbox_of(installation_);
  const std::pair<const char*, std::string> submissions[] = {
      {"right", kHonest},
      {"does not compile", replaced(kHonest, "c[i] =", "d[i] =")},
      {"includes what is not there", std::string("#include \"mine.h\"\n") + kHonest},
      {"reads null", with_body("volatile float* p = nullptr; p[3] = n ? 1 : 2;")},
      {"aborts", with_body("std::puts(\"so far\"); std::abort();")},
      {"is killed", with_body("std::raise(SIGKILL);")},
      {"exits with the code a shell gives a crash", with_body("_exit(139);")},
      {"exits with the code of a launcher", with_body("_exit(127);")},
      {"never ends", with_body("for (volatile int i = 0;; i = i + 1) {}")},
      {"forks", with_body("if (fork() == 0) for (;;) pause();")},
      {"closes its channel", with_body("for (int i = 3; i < 4096; ++i) close(i);")},
  };
  for (const auto& [name, source] : submissions) {
    const auto outside = grade_in(nullptr, source);
    const auto inside = grade_in(sandbox, source);
    ASSERT_TRUE(outside) << name << ": " << outside.sentence();
    ASSERT_TRUE(inside) << name << ": " << inside.sentence();
    EXPECT_EQ(json_report({*inside}), json_report({*outside})) << name;
  }
}

}  // namespace
}  // namespace lanewise
