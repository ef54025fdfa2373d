// Samples come back as they were written; a table of times compares with the baseline and the fastest peer.
#include "grader/bench/gpu_times.h"

#include <gtest/gtest.h>

#include "grader/bench/bench_roofs.h"

namespace lanewise {
namespace {

TEST(GpuTimes, SamplesAreReadLineByLine) {
  const std::vector<Samples> all = parse_samples(
      "sample 1 2 3\nproblem 0\ngpu NVIDIA H200\ndriver \ncuda 13.0\ndefault_clock 1980\nsample 0.500000 1965 "
      "4\nnonsense\n"
      "sample 0.250000 0 0\nproblem 2\ngpu NVIDIA H200\nsample 3\n");
  ASSERT_EQ(all.size(), 2U) << "what stands before the first problem belongs to none";
  const Samples& samples = all[0];
  EXPECT_EQ(samples.problem, 0U);
  EXPECT_EQ(samples.gpu, "NVIDIA H200");
  EXPECT_EQ(samples.driver, "");
  EXPECT_EQ(samples.cuda, "13.0");
  EXPECT_EQ(samples.default_clock, 1980);
  ASSERT_EQ(samples.samples.size(), 2U);
  EXPECT_DOUBLE_EQ(samples.samples[0].seconds, 0.5e-3);
  EXPECT_EQ(samples.samples[0].sm_clock, 1965);
  EXPECT_EQ(samples.samples[0].throttling, 4U);
  EXPECT_DOUBLE_EQ(samples.samples[1].seconds, 0.25e-3);
  EXPECT_EQ(all[1].problem, 2U);
  EXPECT_DOUBLE_EQ(all[1].samples.at(0).seconds, 3e-3);
}

/// Milliseconds and the clock in MHz.
Samples samples_of(const std::vector<std::pair<double, unsigned>>& samples, unsigned default_clock) {
  Samples result;
  for (const auto& [milliseconds, clock] : samples) {
    measure::Sample& sample = result.samples.emplace_back();
    sample.seconds = milliseconds / 1e3;
    sample.sm_clock = clock;
  }
  result.default_clock = default_clock;
  return result;
}

TEST(GpuTimes, RoofsAreReadLineByLine) {
  const auto roofs = parse_roofs("read 4500.5 GB/s\ncopy 4200.0 GB/s\ntriad 4250.0 GB/s\nffma 61.250 TFLOP/s\n");
  ASSERT_TRUE(roofs) << roofs.sentence();
  EXPECT_DOUBLE_EQ(roofs->read, 4500.5e9);
  EXPECT_DOUBLE_EQ(roofs->copy, 4200e9);
  EXPECT_DOUBLE_EQ(roofs->triad, 4250e9);
  EXPECT_DOUBLE_EQ(roofs->ffma, 61.25e12);
  EXPECT_FALSE(parse_roofs("read 4500.5 GB/s\ncopy 4200.0 GB/s\n")) << "half of the roofs are no roofs";
}

TEST(GpuTimes, TheMedianIsTheMiddleOfItsInterval) {
  std::vector<std::pair<double, unsigned>> samples;
  for (int i = 1; i <= 15; ++i) samples.emplace_back(i * 0.5, 1980);
  MeasuredTime time;
  EXPECT_EQ(summarise(samples_of(samples, 1980), time).size(), 15U);
  EXPECT_DOUBLE_EQ(time.milliseconds, 4);
  EXPECT_DOUBLE_EQ(time.low, 2) << "of 15 samples the fourth from either end: 96.5 %";
  EXPECT_DOUBLE_EQ(time.high, 6);
  EXPECT_EQ(time.samples, 15);
  EXPECT_EQ(time.discarded, 0);
}

TEST(GpuTimes, SamplesOfALowClockDoNotCount) {
  MeasuredTime time;
  summarise(samples_of({{1, 1980}, {9, 1400}, {1, 1500}, {1, 0}}, 1980), time);
  EXPECT_DOUBLE_EQ(time.milliseconds, 1);
  EXPECT_EQ(time.samples, 3);
  EXPECT_EQ(time.discarded, 1);
  summarise(samples_of({{9, 1400}, {7, 1400}}, 1980), time);
  EXPECT_DOUBLE_EQ(time.milliseconds, 8) << "a device that is never faster is timed as it is";
  EXPECT_EQ(time.discarded, 0);
  summarise(samples_of({{9, 300}}, 0), time);
  EXPECT_DOUBLE_EQ(time.milliseconds, 9) << "where no default clock is known every sample counts";
}

class TimesTable : public ::testing::Test {
 protected:
  TimesTable() {
    file_.name = "blur";
    file_.baseline = "1_naive.cu";
    ladder_.file = &file_;
    add("1_naive.cu", SolutionFile::Kind::kLadder, 4, true);
    add("2_tile.cu", SolutionFile::Kind::kLadder, 1, true);
    add("library_fast.cu", SolutionFile::Kind::kPeer, 0.25, false);
    add("library_right.cu", SolutionFile::Kind::kPeer, 0.5, true);
    task_.name = "blur";
    task_.gpu = "NVIDIA H200";
  }

  void add(const std::string& name, SolutionFile::Kind kind, double milliseconds, bool right) {
    SolutionFile step;
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
  EXPECT_NE(
      text.find("  2_tile.cu                      1.00 ms     1,000 GB/s    4.00 × naive   0.50 × library_right.cu\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("16.00 × naive   2.00 × library_right.cu  DIFFERENT RESULT\n"), std::string::npos) << text;
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

}  // namespace
}  // namespace lanewise
