// Samples come back as they were written; a table of times compares with the baseline and the fastest peer.
#include "grader/gpu_times.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(GpuTimes, TheMedianIsTheMiddle) {
  EXPECT_EQ(median({5}), 5);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({9, 1, 5, 6}), 5.5);
}

TEST(GpuTimes, SamplesAreReadLineByLine) {
  const Samples samples =
      parse_samples("gpu NVIDIA H200\ndriver \ncuda 13.0\nsm_clock 1980\nsample 0.500000\nnonsense\nsample 0.250000\n");
  EXPECT_EQ(samples.gpu, "NVIDIA H200");
  EXPECT_EQ(samples.driver, "");
  EXPECT_EQ(samples.cuda, "13.0");
  EXPECT_EQ(samples.sm_clock, 1980);
  EXPECT_EQ(samples.milliseconds, (std::vector<double>{0.5, 0.25}));
}

class TimesTable : public ::testing::Test {
 protected:
  TimesTable() {
    file_.name = "blur";
    file_.baseline = "1_naive.cu";
    ladder_.file = &file_;
    add("1_naive.cu", DemoSubmission::Kind::kLadder, 4, true);
    add("2_tile.cu", DemoSubmission::Kind::kLadder, 1, true);
    add("library_fast.cu", DemoSubmission::Kind::kPeer, 0.25, false);
    add("library_right.cu", DemoSubmission::Kind::kPeer, 0.5, true);
    task_.name = "blur";
    task_.gpu = "NVIDIA H200";
  }

  void add(const std::string& name, DemoSubmission::Kind kind, double milliseconds, bool right) {
    DemoSubmission step;
    step.kind = kind;
    step.source = "solutions/image/blur/" + name;
    ladder_.steps.push_back(step);
    task_.times.push_back({name, "race", milliseconds, 15, 1e9, 0, right, ""});
  }

  TaskFile file_;
  Ladder ladder_;
  MeasuredTask task_;
};

TEST_F(TimesTable, ComparesWithTheBaselineAndTheFastestPeerThatIsRight) {
  const std::string text = times_text(task_, ladder_);
  EXPECT_NE(text.find("blur · race · NVIDIA H200\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  2_tile.cu           1.00 ms     1,000 GB/s    4.00 × naive   0.50 × library_right.cu\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("16.00 × naive   2.00 × library_right.cu  ANOTHER RESULT\n"), std::string::npos) << text;
}

TEST_F(TimesTable, AStepMustBeRightAtEveryCaseForAGpu) {
  const auto add_case = [this](const std::string& name, const std::string& backend) {
    CaseFile& each = file_.cases.emplace_back();
    each.name = name;
    each.group = "race";
    each.backend = backend;
  };
  add_case("race", "");
  add_case("for the virtual GPU", "vgpu");
  EXPECT_TRUE(has_right_times(task_, file_, "race", ladder_.steps[1]));
  EXPECT_FALSE(has_right_times(task_, file_, "race", ladder_.steps[2])) << "it is another result";
  add_case("second race", "gpu");
  task_.times.push_back({"1_naive.cu", "second race", 4, 15, 1e9, 0, true, ""});
  EXPECT_TRUE(has_right_times(task_, file_, "race", ladder_.steps[0]));
  EXPECT_FALSE(has_right_times(task_, file_, "race", ladder_.steps[1])) << "it was not timed at the second case";
  task_.times.clear();
  EXPECT_FALSE(has_right_times(task_, file_, "race", ladder_.steps[0])) << "nothing could be timed";
}

TEST_F(TimesTable, OneTaskIsReplacedAmongOthers) {
  MeasuredTask other = task_;
  other.name = "grayscale";
  MeasuredTask newer = task_;
  newer.date = "tomorrow";
  const auto tasks = with_task({task_, other}, newer);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].date, "tomorrow");
  EXPECT_EQ(tasks[1].name, "grayscale");
  EXPECT_EQ(with_task({other}, task_).size(), 2U);
}

}  // namespace
}  // namespace lanewise
