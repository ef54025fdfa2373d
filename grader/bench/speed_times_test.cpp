// Marks are the baseline's and the reference's times, and only where there is room between them.
#include "grader/bench/speed_times.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class SpeedTimesTest : public ::testing::Test {
 protected:
  SpeedTimesTest() {
    task_.name = "blur";
    task_.baseline = "1_naive.cu";
    task_.reference = "3_separable.cu";
    task_.speed.modelled_case = "rocket";
    ladder_.file = &task_;
    step("1_naive.cu", 0.5);
    step("2_shared_tile.cu", 0.3);
    step("3_separable.cu", 0.1);
  }
  void step(const std::string& name, double milliseconds) {
    StepObservation& seen = steps_.emplace_back();
    seen.file = name;
    seen.speed_milliseconds = milliseconds;
  }

  TaskFile task_;
  Ladder ladder_;
  std::vector<StepObservation> steps_;
};

TEST_F(SpeedTimesTest, AreThoseOfBaselineAndReference) {
  const auto marks = speed_marks_of(ladder_, steps_, "nvcc 13.0.88");
  ASSERT_TRUE(marks) << marks.sentence();
  EXPECT_EQ(marks->case_name, "rocket");
  EXPECT_DOUBLE_EQ(marks->baseline_ns, 500000);
  EXPECT_DOUBLE_EQ(marks->reference_ns, 100000);
}

TEST_F(SpeedTimesTest, AStepWithoutATimeIsNamed) {
  steps_[2].speed_milliseconds = 0;
  const auto marks = speed_marks_of(ladder_, steps_, "nvcc 13.0.88");
  ASSERT_FALSE(marks);
  EXPECT_EQ(marks.sentence(), "blur: there is no modelled time for 3_separable.cu in the case 'rocket'");
}

TEST_F(SpeedTimesTest, ABaselineAsFastAsTheReferenceIsAMistakeOfTheLab) {
  steps_[0].speed_milliseconds = 0.11;
  const auto marks = speed_marks_of(ladder_, steps_, "nvcc 13.0.88");
  ASSERT_FALSE(marks);
  EXPECT_NE(marks.sentence().find("choose another for [task.speed]"), std::string::npos) << marks.sentence();
}

TEST_F(SpeedTimesTest, TheFileIsWrittenOnceAndLookedAtAfterwards) {
  LabFile lab;
  lab.folder = fs::temp_directory_path() / ("lanewise_speed_times_test_" + std::to_string(getpid()));
  lab.profile = "h200";
  task_.points.fast = 15;
  lab.tasks = {task_};
  fs::create_directories(lab.folder);
  const std::vector<ObservedLadder> observed = {{&ladder_, &steps_}};
  EXPECT_TRUE(update_speed_marks(lab, observed, "nvcc 13.0.88", true).is_changed) << "there is none yet";
  EXPECT_FALSE(fs::exists(lab.folder / "speed.toml"));
  EXPECT_TRUE(update_speed_marks(lab, observed, "nvcc 13.0.88", false).is_changed);
  EXPECT_FALSE(update_speed_marks(lab, observed, "nvcc 13.0.88", false).is_changed);
  steps_[0].speed_milliseconds = 0.6;
  EXPECT_TRUE(update_speed_marks(lab, observed, "nvcc 13.0.88", true).is_changed) << "it is stale";
  EXPECT_FALSE(update_speed_marks(lab, observed, "nvcc 13.1", true).is_changed) << "another version's is not compared";
  steps_.pop_back();
  EXPECT_FALSE(update_speed_marks(lab, observed, "nvcc 13.0.88", false).is_changed)
      << "the reference is not in the ladder";
  fs::remove_all(lab.folder);
}

TEST_F(SpeedTimesTest, MarksStandInTheOrderOfTheLab) {
  LabFile lab;
  for (const char* name : {"unscored", "grayscale", "blur"}) {
    TaskFile& task = lab.tasks.emplace_back();
    task.name = name;
    task.points.fast = name == std::string("unscored") ? 0 : 15;
  }
  SpeedMarksFile file;
  file.tasks = {{"gone", "", "", "", "nvcc 13.0.88", 1, 1},
                {"unscored", "", "", "", "nvcc 13.0.88", 1, 1},
                {"blur", "old", "", "", "nvcc 12.9", 1, 1}};
  file = with_marks(file, lab, *speed_marks_of(ladder_, steps_, "nvcc 13.0.88"));
  file = with_marks(file, lab, *speed_marks_of(ladder_, steps_, "clang 19.1.7"));
  file = with_marks(file, lab, {"grayscale", "", "", "", "nvcc 13.0.88", 2, 1});
  ASSERT_EQ(file.tasks.size(), 3U);
  EXPECT_EQ(file.tasks[0].task, "grayscale");
  EXPECT_EQ(file.tasks[1].case_name, "rocket");
  EXPECT_EQ(file.tasks[1].compiler, "nvcc 13.0.88");
  EXPECT_EQ(file.tasks[2].compiler, "clang 19.1.7");
}

}  // namespace
}  // namespace lanewise
