// The autograders' scripts run in folders laid out as the platforms do it, with the real lanewise; what they leave is
// as the platforms' documentation says.
#include "grader/exports/autograders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "grader/exports/gradescope_schema_test.h"
#include "grader/exports/sample_class_test.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"

namespace lanewise::exports_test {
namespace {

namespace fs = std::filesystem;

class Autograders : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::create();
    ASSERT_TRUE(folder) << folder.sentence();
    folder_.emplace(std::move(*folder));
    for (const char* name : {"source", "submission"}) fs::create_directories(root() / name);
    // The user who runs the tests is there, and needs no account of their own.
    environment_ = "AUTOGRADER='" + root().string() + "' RUNS_AS=\"$(id -un)\" CUDA_HOME='" LANEWISE_CUDA_HOME "' ";
  }

  void write(const std::string& platform = "gradescope", std::vector<std::string> labs = {"vecadd"}) {
    const auto failure = write_autograder({platform, std::move(labs), "check", 77}, root() / "source");
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

TEST_F(Autograders, ScriptsAreCleanAndExecutable) {
  for (const char* platform : {"gradescope", "autolab", "prairielearn", "classroom50", "submitty"}) {
    write(platform, {"scan", "vecadd"});
    for (const auto& file : autograder_files({platform, {"scan", "vecadd"}, "grade", 77})) {
      const fs::path path = root() / "source" / file.path;
      EXPECT_EQ((fs::status(path).permissions() & fs::perms::others_exec) != fs::perms::none, file.is_executable)
          << path;
      std::string type = path.extension().string();
      if (file.is_executable) type = "sh";
      if (type == ".json") {
        EXPECT_FALSE(nlohmann::json::parse(file.content, nullptr, false).is_discarded()) << file.content;
      }
      if (type == ".py") {
        EXPECT_EQ(run_command("python3 -m py_compile '" + path.string() + "' 2>&1").second, 0) << path;
      }
      if (type == "sh" && is_installed("shellcheck")) {
        const auto [output, code] = run_command("shellcheck '" + path.string() + "'");
        EXPECT_EQ(code, 0) << output;
      }
    }
  }
}

std::string content_of(const Autograder& autograder, const std::string& path) {
  for (const AutograderFile& file : autograder_files(autograder))
    if (file.path == path) return file.content;
  return "";
}

TEST_F(Autograders, RunTheLabsCasesAndSeedTheyAreFor) {
  const std::string script = content_of({"gradescope", {"scan", "vecadd"}, "grade", 77}, "run_autograder");
  for (const char* line : {"\nlabs=\"scan vecadd\"\n", "\ncases=\"grade\"\n", "\nseed=\"77\"\n"})
    EXPECT_NE(script.find(line), std::string::npos) << line;
  const std::regex mark("@[a-z]+@");
  for (const char* platform : {"gradescope", "autolab", "prairielearn", "classroom50", "submitty"})
    for (const AutograderFile& file : autograder_files({platform, {"scan"}, "grade", 77}))
      EXPECT_FALSE(std::regex_search(file.content, mark)) << platform << "/" << file.path;
}

TEST_F(Autograders, NothingOfALabsIdIsCarriedOut) {
  const Autograder autograder{"gradescope", {"$(touch x)", "--json", "a b", "scan"}, "\"; touch x; \"", 1};
  EXPECT_NE(content_of(autograder, "run_autograder").find("\nlabs=\"scan\"\ncases=\"check\"\n"), std::string::npos);
}

TEST_F(Autograders, SetupUnpacksAndBuildsTheTree) {
  // A tree that says what it was asked for; the real one takes minutes to build.
  put("tree/inner/CMakePresets.json", "{}");
  put("tree/inner/scripts/prepare.sh", "#!/bin/sh\necho prepare \"$@\" >> asked\n");
  put("tree/inner/scripts/build.sh", "#!/bin/sh\necho build \"$@\" >> asked\n");
  ASSERT_EQ(run_command("cd '" + root().string() + "' && chmod +x tree/inner/scripts/*.sh && tar -czf " +
                        "source/lanewise.tar.gz -C tree inner")
                .second,
            0);
  write();
  for (int time = 0; time < 2; ++time) {
    const auto [output, code] = run("setup.sh");
    ASSERT_EQ(code, 0) << output;
    const auto asked = read_file(root() / "lanewise/asked", 1000);
    ASSERT_TRUE(asked) << asked.sentence();
    EXPECT_EQ(*asked, "prepare build\nbuild lanewise\n");
  }
}

TEST_F(Autograders, SetupSaysWhatIsMissing) {
  write();
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

TEST_F(Autograders, NoResultsAreLeftWhereNothingCouldBeRun) {
  write();
  put("results/results.json", "{\"score\": 100}");
  put("lanewise.sh", "#!/bin/sh\nexit 3\n");
  ASSERT_EQ(run_command("chmod +x '" + (root() / "lanewise.sh").string() + "'").second, 0);
  const auto [output, code] = run("run_autograder", "LANEWISE='" + (root() / "lanewise.sh").string() + "'");
  EXPECT_EQ(code, 3);
  EXPECT_NE(output.find("ended with code 3 and there are no results"), std::string::npos) << output;
  EXPECT_FALSE(fs::exists(root() / "results/results.json"));
}

TEST_F(Autograders, PointsAreNotLostToASmallContainer) {
  write();
  put("cgroup/memory.events", "low 0\noom 3\noom_kill 3\n");
  put("lanewise.sh", "#!/bin/sh\nfor last; do :; done\necho '{\"score\": 65}' > \"${last#*:}\"\n");
  put("killed.sh", "#!/bin/sh\necho oom_kill 4 > '" + (root() / "cgroup/memory.events").string() + "'\nexec '" +
                       (root() / "lanewise.sh").string() + "' \"$@\"\n");
  ASSERT_EQ(run_command("chmod +x '" + root().string() + "'/*.sh").second, 0);
  const std::string cgroup = "CGROUP='" + (root() / "cgroup").string() + "' LANEWISE='" + root().string();
  auto [output, code] = run("run_autograder", cgroup + "/lanewise.sh'");
  EXPECT_EQ(code, 0) << output;
  EXPECT_TRUE(fs::exists(root() / "results/results.json"));
  std::tie(output, code) = run("run_autograder", cgroup + "/killed.sh'");
  EXPECT_EQ(code, 3);
  EXPECT_NE(output.find("memory ran out"), std::string::npos) << output;
  EXPECT_FALSE(fs::exists(root() / "results/results.json"));
}

#ifdef LANEWISE_EXECUTABLE
TEST_F(Autograders, ASubmissionIsGraded) {
  write();
  put("results/results.json", "an old one");
  fs::copy_file(fs::path(LANEWISE_SUBMISSION), root() / "submission/vecadd.cu");
  const auto [output, code] = run("run_autograder", "LANEWISE='" LANEWISE_EXECUTABLE "'");
  ASSERT_EQ(code, 0) << output;
  const auto json = read_file(root() / "results/results.json", 1 << 24);
  ASSERT_TRUE(json) << json.sentence();
  const auto report = nlohmann::json::parse(*json);
  EXPECT_EQ(against_schema(report), "");
  EXPECT_GT(report.at("score").get<double>(), 0);
  EXPECT_EQ(report.at("tests").at(0).at("name").get<std::string>().substr(0, 6), "vecadd") << output;
  EXPECT_EQ(report.at("extra_data").at("verdicts").at(0).at("seed"), 77);
}

TEST_F(Autograders, AnEmptySubmissionHasResultsThatSaySo) {
  write();
  const auto [output, code] = run("run_autograder", "LANEWISE='" LANEWISE_EXECUTABLE "'");
  ASSERT_EQ(code, 0) << output;
  const auto json = read_file(root() / "results/results.json", 1 << 24);
  ASSERT_TRUE(json) << json.sentence();
  const auto report = nlohmann::json::parse(*json);
  EXPECT_EQ(report.at("tests").at(0).at("name"), "vecadd · not graded");
}

// A platform's own layout, with a submission in it that has one of two tasks right, or one that does not compile.
class Platforms : public Autograders {
 protected:
  void SetUp() override {
    if (!is_installed("python3")) GTEST_SKIP() << "python3 is not there, which two of them run";
    Autograders::SetUp();
  }
  void submit(const fs::path& folder, bool compiles = true) {
    fs::create_directories(root() / folder);
    if (compiles)
      fs::copy_file(fs::path(LANEWISE_SUBMISSION), root() / folder / "vecadd.cu");
    else
      put(folder / "vecadd.cu",
          "#include \"vecadd.cuh\"\nvoid vec_add(const float* a, const float* b, float* c, int n) { c = }\n");
  }
  // In a folder below root().
  std::string run_in(const fs::path& folder, const std::string& command, const std::string& more = "") {
    const auto [output, code] =
        run_command("cd '" + (root() / folder).string() + "' && " + environment_ + "LANEWISE='" +
                    LANEWISE_EXECUTABLE "' GRADE='" + (root() / "grade").string() + "' " + more + " " + command);
    EXPECT_EQ(code, 0) << output;
    return output;
  }
  nlohmann::json json_in(const fs::path& file) {
    const auto text = read_file(root() / file, 1'000'000);
    EXPECT_TRUE(text) << text.sentence();
    return nlohmann::json::parse(text ? *text : "null", nullptr, false);
  }
  std::string script() { return "'" + (root() / "source/run_autograder").string() + "'"; }
};

TEST_F(Platforms, AutolabMakesAndReadsTheLastLines) {
  write("autolab");
  submit("student/vecadd");
  put("student/vecadd/answers.toml", "");
  ASSERT_EQ(run_command("cd '" + root().string() +
                        "' && mkdir job && tar -cf job/autograde.tar -C source run_autograder && "
                        "tar -cf job/handin.tar -C student vecadd && "
                        "cp source/autograde-Makefile job/Makefile")
                .second,
            0);
  const std::string output = run_in("job", "make -s 2> /dev/null");
  const std::size_t last = output.rfind('\n', output.size() - 2);
  ASSERT_NE(last, std::string::npos) << output;
  const auto scores = nlohmann::json::parse(output.substr(last), nullptr, false);
  const auto feedback = nlohmann::json::parse(output.substr(0, last), nullptr, false);
  EXPECT_EQ(against_schema(scores, "platforms", "autolab_scores"), "") << output;
  EXPECT_EQ(against_schema(feedback, "platforms", "autolab_feedback"), "") << output;
  EXPECT_EQ(scores.at("scores").at("vecadd"), 85);
  EXPECT_EQ(feedback.at("vecadd · vec_add").at("correct").at("passed"), true);
}

TEST_F(Platforms, PrairieLearnReadsResultsOfItsTree) {
  write("prairielearn");
  submit("grade/student");
  run_in("grade", script());
  const auto results = json_in("grade/results/results.json");
  EXPECT_EQ(against_schema(results, "platforms", "prairielearn"), "") << results;
  EXPECT_NEAR(results.at("score").get<double>(), 85.0 / 200, 1e-9);
  submit("wrong/student", false);
  fs::remove_all(root() / "grade");
  fs::rename(root() / "wrong", root() / "grade");
  run_in("grade", script());
  const auto errors = json_in("grade/results/results.json");
  EXPECT_EQ(against_schema(errors, "platforms", "prairielearn"), "") << errors;
  EXPECT_EQ(errors.at("gradable"), false);
  EXPECT_NE(errors.at("format_errors")[0].get<std::string>().find("vecadd.cu"), std::string::npos) << errors;
}

TEST_F(Platforms, Classroom50RunsAScriptInTheCheckout) {
  write("classroom50");
  submit("checkout");
  run_in("checkout", "python3 '" + (root() / "source/autograder.py").string() + "'",
         "CLASSROOM=gpu ASSIGNMENT=vecadd SUBMISSION_TAG=submit/2026-11-28T10-00-00Z-abc COMMIT_URL=https://x/c "
         "RELEASE_URL=https://x/r");
  const auto result = json_in("checkout/result.json");
  EXPECT_EQ(against_schema(result, "platforms", "classroom50"), "") << result;
  EXPECT_EQ(result.at("score"), 85);
  EXPECT_EQ(result.at("max-score"), 200);
}

TEST_F(Platforms, SubmittyExecutesATestcaseAndValidatesIt) {
  write("submitty");
  submit("work/test01");
  const auto config = json_in("source/config.json");
  ASSERT_EQ(config.at("testcases").size(), 1U);
  const std::string command = config.at("testcases")[0].at("command");
  EXPECT_EQ(command, "/autograder/source/run_autograder vecadd");
  run_in("work/test01", script() + " vecadd");
  // As Submitty does: the validator beside the testcase, and its object from config.json with the testcase's folder.
  auto validation = config.at("testcases")[0].at("validation")[0];
  validation["testcase_prefix"] = "test01/";
  put("work/custom_validator_input.json", validation.dump());
  fs::copy_file(root() / "source/custom_validation_code/grader.py", root() / "work/grader.py");
  run_in("work", validation.at("command"));
  const auto results = json_in("work/validation_results.json");
  EXPECT_EQ(against_schema(results, "platforms", "submitty"), "") << results;
  EXPECT_NEAR(results.at("data").at("score").get<double>(), 85.0 / 200, 1e-9);
  fs::remove(root() / "work/test01/validation_results.json");
  run_in("work", validation.at("command"));
  EXPECT_EQ(json_in("work/validation_results.json").at("status"), "failure");
}
#endif

}  // namespace
}  // namespace lanewise::exports_test
