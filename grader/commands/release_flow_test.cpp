// `lanewise release` as an instructor uses it, and what comes of it in a student's hands: programs that check at once,
// or sources that are built there.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/runner/process.h"

namespace lanewise::release_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kWholeBuild(45);
constexpr std::uintmax_t kLargestFile = 256 << 20;

struct Outcome {
  int exit_code = -1;
  std::string text;
};

std::string environment_or(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

Outcome run(std::vector<std::string> command, const fs::path& folder, std::vector<std::string> environment = {}) {
  ProcessOptions options;
  options.command = std::move(command);
  options.folder = folder;
  options.environment = std::move(environment);
  for (const auto& [name, otherwise] : {std::pair{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"HOME", "/nonexistent"}}) {
    const std::string setting = std::string(name) + "=";
    const auto sets_it = [&](const std::string& given) { return given.rfind(setting, 0) == 0; };
    if (std::none_of(options.environment.begin(), options.environment.end(), sets_it))
      options.environment.push_back(setting + environment_or(name, otherwise));
  }
  const auto finished = run_to_end(options, kWholeBuild, 1 << 20);
  if (!finished) return {-1, finished.sentence()};
  return {WIFEXITED(finished->status) ? WEXITSTATUS(finished->status) : -1, finished->output};
}

std::string content_of(const fs::path& file) {
  const auto content = read_file(file, kLargestFile);
  EXPECT_TRUE(content) << content.sentence();
  return content ? *content : "";
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

// Lines that say something: not too short, no comments.
std::set<std::string> telling_lines(const std::string& text) {
  constexpr std::size_t kTelling = 40;
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (line.size() >= kTelling && line.rfind("//", 0) != 0) lines.insert(line);
  }
  return lines;
}

enum class Form { kPrograms, kSource };

class ReleaseFlow : public ::testing::TestWithParam<Form> {
 protected:
  fs::path root() const { return folder_->path(); }

  // The tree may be at work: what is there counts, not what was committed. Programs are those that were just built.
  Outcome release(const std::vector<std::string>& more, const std::vector<std::string>& environment = {}) const {
    std::vector<std::string> command = {LANEWISE_EXECUTABLE, "release", "--uncommitted"};
    if (GetParam() == Form::kSource)
      command.emplace_back("--source");
    else
      command.insert(command.end(), {"--programs", fs::path(LANEWISE_EXECUTABLE).parent_path()});
    command.insert(command.end(), more.begin(), more.end());
    return run(command, root(), environment);
  }

  fs::path unpacked(const std::vector<std::string>& labs = {}) const {
    std::vector<std::string> arguments = labs;
    arguments.insert(arguments.end(), {"--out", "labs.tar.gz"});
    const Outcome made = release(arguments);
    EXPECT_EQ(made.exit_code, 0) << made.text;
    const Outcome taken = run({"/bin/tar", "-xzf", "labs.tar.gz"}, root());
    EXPECT_EQ(taken.exit_code, 0) << taken.text;
    return root() / "lanewise";
  }

  // What a check of vec_add_device gives, by the program at `lanewise` and with its own labs.
  Verdict verdict_of(const fs::path& lanewise, const std::vector<std::string>& environment) const {
    const fs::path json = root() / "results.json";
    const Outcome outcome = run({lanewise, "check", "vec_add_device", "--backend", "vgpu", "--json", json},
                                lanewise.parent_path().parent_path(), environment);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    const auto verdicts = read_json_report(content_of(json));
    EXPECT_TRUE(verdicts && verdicts->size() == 1 && verdicts->front().tasks.size() == 1);
    return verdicts && verdicts->size() == 1 ? verdicts->front() : Verdict();
  }

  // The skeleton has no points, and the reference in its place all there are.
  void expect_verdicts(const fs::path& lanewise, const std::vector<std::string>& environment) const {
    const fs::path tree = lanewise.parent_path().parent_path();
    EXPECT_EQ(verdict_of(lanewise, environment).points, 0);
    fs::copy_file(fs::path(LANEWISE_TREE) / "solutions/vecadd/vec_add_device/2_float4.cu",
                  tree / "labs/vecadd/vecadd.cu", fs::copy_options::overwrite_existing);
    const Verdict reference = verdict_of(lanewise, environment);
    ASSERT_EQ(reference.tasks.size(), 1U);
    std::map<std::string, std::pair<double, double>> parts;
    for (const PartScore& part : reference.tasks[0].parts) parts[part.name] = {part.points, part.max_points};
    for (const char* name : {"correct", "clean", "efficient", "fast"}) {
      ASSERT_EQ(parts.count(name), 1U) << name;
      EXPECT_GT(parts[name].second, 0) << name;
      EXPECT_EQ(parts[name].first, parts[name].second) << name;
    }
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};
INSTANTIATE_TEST_SUITE_P(Forms, ReleaseFlow, ::testing::Values(Form::kPrograms, Form::kSource),
                         [](const auto& form) { return form.param == Form::kSource ? "Source" : "Programs"; });

class ReleasedPrograms : public ReleaseFlow {};
INSTANTIATE_TEST_SUITE_P(Form, ReleasedPrograms, ::testing::Values(Form::kPrograms));

class ReleasedSource : public ReleaseFlow {};
INSTANTIATE_TEST_SUITE_P(Form, ReleasedSource, ::testing::Values(Form::kSource));

TEST_P(ReleaseFlow, SameBytesWhereverAndWheneverItIsMade) {
  for (const std::string name : {"labs.tar.gz", "labs.zip"}) {
    ASSERT_EQ(release({"--out", "one-" + name}).exit_code, 0);
    ASSERT_EQ(release({"--out", root() / ("other-" + name)}, {"TZ=XYZ-11:30", "LANG=C.UTF-8"}).exit_code, 0);
    EXPECT_EQ(content_of(root() / ("one-" + name)), content_of(root() / ("other-" + name)));
    const Outcome dated = release({"--out", "dated-" + name}, {"SOURCE_DATE_EPOCH=1000000000"});
    EXPECT_NE(dated.text.find("2001-09-09"), std::string::npos) << dated.text;
    ASSERT_EQ(release({"--out", "timed-" + name, "--time", "1000000000"}).exit_code, 0);
    EXPECT_EQ(content_of(root() / ("dated-" + name)), content_of(root() / ("timed-" + name)));
  }
  for (const auto& entry : fs::directory_iterator(root()))
    EXPECT_NE(entry.path().filename().string().front(), '.') << "something is left: " << entry.path();
}

TEST_P(ReleaseFlow, WhatMakesNoSenseIsSaidAndNothingIsWritten) {
  EXPECT_EQ(release({"nonsense", "--out", "a.zip"}).exit_code, 2);
  EXPECT_EQ(release({"--out", "a.rar"}).exit_code, 2);
  EXPECT_EQ(release({}).exit_code, 2);
  EXPECT_EQ(release({"--out", "a.zip", GetParam() == Form::kSource ? "--programs=." : "--source"}).exit_code, 2);
  EXPECT_EQ(release({"--out", "a.zip"}, {"SOURCE_DATE_EPOCH=yesterday"}).exit_code, 2);
  EXPECT_EQ(release({"--out", "/proc/none/a.zip"}).exit_code, 3);
  EXPECT_TRUE(fs::is_empty(root()));
}

// What an instructor uploads to a platform; grader/exports/autograders_test.cpp runs it.
TEST_P(ReleasedPrograms, AnAutograderHasAllThatItIsBuiltFrom) {
  const auto autograder = [this](const std::vector<std::string>& more) {
    std::vector<std::string> command = {LANEWISE_EXECUTABLE, "release", "--for", "autolab", "--out", "autograder"};
    command.insert(command.end(), more.begin(), more.end());
    return run(command, root());
  };
  EXPECT_EQ(autograder({"scan", "--list"}).exit_code, 2);
  EXPECT_TRUE(fs::is_empty(root()));
  const Outcome made = autograder({"scan", "--cases", "check", "--seed", "7"});
  ASSERT_EQ(made.exit_code, 0) << made.text;
  const Outcome scripts = run({"/bin/tar", "-xOf", "autograder/autograde.tar", "run_autograder"}, root());
  EXPECT_NE(scripts.text.find("\nlabs=\"scan\"\ncases=\"check\"\nseed=\"7\"\n"), std::string::npos) << scripts.text;
  const Outcome tree = run({"/bin/tar", "-tzf", "autograder/lanewise.tar.gz"}, root());
  for (const char* file :
       {"CMakePresets.json", "labs/scan/lab.toml", "scripts/prepare.sh", "solutions/scan/answers.toml"})
    EXPECT_NE(tree.text.find(std::string("\n") + file + "\n"), std::string::npos) << file;
}

TEST_P(ReleaseFlow, ListIsWhatIsInTheArchive) {
  const fs::path tree = unpacked({"scan"});
  std::set<std::string> inside;
  for (const fs::path& file : files_below(tree)) inside.insert("lanewise/" + file.lexically_relative(tree).string());
  const Outcome list = release({"scan", "--list"});
  std::set<std::string> listed;
  std::istringstream lines(list.text);
  for (std::string line; std::getline(lines, line);) listed.insert(line);
  EXPECT_EQ(listed, inside);
  EXPECT_EQ(inside.count("lanewise/labs/scan/scan.cu"), 1U);
  EXPECT_FALSE(fs::exists(tree / "labs" / "merge"));
  const std::string readme = content_of(tree / "labs" / "README.md");
  EXPECT_NE(readme.find("scan/README.md"), std::string::npos);
  EXPECT_EQ(readme.find("merge/README.md"), std::string::npos) << "the map names labs that are not there";
}

TEST_P(ReleaseFlow, NothingOfTheSolutionsIsInIt) {
  const fs::path tree = unpacked();
  const fs::path solutions = fs::path(LANEWISE_TREE) / "solutions";
  std::set<std::string> contents;
  std::map<std::string, fs::path> kernel_lines;
  for (const fs::path& file : files_below(solutions)) {
    contents.insert(content_of(file));
    if (file.extension() == ".cu")
      for (const std::string& line : telling_lines(content_of(file))) kernel_lines.emplace(line, file);
  }
  // What skeletons, contracts and handouts say themselves is no secret.
  for (const fs::path& file : files_below(fs::path(LANEWISE_TREE) / "labs"))
    if (file.extension() == ".cu" || file.extension() == ".cuh" || file.extension() == ".md")
      for (const std::string& line : telling_lines(content_of(file))) kernel_lines.erase(line);
  ASSERT_GT(kernel_lines.size(), 1000U) << "there is little to look for";

  for (const fs::path& file : files_below(tree)) {
    const std::string name = file.lexically_relative(tree).string();
    for (const char* part : {"solutions", "wrong", "attacks", "_test.", "secret"})
      EXPECT_EQ(name.find(part), std::string::npos) << name;
    const std::string content = content_of(file);
    EXPECT_EQ(contents.count(content), 0U) << name << " is a file of solutions/";
    if (file.extension() == ".png" || file.extension() == ".jpg") continue;
    std::map<fs::path, std::set<std::string>> told;
    for (const std::string& line : telling_lines(content))
      if (const auto known = kernel_lines.find(line); known != kernel_lines.end()) told[known->second].insert(line);
    // One line may be alike: an oracle has the same formula, every bisection the same middle. Two are a copy.
    for (const auto& [solution, lines] : told)
      EXPECT_LT(lines.size(), 2U) << name << " has lines of " << solution << ", such as: " << *lines.begin();
  }
}

TEST_P(ReleaseFlow, LinksOfWhatStudentsReadLeadSomewhere) {
  const fs::path tree = unpacked();
  std::size_t links = 0;
  for (const fs::path& file : files_below(tree)) {
    if (file.extension() != ".md") continue;
    const std::string text = content_of(file);
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      std::string link = text.substr(at + 2, text.find(')', at) - at - 2);
      link = link.substr(0, link.find('#'));
      if (link.empty() || link.rfind("http", 0) == 0) continue;
      ++links;
      EXPECT_TRUE(fs::exists(file.parent_path() / link)) << file << ": " << link;
    }
  }
  EXPECT_GT(links, 20U);
}

TEST_P(ReleasedPrograms, HoldNothingOfTheInstructors) {
  const fs::path tree = unpacked({"vecadd"});
  const fs::path lanewise = tree / "bin/lanewise";
  const Outcome help = run({lanewise, "--help"}, root());
  EXPECT_EQ(help.exit_code, 0) << help.text;
  for (const char* command : {"check", "data", "run", "restore", "nvcc", "profile", "submit"})
    EXPECT_NE(help.text.find(std::string("\n  ") + command), std::string::npos) << help.text;
  for (const char* command :
       {"bench", "board", "bundle", "demo", "grade", "regrade", "release", "reproduce", "serve"}) {
    EXPECT_EQ(help.text.find(std::string("\n  ") + command), std::string::npos) << help.text;
    EXPECT_EQ(run({lanewise, command}, root()).exit_code, 2) << command;
  }
  std::set<fs::path> programs;
  for (const fs::path& file : files_below(tree / "bin"))
    if (file.lexically_relative(tree / "bin").begin()->string() != "toolchain")
      programs.insert(file.lexically_relative(tree));
  programs.erase("bin/vgpu/libraries/libcuda.so.1");  // only of builds with the toolkit
  EXPECT_EQ(programs, (std::set<fs::path>{"bin/lanewise", "bin/libexec/lanewise-device", "bin/libexec/lanewise-worker",
                                          "bin/vgpu/libcudart.so.12", "bin/vgpu/libcudart.so.13",
                                          "bin/vgpu/libraries/lanewise-library-watch.so",
                                          "bin/vgpu/libraries/libcublas.so.12", "bin/vgpu/libraries/libcublas.so.13",
                                          "bin/vgpu/libraries/libcufft.so.11", "bin/vgpu/libraries/libcufft.so.12",
                                          "bin/vgpu/libraries/libcurand.so.10", "bin/vgpu/libraries/libcusparse.so.12",
                                          "bin/vgpu/program/libcudart.so.12", "bin/vgpu/program/libcudart.so.13"}));
  for (const fs::path& file : files_below(tree))
    EXPECT_TRUE(file.extension() != ".cpp" || file.filename() == "entry.cpp" || file.filename() == "oracle.cpp")
        << file << " is in the programs";
}

// As a student has it: the folder's name has a space, caches are the user's.
TEST_P(ReleasedPrograms, CheckWorkAsUnpacked) {
  const fs::path tree = root() / "my course";
  fs::rename(unpacked({"vecadd"}), tree);
  const std::vector<std::string> environment = {"LANG=C.UTF-8", "HOME=" + (root() / "home").string(),
                                                "CUDA_HOME=" + environment_or("CUDA_HOME", "/usr/local/cuda")};
  const Outcome skeleton = run({"/usr/bin/make", "check", "LAB=vecadd"}, tree, environment);
  ASSERT_EQ(skeleton.exit_code, 0) << skeleton.text;
  EXPECT_NE(skeleton.text.find("not started"), std::string::npos) << skeleton.text;
  std::set<fs::path> before;
  for (const fs::path& file : files_below(tree)) before.insert(file);
  expect_verdicts(tree / "bin/lanewise", environment);
  EXPECT_TRUE(fs::exists(root() / "home/.cache/lanewise"));
  for (const fs::path& file : files_below(tree))
    EXPECT_TRUE(before.count(file) == 1 || file.string().find("lanewise-reports/check") != std::string::npos) << file;
}

TEST_P(ReleasedSource, CanBeBuiltAndChecksTheirWork) {
  const fs::path tree = unpacked({"vecadd"});
  std::vector<std::string> environment = {"LANG=C.UTF-8", "CCACHE_BASEDIR=" + tree.string(), "CCACHE_NOHASHDIR=1",
                                          "CUDA_HOME=" + environment_or("CUDA_HOME", "/usr/local/cuda")};
  if (run({"/bin/sh", "-c", "command -v ccache"}, root()).exit_code == 0) {
    environment.push_back("CMAKE_C_COMPILER_LAUNCHER=ccache");
    environment.push_back("CMAKE_CXX_COMPILER_LAUNCHER=ccache");
    for (const char* name : {"CCACHE_DIR", "XDG_CACHE_HOME"})
      if (std::getenv(name) != nullptr) environment.push_back(std::string(name) + "=" + std::getenv(name));
  }
  // As make check would, but with the warnings of the tree's own build: what that has compiled, ccache knows.
  const Outcome configured = run(
      {LANEWISE_CMAKE, "--preset", "release", "-DLANEWISE_WERROR=" LANEWISE_WARNINGS_ARE_ERRORS}, tree, environment);
  ASSERT_EQ(configured.exit_code, 0) << configured.text;
  const Outcome skeleton = run({"/usr/bin/make", "check", "LAB=vecadd"}, tree, environment);
  EXPECT_NE(content_of(tree / "build/CMakeCache.txt").find("LANEWISE_TESTS:BOOL=OFF"), std::string::npos);
  ASSERT_EQ(skeleton.exit_code, 0) << skeleton.text;
  EXPECT_NE(skeleton.text.find("not started"), std::string::npos) << skeleton.text;
  expect_verdicts(tree / "build/lanewise", environment);
}

}  // namespace
}  // namespace lanewise::release_flow_test
