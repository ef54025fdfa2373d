// With the real compiler and the real worker on the virtual GPU: honest work is graded in the sandbox as it is outside,
// and every file of grader/attacks/sandbox gets what it declares and leaves nothing behind.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "grader/attacks/verdict_words_test.h"
#include "grader/sandbox/sandbox.h"
#include "harness/declared/known_labs.h"
#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/runner/find.h"
#include "harness/runner/verdict/grade.h"

namespace lanewise::sandbox_flow_test {
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
    auto files = known_labs(installation_);
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

  // As grade_in, with what the compiler may use cut down to what honest files need: bombs go off at once.
  static Confinement with_small_limits(Confinement sandbox) {
    return [sandbox = std::move(sandbox)](ProcessOptions options, const Reach& reach) {
      options = sandbox(std::move(options), reach);
      if (reach.work == ForeignWork::kCompile) {
        options.limits.cpu_seconds = 10;
        options.limits.data_bytes = std::uint64_t{1} << 30;
        options.limits.file_bytes = 64 << 20;
      }
      return options;
    };
  }

  Installation installation_;
  LabSelection lab_;
  Backend backend_;
  fs::path folder_;
};

std::string with_body(const std::string& body) {
  std::string source = kHonest;
  source.insert(0,
                "#include <sched.h>\n#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n");
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
      {"never ends", with_body("for (;;) pause();")},
      {"asks for what is refused", with_body("if (fork() == 0) for (;;) pause();\n  unshare(CLONE_NEWUSER);")},
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

std::vector<std::string> attacks() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(LANEWISE_ATTACKS_FOLDER "/sandbox"))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

struct Declared {
  std::string state;
  std::string words;
};

Declared declared_by(const std::string& source) {
  std::istringstream lines(source);
  std::string tries;
  std::string outcome;
  std::getline(lines, tries);
  std::getline(lines, outcome);
  const std::string begin = "// outcome: ";
  EXPECT_EQ(tries.rfind("// tries: ", 0), 0U) << tries;
  EXPECT_EQ(outcome.rfind(begin, 0), 0U) << outcome;
  const std::size_t colon = outcome.find(": ", begin.size());
  EXPECT_NE(colon, std::string::npos) << outcome;
  return {outcome.substr(begin.size(), colon - begin.size()), outcome.substr(colon + 2)};
}

const char* name_of(TaskState state) {
  switch (state) {
    case TaskState::kCompileError:
      return "compile error";
    case TaskState::kRefused:
      return "refused";
    case TaskState::kGraded:
      return "graded";
    default:
      return "not started";
  }
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) names.insert(entry.path().string());
  return names;
}

class SandboxAttacks : public SandboxFlow, public ::testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(Files, SandboxAttacks, ::testing::ValuesIn(attacks()),
                         [](const auto& file) { return file.param; });

TEST_P(SandboxAttacks, GetsWhatItDeclaresAndLeavesNothing) {
  const Confinement sandbox = with_small_limits(sandbox_of(installation_));
  const auto text = read_file(fs::path(LANEWISE_ATTACKS_FOLDER "/sandbox") / (GetParam() + ".cu"), 1 << 20);
  ASSERT_TRUE(text) << text.sentence();
  std::string source = replaced(*text, "@THEIRS@", (folder_ / "theirs" / "vecadd.cu").string());
  source = replaced(source, "@HERS@", (folder_ / "hers" / "vecadd.cu").string());
  source = replaced(source, "@FOLDER@", (folder_ / "hers").string());
  const Declared declared = declared_by(source);
  std::ofstream(folder_ / "hers" / "vecadd.cu").put(0);
  const auto before = names_in(folder_);

  const auto verdict = grade_in(sandbox, source);
  std::string state = "not graded";
  std::string words = verdict ? "" : verdict.sentence();
  if (verdict) {
    ASSERT_EQ(verdict->tasks.size(), 1U);
    state = name_of(verdict->tasks[0].state);
    words = words_of(*verdict);
    static const auto kHonestVerdict = grade_in(sandbox, kHonest);
    EXPECT_LE(verdict->points, kHonestVerdict->points) << words;
    // Declared of those that gain nothing and lose nothing.
    if (declared.words == "right") {
      EXPECT_EQ(verdict->points, kHonestVerdict->points) << words;
    }
  }
  EXPECT_EQ(state, declared.state) << words;
  if (declared.words != "right") {
    EXPECT_NE(words.find(declared.words), std::string::npos) << words;
  }
  EXPECT_EQ(words.find(kSecret), std::string::npos) << words;
  EXPECT_EQ(words.find("root:"), std::string::npos) << words;
  for (const std::string& name : names_in(folder_))
    if (name.rfind(installation_.cache.string(), 0) != 0) {
      EXPECT_EQ(before.count(name), 1U) << name;
    }
}

}  // namespace
}  // namespace lanewise::sandbox_flow_test
