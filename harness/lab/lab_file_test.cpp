// A lab.toml is read whole, and every mistake in one is reported with its line and key.
#include "harness/lab/lab_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGood = R"([lab]
title = "Prefix sum"
contract = "scan.cuh"
skeleton = "scan.cu"
entry = "entry.cpp"
profile = "h200"

[[task]]
name = "inclusive_scan"
points = { correct = 55, fast = 15, efficient = 10, clean = 10, understood = 10 }
baseline = "1_kogge_stone.cu"
reference = "5_single_pass.cu"
forbidden = ["cub", "thrust"]
time_limit = 4.5

[[task.case]]
name = "block + 1"
group = "check"
make = { kind = "uniform", n = 1025, scale = 0.5, sorted = true }
points = 4
why = "the second block holds one element"

[[task.case]]
name = "huge"
group = "race"
make = { n = 268435456 }
points = 0
why = "a size that shows bandwidth"
backend = "gpu"

[task.ladder]
case = "block + 1"
counters = ["instructions", "bank_conflicts.shared"]

[[task.goal]]
counter = "sectors_per_request.global_load"
at_most = 4.5
points = 4
hint = "Let neighbours read neighbours."

[[task.case]]
name = "large"
group = "speed"
make = { n = 67108864 }
points = 0
why = "what is timed"
backend = "gpu"

[task.speed]
measured = "large"
)";

class LabFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("lanewise_lab_file_test_" + std::to_string(getpid())) / "scan";
    fs::create_directories(folder_);
    for (const char* name : {"scan.cuh", "scan.cu", "entry.cpp"}) std::ofstream(folder_ / name) << "\n";
  }
  void TearDown() override { fs::remove_all(folder_.parent_path()); }

  Expected<LabFile> read(const std::string& content) {
    std::ofstream(folder_ / "lab.toml") << content;
    return read_lab_file(folder_);
  }

  // The failure of kGood with `from` replaced by `to`, without the folder's path.
  std::string failure_with(const std::string& from, const std::string& to) {
    std::string content = kGood;
    const std::size_t at = content.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    content.replace(at, from.size(), to);
    const auto result = read(content);
    if (result) return "no failure";
    const std::string prefix = folder_.string() + "/";
    EXPECT_EQ(result.sentence().rfind(prefix, 0), 0U) << result.sentence();
    return result.sentence().substr(prefix.size());
  }

  fs::path folder_;
};

TEST_F(LabFileTest, EveryKeyArrives) {
  const auto result = read(kGood);
  ASSERT_TRUE(result) << result.sentence();
  EXPECT_EQ(result->id, "scan");
  EXPECT_EQ(result->title, "Prefix sum");
  EXPECT_EQ(result->contract, "scan.cuh");
  ASSERT_EQ(result->tasks.size(), 1U);
  const TaskFile& task = result->tasks[0];
  EXPECT_EQ(task.points.correct, 55);
  EXPECT_EQ(task.points.understood, 10);
  EXPECT_EQ(task.forbidden, (std::vector<std::string>{"cub", "thrust"}));
  EXPECT_EQ(task.time_limit_seconds, 4.5);
  ASSERT_EQ(task.cases.size(), 3U);
  EXPECT_EQ(task.cases[0].make.integer("n"), 1025);
  EXPECT_EQ(task.cases[0].make.number("scale"), 0.5);
  EXPECT_EQ(task.cases[0].make.text("kind"), "uniform");
  EXPECT_EQ(task.cases[0].line, 16);
  EXPECT_EQ(task.cases[1].backend, "gpu");
  EXPECT_EQ(task.ladder.case_name, "block + 1");
  EXPECT_EQ(task.ladder.counters, (std::vector<std::string>{"instructions", "bank_conflicts.shared"}));
  ASSERT_EQ(task.goals.size(), 1U);
  EXPECT_EQ(task.goals[0].at_most, 4.5);
  EXPECT_EQ(task.goals[0].case_name, "block + 1") << "that of the ladder";
  EXPECT_EQ(task.speed.modelled_case, "block + 1") << "that of the ladder";
  EXPECT_EQ(task.speed.measured_case, "large");
  EXPECT_EQ(task.speed.race_case, "huge") << "the first of its group";
  EXPECT_FALSE(task.speed.is_whole_call);
  EXPECT_EQ(task.goals[0].hint, "Let neighbours read neighbours.");
}

TEST_F(LabFileTest, MissingKeyNamesTheTable) {
  EXPECT_EQ(failure_with("title = \"Prefix sum\"\n", ""), "lab.toml:1: the key 'title' is missing");
}

TEST_F(LabFileTest, WrongKindNamesTheLine) {
  EXPECT_EQ(failure_with("points = 4\nwhy", "points = \"4\"\nwhy"), "lab.toml:20: the key 'points' must be a number");
}

TEST_F(LabFileTest, StepsLieNowhereElse) {
  for (const char* const path : {"../5_single_pass.cu", "/etc/passwd", "other/5_single_pass.cu"}) {
    const std::string failure = failure_with("5_single_pass.cu", path);
    EXPECT_NE(failure.find(std::string("'") + path + "' must be a step's file name without a folder"),
              std::string::npos)
        << failure;
  }
}

TEST_F(LabFileTest, TimeLimitIsOneThatEnds) {
  EXPECT_EQ(failure_with("time_limit = 4.5", "time_limit = 3600"), "no failure");
  EXPECT_EQ(failure_with("group = \"check\"", "group = \"check\"\nleast_budget = 2e7"), "no failure");
  EXPECT_NE(failure_with("time_limit = 4.5", "least_budget = 0").find("must be greater than 0"), std::string::npos);
  EXPECT_NE(failure_with("group = \"check\"", "group = \"check\"\nleast_budget = 0").find("must be greater than 0"),
            std::string::npos);
  for (const char* const limit : {"3601", "1e300"})
    EXPECT_NE(failure_with("time_limit = 4.5", std::string("time_limit = ") + limit).find("at most 3600 seconds"),
              std::string::npos)
        << limit;
}

TEST_F(LabFileTest, NumbersAreFiniteAndPointsCanBeAddedUp) {
  for (const char* const number : {"nan", "inf", "-inf"}) {
    EXPECT_EQ(failure_with("points = 4\nwhy", std::string("points = ") + number + "\nwhy"),
              "lab.toml:20: the key 'points' must be a finite number");
    EXPECT_NE(failure_with("n = 1025", std::string("n = ") + number).find("the key 'n' must be a finite number"),
              std::string::npos);
  }
  EXPECT_EQ(failure_with("points = 4\nwhy", "points = 1e308\nwhy"),
            "lab.toml:20: the key 'points' must be at most 1000000");
  EXPECT_NE(failure_with("correct = 55", "correct = 1e7").find("the key 'correct' must be at most 1000000"),
            std::string::npos);
  EXPECT_EQ(failure_with("points = 4\nwhy", "points = 1e6\nwhy"), "no failure");
}

TEST_F(LabFileTest, MisspeltKeyIsNotIgnored) {
  EXPECT_EQ(failure_with("time_limit", "timelimit").rfind("lab.toml:14: the key 'timelimit' means nothing here", 0),
            0U);
}

TEST_F(LabFileTest, BrokenTomlNamesTheLine) {
  EXPECT_EQ(
      failure_with("title = \"Prefix sum\"", "title = \"Prefix sum").rfind("lab.toml:2: this is not valid TOML", 0),
      0U);
}

TEST_F(LabFileTest, TwoCasesOfOneNameAreRefused) {
  EXPECT_EQ(failure_with("\"huge\"", "\"block + 1\""),
            "lab.toml:24: the task 'inclusive_scan' has two cases named 'block + 1'");
}

TEST_F(LabFileTest, UnknownGroupAndBackendAreRefused) {
  EXPECT_EQ(failure_with("\"race\"", "\"racing\"").rfind("lab.toml:25: the group 'racing' is unknown", 0), 0U);
  EXPECT_EQ(failure_with("\"gpu\"", "\"tpu\"").rfind("lab.toml:29: the backend 'tpu' is unknown", 0), 0U);
}

TEST_F(LabFileTest, NegativePointsAreRefused) {
  EXPECT_EQ(failure_with("points = 4\nwhy", "points = -4\nwhy"), "lab.toml:20: the key 'points' must not be negative");
  EXPECT_EQ(failure_with("correct = 55", "correct = 0"), "lab.toml:10: the key 'correct' must be greater than 0");
}

TEST_F(LabFileTest, TaskWithoutScoredCheckCasesIsRefused) {
  EXPECT_EQ(failure_with("\"check\"", "\"grade\""),
            "lab.toml:9: the task 'inclusive_scan' needs a case with points in the group check");
}

TEST_F(LabFileTest, ScalingNamesARaceCaseAndItsParameters) {
  const auto scaling_with = [this](const std::string& keys) { return read(kGood + ("[task.scaling]\n" + keys)); };
  const std::string good = "case = \"huge\"\nparameters = [\"n\"]\n";
  const auto file = scaling_with(good + "values = [4096, 65536]\n");
  ASSERT_TRUE(file) << file.sentence();
  const ScalingFile& scaling = file->tasks[0].scaling;
  EXPECT_EQ(scaling.case_name, "huge");
  EXPECT_EQ(scaling.parameters, std::vector<std::string>{"n"});
  EXPECT_EQ(scaling.values, (std::vector<std::int64_t>{4096, 65536}));
  for (const char* values : {"", "values = []\n", "values = [0]\n", "values = [2.5]\n", "values = [8, 8]\n"})
    EXPECT_FALSE(scaling_with(good + values)) << values;
  for (const char* head : {"case = \"block + 1\"\nparameters = [\"n\"]\n", "case = \"huge\"\nparameters = [\"m\"]\n",
                           "case = \"huge\"\nparameters = []\n"})
    EXPECT_FALSE(scaling_with(head + std::string("values = [8]\n"))) << head;
}

TEST_F(LabFileTest, AFloorSaysWhatAUnitCosts) {
  const auto floor_with = [this](const std::string& keys) {
    return read(kGood + ("[task.floor]\nunit = \"key\"\nwhy = \"four passes\"\n" + keys));
  };
  const auto file = floor_with("work = 8\nbytes = 36\ninstructions = 100\n");
  ASSERT_TRUE(file) << file.sentence();
  EXPECT_EQ(file->tasks[0].floor.unit, "key");
  EXPECT_EQ(file->tasks[0].floor.work, 8);
  EXPECT_EQ(file->tasks[0].floor.bytes, 36);
  EXPECT_EQ(file->tasks[0].floor.instructions, 100);
  for (const char* keys : {"bytes = 36\n", "work = 0\nbytes = 36\n", "work = 8\n", "work = 8\nbytes = -1\n"})
    EXPECT_FALSE(floor_with(keys)) << keys;
}

TEST_F(LabFileTest, LaddersNameACheckCaseAndKnownCounters) {
  const char* const kCase = "case = \"block + 1\"";
  EXPECT_EQ(failure_with(kCase, "case = \"block\""), "lab.toml:32: the task has no case named 'block'");
  EXPECT_EQ(failure_with(kCase, "case = \"huge\"").rfind("lab.toml:32: the case 'huge' must be in the group check", 0),
            0U);
  EXPECT_EQ(failure_with("\"bank_conflicts.shared\"", "\"bank_conflict.shared\""),
            "lab.toml:33: there is no counter 'bank_conflict.shared'; did you mean 'bank_conflicts.shared'?");
  EXPECT_EQ(failure_with("\"bank_conflicts.shared\"", "\"instructions\""),
            "lab.toml:33: the counter 'instructions' is named twice");
  EXPECT_EQ(failure_with("counters = [\"instructions\", \"bank_conflicts.shared\"]", "counters = []"),
            "lab.toml:33: the key 'counters' must name at least one counter");
}

TEST_F(LabFileTest, ClassesAreTwoOrMoreCountedCases) {
  const auto with_classes = [this](const std::string& cases) {
    return failure_with("[task.ladder]",
                        "[[task.case]]\nname = \"third\"\ngroup = \"check\"\nmake = { n = 3 }\npoints = 1\n"
                        "why = \"three\"\n[task.classes]\ntitle = \"What size costs\"\ncases = [" +
                            cases + "]\ncounters = [\"instructions\"]\n[task.ladder]");
  };
  EXPECT_EQ(with_classes(R"("block + 1", "third")"), "no failure");
  EXPECT_EQ(with_classes(R"("block + 1")"), "lab.toml:39: the key 'cases' must name at least two cases to compare");
  EXPECT_EQ(with_classes(R"("block + 1", "block + 1")"), "lab.toml:39: the case 'block + 1' is named twice");
  EXPECT_EQ(with_classes(R"("block + 1", "none")"), "lab.toml:39: the task has no case named 'none'");
  EXPECT_EQ(with_classes(R"("block + 1", "huge")"),
            "lab.toml:39: the case 'huge' must be in the group check and run on the virtual GPU, which counts its "
            "cost");
}

TEST_F(LabFileTest, GoalsAreOnKnownCounters) {
  EXPECT_EQ(failure_with("counter = \"sectors", "counter = \"sector"),
            "lab.toml:36: there is no counter 'sector_per_request.global_load'; did you mean "
            "'sectors_per_request.global_load'?");
  EXPECT_EQ(failure_with("at_most = 4.5", "at_most = 4.5\ncase = \"none\""),
            "lab.toml:38: the task has no case named 'none'");
  EXPECT_EQ(failure_with("at_most = 4.5", "at_most = 4.5\nafter = \"instructions\""),
            "lab.toml:38: no earlier goal of the task is on 'instructions'");
  EXPECT_EQ(failure_with(
                "[task.ladder]\ncase = \"block + 1\"\ncounters = [\"instructions\", \"bank_conflicts.shared\"]\n", ""),
            "lab.toml:32: the goal must name a case, because the task has no [task.ladder]");
  EXPECT_EQ(failure_with("efficient = 10", "efficient = 0"), "lab.toml:35: goals need points for 'efficient'");
}

TEST_F(LabFileTest, SpeedIsOfACountedCaseAndOfOneToTime) {
  EXPECT_EQ(failure_with("measured = \"large\"", "measured = \"small\""),
            "lab.toml:50: the task has no case named 'small'");
  EXPECT_EQ(failure_with("measured = \"large\"", "measured = \"huge\""),
            "lab.toml:50: the case 'huge' must be in the group speed");
  EXPECT_EQ(failure_with("measured = \"large\"", "race = \"large\""),
            "lab.toml:50: the case 'large' must be in the group race");
  EXPECT_EQ(failure_with("measured = \"large\"", "time = \"scale\""),
            "lab.toml:50: the key 'time' must be \"at scale\" or \"call\"");
  EXPECT_EQ(failure_with("measured = \"large\"", "modelled = \"large\"")
                .rfind("lab.toml:50: the case 'large' must be in the group check", 0),
            0U);
  EXPECT_EQ(failure_with("measured = \"large\"", "smaller = 4000"), "lab.toml:50: the key 'smaller' must be a table");
  EXPECT_EQ(failure_with("measured = \"large\"", "lasting = 0.5"), "lab.toml:50: the key 'lasting' must be at least 1");
  EXPECT_EQ(failure_with("[task.speed]\nmeasured = \"large\"\n", ""), "no failure");
}

TEST_F(LabFileTest, TheSmallerCaseHasTheParametersThatAreGiven) {
  const std::string content = std::string(kGood) + "smaller = { n = 257 }\n";
  const auto file = read(content);
  ASSERT_TRUE(file) << file.sentence();
  const CaseFile& smaller = file->tasks.at(0).speed.smaller;
  EXPECT_EQ(smaller.name, "block + 1, smaller");
  EXPECT_EQ(smaller.make.integer("n"), 257);
}

TEST_F(LabFileTest, FilesMustExist) {
  EXPECT_EQ(failure_with("\"scan.cu\"", "\"sacn.cu\""), "lab.toml:4: the file 'sacn.cu' is not in " + folder_.string());
  EXPECT_EQ(failure_with("\"scan.cu\"", "\"../scan.cu\""), "lab.toml:4: '../scan.cu' must be in the lab's own folder");
  std::ofstream(folder_ / "sacn.cu.skeleton") << "\n";
  EXPECT_EQ(failure_with("\"scan.cu\"", "\"sacn.cu\""), "no failure") << "it was deleted, and can be restored";
}

TEST_F(LabFileTest, AbsentFileIsSaid) {
  const auto result = read_lab_file(folder_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.sentence(), (folder_ / "lab.toml").string() + ": there is no such file");
}

TEST_F(LabFileTest, BothSidesMustNameTheSameTasks) {
  const auto file = read(kGood);
  ASSERT_TRUE(file) << file.sentence();
  Task task;
  task.name = "exclusive_scan";
  const auto sentences = disagreements(*file, Lab{"scan", {task}});
  ASSERT_EQ(sentences.size(), 3U);
  EXPECT_NE(sentences[0].find("lab.cpp defines no task 'inclusive_scan'"), std::string::npos);
  EXPECT_NE(sentences[1].find("'exclusive_scan', which has no [[task]] here"), std::string::npos);
  EXPECT_NE(sentences[2].find("needs make, oracle and judge"), std::string::npos);
}

}  // namespace
}  // namespace lanewise
