// The autograder's scripts run in a made-up /autograder, the second with the real lanewise.
#include "grader/exports/gradescope.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/exports/sample_class_test.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"

namespace lanewise::exports_test {
namespace {

namespace fs = std::filesystem;

class Gradescope : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::create();
    ASSERT_TRUE(folder) << folder.sentence();
    folder_.emplace(std::move(*folder));
    for (const char* name : {"source", "submission"}) fs::create_directories(root() / name);
    // The user who runs the tests is there, and needs no account of their own.
    environment_ = "AUTOGRADER='" + root().string() + "' RUNS_AS=\"$(id -un)\" CUDA_HOME='" LANEWISE_CUDA_HOME "' ";
  }

  void write(const GradedClass& graded) {
    const auto failure = write_gradescope(graded, root() / "source");
    ASSERT_FALSE(failure) << failure->sentence;
  }
  fs::path root() const { return folder_->path(); }
  std::pair<std::string, int> run(const std::string& script, const std::string& more = "") {
    return run_command(environment_ + more + " '" + (root() / "source" / script).string() + "' 2>&1");
  }
  void put(const fs::path& file, const std::string& content) {
    fs::create_directories((root() / file).parent_path());
    std::ofstream(root() / file) << content;
  }

  std::optional<TemporaryFolder> folder_;
  std::string environment_;
};

TEST_F(Gradescope, ScriptsAreCleanAndExecutable) {
  write(sample_class());
  for (const char* script : {"setup.sh", "run_autograder"}) {
    const fs::path file = root() / "source" / script;
    EXPECT_NE(fs::status(file).permissions() & fs::perms::others_exec, fs::perms::none);
    EXPECT_EQ(run_command("sh -n '" + file.string() + "'").second, 0);
    if (!is_installed("shellcheck")) continue;
    const auto [output, code] = run_command("shellcheck '" + file.string() + "'");
    EXPECT_EQ(code, 0) << output;
  }
}

TEST_F(Gradescope, RunsTheClassesLabsCasesAndSeed) {
  const std::string script = gradescope_run(sample_class());
  for (const char* line : {"\nlabs=\"scan vecadd\"\n", "\ncases=\"grade\"\n", "\nseed=\"77\"\n"})
    EXPECT_NE(script.find(line), std::string::npos) << line;
  EXPECT_EQ(script.find('@'), script.find("\"$@\"") + 2) << "a mark was not filled in";
}

TEST_F(Gradescope, NothingOfALabsIdIsCarriedOut) {
  GradedClass graded = sample_class();
  graded.labs = {{"$(touch x)", "", 0}, {"--json", "", 0}, {"a b", "", 0}, {"scan", "", 0}};
  graded.cases = "\"; touch x; \"";
  EXPECT_NE(gradescope_run(graded).find("\nlabs=\"scan\"\ncases=\"check\"\n"), std::string::npos);
}

TEST_F(Gradescope, SetupUnpacksAndBuildsTheTree) {
  // A tree that says what it was asked for; the real one takes minutes to build.
  put("tree/inner/CMakePresets.json", "{}");
  put("tree/inner/scripts/prepare.sh", "#!/bin/sh\necho prepare \"$@\" >> asked\n");
  put("tree/inner/scripts/build.sh", "#!/bin/sh\necho build \"$@\" >> asked\n");
  ASSERT_EQ(run_command("cd '" + root().string() + "' && chmod +x tree/inner/scripts/*.sh && tar -czf " +
                        "source/lanewise.tar.gz -C tree inner")
                .second,
            0);
  write(sample_class());
  for (int time = 0; time < 2; ++time) {
    const auto [output, code] = run("setup.sh");
    ASSERT_EQ(code, 0) << output;
    const auto asked = read_file(root() / "lanewise/asked", 1000);
    ASSERT_TRUE(asked) << asked.sentence();
    EXPECT_EQ(*asked, "prepare build\nbuild lanewise\n");
  }
}

TEST_F(Gradescope, SetupSaysWhatIsMissing) {
  write(sample_class());
  auto [output, code] = run("setup.sh");
  EXPECT_EQ(code, 3);
  EXPECT_NE(output.find("lanewise.tar.gz is missing: make it with  git archive"), std::string::npos) << output;
  ASSERT_EQ(run_command("tar -czf '" + (root() / "source/lanewise.tar.gz").string() + "' -C '" +
                        (root() / "source").string() + "' README.md")
                .second,
            0);
  std::tie(output, code) = run("setup.sh");
  EXPECT_EQ(code, 3);
  EXPECT_NE(output.find("holds no Lanewise"), std::string::npos) << output;
}

TEST_F(Gradescope, NoResultsAreLeftWhereNothingCouldBeRun) {
  write(sample_class());
  put("results/results.json", "{\"score\": 100}");
  put("lanewise.sh", "#!/bin/sh\nexit 3\n");
  ASSERT_EQ(run_command("chmod +x '" + (root() / "lanewise.sh").string() + "'").second, 0);
  const auto [output, code] = run("run_autograder", "LANEWISE='" + (root() / "lanewise.sh").string() + "'");
  EXPECT_EQ(code, 3);
  EXPECT_NE(output.find("ended with code 3 and there are no results"), std::string::npos) << output;
  EXPECT_FALSE(fs::exists(root() / "results/results.json"));
}

#ifdef LANEWISE_EXECUTABLE
GradedClass class_of(const std::string& lab) {
  GradedClass graded = sample_class();
  graded.labs = {{lab, "A lab", 75}};
  graded.cases = "check";
  return graded;
}

TEST_F(Gradescope, ASubmissionIsGraded) {
  write(class_of("vecadd"));
  put("results/results.json", "an old one");
  fs::copy_file(fs::path(LANEWISE_SUBMISSION), root() / "submission/vecadd.cu");
  const auto [output, code] = run("run_autograder", "LANEWISE='" LANEWISE_EXECUTABLE "'");
  ASSERT_EQ(code, 0) << output;
  const auto json = read_file(root() / "results/results.json", 1 << 24);
  ASSERT_TRUE(json) << json.sentence();
  const auto report = nlohmann::json::parse(*json);
  EXPECT_GT(report.at("score").get<double>(), 0);
  EXPECT_EQ(report.at("tests").at(0).at("name").get<std::string>().substr(0, 6), "vecadd") << output;
  EXPECT_EQ(report.at("extra_data").at("verdicts").at(0).at("seed"), 77);
}

TEST_F(Gradescope, AnEmptySubmissionHasResultsThatSaySo) {
  write(class_of("vecadd"));
  const auto [output, code] = run("run_autograder", "LANEWISE='" LANEWISE_EXECUTABLE "'");
  ASSERT_EQ(code, 0) << output;
  const auto json = read_file(root() / "results/results.json", 1 << 24);
  ASSERT_TRUE(json) << json.sentence();
  const auto report = nlohmann::json::parse(*json);
  EXPECT_EQ(report.at("tests").at(0).at("name"), "vecadd · not graded");
}
#endif

}  // namespace
}  // namespace lanewise::exports_test
