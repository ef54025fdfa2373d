// Marks are the baseline's and the reference's times, and only where there is room between them.
#include "grader/speed_times.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

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
  const auto marks = speed_marks_of(ladder_, steps_);
  ASSERT_TRUE(marks) << marks.sentence();
  EXPECT_EQ(marks->case_name, "rocket");
  EXPECT_DOUBLE_EQ(marks->baseline_ns, 500000);
  EXPECT_DOUBLE_EQ(marks->reference_ns, 100000);
}

TEST_F(SpeedTimesTest, AStepWithoutATimeIsNamed) {
  steps_[2].speed_milliseconds = 0;
  const auto marks = speed_marks_of(ladder_, steps_);
  ASSERT_FALSE(marks);
  EXPECT_EQ(marks.sentence(), "blur: there is no modelled time of 3_separable.cu in the case 'rocket'");
}

TEST_F(SpeedTimesTest, ABaselineAsFastAsTheReferenceIsAMistakeOfTheLab) {
  steps_[0].speed_milliseconds = 0.11;
  const auto marks = speed_marks_of(ladder_, steps_);
  ASSERT_FALSE(marks);
  EXPECT_NE(marks.sentence().find("choose another for [task.speed]"), std::string::npos) << marks.sentence();
}

TEST_F(SpeedTimesTest, MarksStandInTheOrderOfTheLab) {
  LabFile lab;
  for (const char* name : {"grayscale", "blur"}) lab.tasks.emplace_back().name = name;
  SpeedMarksFile file;
  file.tasks = {{"gone", "", "", "", 1, 1}, {"blur", "old", "", "", 1, 1}};
  file = with_marks(file, lab, *speed_marks_of(ladder_, steps_));
  file = with_marks(file, lab, {"grayscale", "", "", "", 2, 1});
  ASSERT_EQ(file.tasks.size(), 2U);
  EXPECT_EQ(file.tasks[0].task, "grayscale");
  EXPECT_EQ(file.tasks[1].case_name, "rocket");
}

}  // namespace
}  // namespace lanewise
