// A verdict is known again only for exactly the same work, and only if it would be the same again.
#include "grader/workplace/verdict_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "grader/workplace/temporary_folder.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& content) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << content;
}

// A lab, a submission and a workplace made of small files; only the compilers are real, and asked for no more than
// their version.
class VerdictCaches : public ::testing::Test {
 protected:
  VerdictCaches() : folder_(std::move(*TemporaryFolder::create())) {}

  void SetUp() override {
    Installation installation = this_installation();
    installation.clang_toolkit = installation.programs.parent_path() / "toolchain/cuda";  // of the build, beside tests/
    installation.programs = root();
    installation.cache = root() / "cache";
    installation.worker = root() / "libexec" / "lanewise-worker";
    auto builder = Builder::create(installation);
    ASSERT_TRUE(builder) << builder.sentence();
    workplace_.emplace(
        Workplace{installation,
                  std::move(*builder),
                  {"vgpu", "", root() / "libcudart", root() / "libexec/lanewise-device", "all", "", ""}});
    for (const char* file :
         {"lanewise", "libexec/lanewise-worker", "libexec/lanewise-device", "libcudart", "scan.cu", "answers.toml",
          "key.toml", "built/submission.so", "lab/lab.toml", "lab/scan.cuh", "lab/entry.cpp", "lab/questions.toml"})
      put(root() / file, file);
    lab_.id = "scan";
    lab_.folder = root() / "lab";
    lab_.contract = "scan.cuh";
    lab_.entry = "entry.cpp";
    lab_.tasks.emplace_back().name = "inclusive_scan";
    for (const char* name : {"small", "large"}) lab_.tasks[0].cases.emplace_back().name = name;
    lab_.tasks[0].cases[1].backend = "gpu";
    request_.file = &lab_;
    request_.source = root() / "scan.cu";
    request_.answers = root() / "answers.toml";
    request_.key = root() / "key.toml";
    request_.pictures = root() / "pictures";
    build_.is_built = true;
    build_.shared_object = root() / "built" / "submission.so";
  }

  const fs::path& root() const { return folder_.path(); }
  std::optional<std::string> key() const { return VerdictCache(*workplace_).key_of(request_, build_); }

  static Verdict verdict(double points, CaseOutcome small = CaseOutcome::kRight,
                         CaseOutcome large = CaseOutcome::kLeftOut) {
    Verdict verdict;
    verdict.points = points;
    TaskVerdict& task = verdict.tasks.emplace_back();
    task.task = "inclusive_scan";
    task.state = TaskState::kGraded;
    for (const char* name : {"small", "large"}) task.cases.emplace_back().name = name;
    task.cases[0].outcome = small;
    task.cases[1].outcome = large;
    return verdict;
  }

  TemporaryFolder folder_;
  std::optional<Workplace> workplace_;
  LabFile lab_;
  GradeRequest request_;
  Build build_;
};

TEST_F(VerdictCaches, WhateverDecidesAVerdictIsInItsKey) {
  struct Change {
    const char* what;
    std::function<void()> make;
  };
  const auto rewrite = [this](const char* file) {
    return [this, file] { put(root() / file, "changed " + std::string(file)); };
  };
  const Change changes[] = {
      {"the source", rewrite("scan.cu")},
      {"a header it includes, and so what is built", rewrite("built/submission.so")},
      {"the answers", rewrite("answers.toml")},
      {"no answers", [this] { fs::remove(root() / "answers.toml"); }},
      {"the key", rewrite("key.toml")},
      {"lab.toml", rewrite("lab/lab.toml")},
      {"the contract", rewrite("lab/scan.cuh")},
      {"the entry", rewrite("lab/entry.cpp")},
      {"the questions", rewrite("lab/questions.toml")},
      {"lanewise itself", rewrite("lanewise")},
      {"the worker", rewrite("libexec/lanewise-worker")},
      {"the devices", rewrite("libexec/lanewise-device")},
      {"the runtime", rewrite("libcudart")},
      {"the seed", [this] { request_.seed = 7; }},
      {"the groups",
       [this] {
         request_.groups = {"check", "grade"};
       }},
      {"the tasks", [this] { request_.tasks = {"inclusive_scan"}; }},
      {"the libraries", [this] { request_.may_use_libraries = true; }},
      {"the device", [this] { workplace_->backend.device = "NVIDIA H200"; }},
      {"the architecture", [this] { workplace_->backend.architecture = "90"; }},
      {"the backend", [this] { workplace_->backend.name = "gpu"; }},
      {"the shipped data", [] { setenv("LANEWISE_DATASETS", "/elsewhere", 1); }},
      {"more data", [] { setenv("LANEWISE_DATA", "/more", 1); }},
      {"the compiler's words", [this] { build_.is_built = false, build_.message = "scan.cu(3): error"; }},
      {"other words", [this] { build_.message = "scan.cu(4): error"; }},
  };
  unsetenv("LANEWISE_DATASETS");
  unsetenv("LANEWISE_DATA");
  std::set<std::string> keys;
  ASSERT_TRUE(key());
  keys.insert(*key());
  EXPECT_EQ(keys.count(*key()), 1U) << "the same work has another key";
  for (const Change& change : changes) {
    change.make();
    ASSERT_TRUE(key()) << change.what;
    EXPECT_TRUE(keys.insert(*key()).second) << change.what << " makes no difference";
  }
  unsetenv("LANEWISE_DATASETS");
  unsetenv("LANEWISE_DATA");
}

TEST_F(VerdictCaches, WithoutItsFilesAVerdictHasNoKey) {
  fs::remove(build_.shared_object);
  EXPECT_FALSE(key());
  build_.is_built = false;
  EXPECT_TRUE(key());
  fs::remove(request_.source);
  EXPECT_FALSE(key());
}

TEST_F(VerdictCaches, VerdictAndPicturesAreKept) {
  const VerdictCache cache(*workplace_);
  put(request_.pictures / "small" / "got.png", "picture");
  EXPECT_FALSE(cache.find("key"));
  cache.keep("key", verdict(12), request_);
  fs::remove_all(request_.pictures);
  const auto known = cache.find("key");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->verdict.points, 12);
  EXPECT_TRUE(fs::exists(known->pictures / "small" / "got.png"));
  EXPECT_FALSE(cache.find("another key"));
}

TEST_F(VerdictCaches, LaterVerdictTakesThePlaceOfTheEarlier) {
  const VerdictCache cache(*workplace_);
  cache.keep("key", verdict(12), request_);
  cache.keep("key", verdict(34), request_);
  ASSERT_TRUE(cache.find("key"));
  EXPECT_EQ(cache.find("key")->verdict.points, 34);
  cache.keep("key", verdict(0, CaseOutcome::kTimedOut), request_);
  EXPECT_FALSE(cache.find("key")) << "the earlier verdict is in doubt";
  for (const fs::directory_entry& entry : fs::directory_iterator(workplace_->installation.cache))
    EXPECT_EQ(entry.path().filename(), "verdicts") << "something is left behind";
}

TEST_F(VerdictCaches, WhatMayEndOtherwiseIsNotKept) {
  const VerdictCache cache(*workplace_);
  const auto is_kept = [&](const Verdict& verdict) {
    cache.keep("key", verdict, request_);
    return cache.find("key").has_value();
  };
  EXPECT_TRUE(is_kept(verdict(1, CaseOutcome::kWrong)));
  EXPECT_FALSE(is_kept(verdict(1, CaseOutcome::kTimedOut)));
  EXPECT_FALSE(is_kept(verdict(1, CaseOutcome::kNotRun)));
  EXPECT_FALSE(is_kept(verdict(1, CaseOutcome::kLeftOut))) << "its data may be there next time";
  // Case "large" is for GPUs: on the virtual GPU it is always left out, on a GPU it is not.
  EXPECT_TRUE(is_kept(verdict(1, CaseOutcome::kRight, CaseOutcome::kLeftOut)));
  workplace_->backend.name = "gpu";
  EXPECT_FALSE(is_kept(verdict(1, CaseOutcome::kRight, CaseOutcome::kLeftOut)));
}

TEST_F(VerdictCaches, TheLastVerdictIsKeptWhateverTheFileHoldsNow) {
  const VerdictCache cache(*workplace_);
  EXPECT_FALSE(cache.last(request_));
  cache.keep_last(request_, verdict(12));
  put(request_.source, "something else");
  ASSERT_TRUE(cache.last(request_));
  EXPECT_EQ(cache.last(request_)->verdict.points, 12);
  cache.keep_last(request_, verdict(20));
  EXPECT_EQ(cache.last(request_)->verdict.points, 20);
  request_.groups = {"grade"};
  EXPECT_FALSE(cache.last(request_)) << "of other cases";
}

}  // namespace
}  // namespace lanewise
