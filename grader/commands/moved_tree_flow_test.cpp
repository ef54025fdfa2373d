// A built tree that was copied or moved: it checks its own labs, writes into itself, and leaves the old place alone.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/runner/process.h"

namespace lanewise::moved_tree_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kGenerous(4);
constexpr std::uintmax_t kLargestFile = 256 << 20;
constexpr std::size_t kMostOutput = 1 << 20;

class MovedTree : public ::testing::Test {
 protected:
  struct Outcome {
    int exit_code = -1;
    std::string text;
    Verdict verdict;
  };

  fs::path root() const { return folder_->path(); }

  // What a tree is checked with, and nothing that takes long to copy.
  void SetUp() override {
    ASSERT_TRUE(folder_) << folder_.sentence();
    const fs::path build = fs::path(LANEWISE_EXECUTABLE).parent_path();
    const fs::path first = root() / "first";
    for (const char* part : {"labs", "harness/worker", "datasets/images"})
      copy(fs::path(LANEWISE_TREE) / part, first / part);
    for (const char* part : {"datasets/catalogue.toml", "datasets/random.h"})
      copy(fs::path(LANEWISE_TREE) / part, first / part);
    for (const char* part : {"lanewise", "libexec", "toolchain", "vgpu", "CMakeCache.txt"})
      copy(build / part, first / "build" / part);
  }

  static void copy(const fs::path& from, const fs::path& to) {
    fs::create_directories(to.parent_path());
    fs::copy(from, to, fs::copy_options::recursive);
  }

  // Of every file below a folder.
  static std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      const auto content = read_file(entry.path(), kLargestFile);
      EXPECT_TRUE(content) << content.sentence();
      if (content) files.emplace(entry.path().lexically_relative(folder).string(), *content);
    }
    return files;
  }

  Outcome run(const fs::path& tree, std::vector<std::string> arguments) const {
    const fs::path json = root() / "results.json";
    fs::remove(json);
    ProcessOptions options;
    options.command = {tree / "build/lanewise"};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + (root() / "home").string()};
    if (const char* home = std::getenv("CUDA_HOME")) options.environment.push_back(std::string("CUDA_HOME=") + home);
    options.folder = root();
    Outcome outcome;
    const auto finished = run_to_end(options, kGenerous, kMostOutput);
    EXPECT_TRUE(finished) << finished.sentence();
    if (!finished) return outcome;
    outcome.exit_code = WIFEXITED(finished->status) ? WEXITSTATUS(finished->status) : -1;
    outcome.text = finished->output;
    const auto content = read_file(json, kLargestFile);
    const auto verdicts = content ? read_json_report(*content) : Expected<std::vector<Verdict>>(std::vector<Verdict>());
    if (verdicts && verdicts->size() == 1) outcome.verdict = verdicts->front();
    return outcome;
  }
  Outcome check(const fs::path& tree) const {
    return run(tree, {"check", "vec_add_device", "--backend", "vgpu", "--json", root() / "results.json"});
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};

TEST_F(MovedTree, ChecksItsOwnLabsAndWritesIntoItself) {
  const fs::path first = root() / "first";
  const fs::path second = root() / "second place";
  copy(first, second);
  const auto before = contents(first);
  fs::copy_file(fs::path(LANEWISE_TREE) / "solutions/vecadd/vec_add_device/2_float4.cu",
                second / "labs/vecadd/vecadd.cu", fs::copy_options::overwrite_existing);

  const Outcome copied = check(second);
  EXPECT_EQ(copied.exit_code, 0) << copied.text;
  EXPECT_GT(copied.verdict.points, 0) << copied.text;
  EXPECT_TRUE(fs::exists(second / "build/cache/submissions"));
  EXPECT_TRUE(fs::exists(second / "build/check/vecadd/report.html"));

  const fs::path third = root() / "third";
  fs::rename(second, third);
  const Outcome moved = check(third);
  EXPECT_EQ(moved.exit_code, 0) << moved.text;
  EXPECT_EQ(moved.verdict.points, copied.verdict.points) << moved.text;
  EXPECT_FALSE(fs::exists(second));

  EXPECT_EQ(contents(first), before) << "the place that it was copied from is touched";
  EXPECT_FALSE(fs::exists(root() / "home"));
  const Outcome old = check(first);
  EXPECT_EQ(old.exit_code, 0) << old.text;
  EXPECT_NE(old.text.find("not started"), std::string::npos) << old.text;
}

// One tree that root has built, in which students can write nothing. Each has what was compiled and graded for himself.
TEST_F(MovedTree, ServesAllUsersOfALabRoom) {
  if (getuid() != 0) GTEST_SKIP() << "only root can become other users";
  const fs::path tree = root() / "first";
  fs::permissions(root(), fs::perms(0755));
  const auto before = contents(tree);
  const auto check_as = [&](uid_t user) {
    const fs::path home = root() / ("home of " + std::to_string(user));
    fs::create_directories(home);
    EXPECT_EQ(chown(home.c_str(), user, user), 0);
    fs::copy_file(fs::path(LANEWISE_TREE) / "solutions/vecadd/vec_add_device/2_float4.cu", home / "vecadd.cu",
                  fs::copy_options::skip_existing);
    ProcessOptions options;
    const std::string id = std::to_string(user);
    options.command = {"/usr/bin/setpriv",
                       "--reuid",
                       id,
                       "--regid",
                       id,
                       "--clear-groups",
                       tree / "build/lanewise",
                       "check",
                       "vec_add_device",
                       "--backend",
                       "vgpu",
                       "--submission",
                       "vecadd.cu"};
    options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + home.string()};
    if (const char* cuda = std::getenv("CUDA_HOME")) options.environment.push_back(std::string("CUDA_HOME=") + cuda);
    options.folder = home;
    const auto finished = run_to_end(options, kGenerous, kMostOutput);
    EXPECT_TRUE(finished && WIFEXITED(finished->status) && WEXITSTATUS(finished->status) == 0) << finished->output;
    EXPECT_TRUE(fs::exists(home / ".cache/lanewise/submissions"));
    return finished->output;
  };
  for (const uid_t user : {1001, 1002}) {
    const std::string first = check_as(user);
    EXPECT_NE(first.find("15 of 15 cases right"), std::string::npos) << first;
    EXPECT_EQ(first.find("unchanged"), std::string::npos) << "somebody else's verdict";
    EXPECT_NE(check_as(user).find("unchanged since"), std::string::npos) << user;
  }
  EXPECT_EQ(contents(tree), before);
}

TEST_F(MovedTree, WhatIsMissingIsNamedInItsOwnPlace) {
  const fs::path first = root() / "first";
  fs::remove_all(first / "labs");
  const Outcome without_labs = check(first);
  EXPECT_EQ(without_labs.exit_code, 3);
  EXPECT_NE(without_labs.text.find((first / "labs").string() + ": there are no labs here"), std::string::npos)
      << without_labs.text;
}

TEST_F(MovedTree, WithoutProgramsForStudentsItSaysHowToMakeThem) {
  const Outcome release = run(root() / "first", {"release", "vecadd", "--out", "week-1.zip"});
  EXPECT_EQ(release.exit_code, 3);
  EXPECT_NE(release.text.find("make release OUT=week-1.zip"), std::string::npos) << release.text;
  EXPECT_FALSE(fs::exists(root() / "week-1.zip"));
}

}  // namespace
}  // namespace lanewise::moved_tree_flow_test
