// From times to a graded speed: what is compared with what, and what is said.
#include "harness/runner/verdict/speed.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TaskFile scan_task() {
  TaskFile task;
  task.name = "inclusive_scan";
  task.baseline = "1_naive.cu";
  task.reference = "5_one_pass.cu";
  task.speed.modelled_case = "a million";
  return task;
}

const SpeedMarks kMarks{"inclusive_scan", "a million", "1_naive.cu", "5_one_pass.cu", "nvcc 13.0.88", 2.56e6,
                        0.26e6,           30e3,        11e3};

// 8 MB to be moved, of which the kernels ask the L2 cache for all.
CounterReport counts_of(double nanoseconds) {
  CounterReport counts;
  counts.sums = {{"launches", 3}, {"l2_read_sectors", 125000}, {"l2_write_sectors", 125000}};
  counts.modelled.at_scale = {nanoseconds, "shared memory", "shared_load_wavefronts"};
  counts.modelled.call = {2 * nanoseconds, "launches", ""};
  counts.modelled.device = "NVIDIA H200";
  counts.modelled.bytes_per_second = 4.8e12;
  counts.modelled.flops_per_second = 67e12;
  counts.lines = {{"scan.cu", 12, {{"shared_load_wavefronts", 10}}},
                  {"scan.cu", 44, {{"shared_load_wavefronts", 900}}},
                  {"scan.cu", 50, {{"executions", 5000}}}};
  return counts;
}
const Work kWork{8e6, 1e6};
const SpeedFile kAtScale{};

SpeedVerdict modelled(double nanoseconds) {
  SpeedVerdict speed;
  speed.is_gradable = true;
  speed.device = "H200";
  speed.case_name = "a million";
  take_modelled(counts_of(nanoseconds), kWork, kAtScale, speed);
  compare_with_marks(&kMarks, scan_task(), speed);
  set_next_threshold(15, speed);
  return speed;
}

TEST(Speed, OfAModelledCaseSaysAllOnOneLine) {
  const SpeedVerdict speed = modelled(0.42e6);
  EXPECT_TRUE(speed.is_known && speed.is_gradable && speed.is_modelled);
  EXPECT_EQ(speed.bound_place.line, 44);
  EXPECT_EQ(speed_text(speed),
            "modelled 0.420 ms at scale on H200 · 6.1 × faster than naive · 1.6 × the reference's time · 0 % of the "
            "bandwidth "
            "roof · bound by: shared memory, scan.cu:44 · next: ≤ 0.413 ms → 13");
}

TEST(Speed, OfTheNaiveStepIsCalledThatAndNoFactor) {
  const std::string text = speed_text(modelled(2.55e6));
  EXPECT_NE(text.find(" · as fast as naive · "), std::string::npos) << text;
}

TEST(Speed, AWholeCallCountsWhereTheLabSaysSo) {
  SpeedVerdict speed;
  speed.device = "H200";
  SpeedFile whole_call;
  whole_call.is_whole_call = true;
  take_modelled(counts_of(0.21e6), kWork, whole_call, speed);
  EXPECT_EQ(speed.time.milliseconds, 0.42);
  EXPECT_EQ(speed.bound_by, "launches");
  EXPECT_EQ(speed_text(speed).rfind("modelled 0.420 ms on H200 · ", 0), 0U) << speed_text(speed);
}

SizedCall sized(double serial, double bytes, double flops = 0) {
  SizedCall call;
  call.time.scale = 256;
  call.time.serial = call.time.serial_kernels = serial;
  call.work = {bytes, flops};
  return call;
}

double milliseconds_with_growth(const SizedCall& call, const SizedCall& smaller) {
  SpeedVerdict speed = modelled(0.01e6);
  take_growth(call, smaller, speed);
  return speed.time.milliseconds;
}

TEST(Speed, MoreDataForMoreBlocksCostNothingBeyondTheirWork) {
  EXPECT_EQ(milliseconds_with_growth(sized(5000, 4e6), sized(5000, 1e6)), 0.01);
  EXPECT_EQ(milliseconds_with_growth(sized(5500, 4e6), sized(5000, 1e6)), 0.01) << "one level more of a tree";
  EXPECT_EQ(milliseconds_with_growth(sized(4000, 4e6), sized(5000, 1e6)), 0.01) << "shorter, if anything";
}

TEST(Speed, MoreDataForTheSameBlocksCostAllTheirTime) {
  EXPECT_NEAR(milliseconds_with_growth(sized(4e6, 4e6), sized(1e6, 1e6)), 4, 1e-9);
  EXPECT_NEAR(milliseconds_with_growth(sized(8e6, 4e6), sized(1e6, 1e6)), 8, 1e-9) << "and no more than that";
  EXPECT_NEAR(milliseconds_with_growth(sized(4e6, 4e6, 64e6), sized(1e6, 2e6, 16e6)), 4, 1e-9) << "by either measure";
}

TEST(Speed, WhatGrowsWithTheRootIsASixteenthAtScale) {
  EXPECT_NEAR(milliseconds_with_growth(sized(4e6, 4e6), sized(2e6, 1e6)), 4.0 / 16, 1e-9);
}

TEST(Speed, HowTheLongestKernelGrowsIsNotHiddenByTheOthers) {
  SizedCall call = sized(5e6, 4e6), smaller = sized(2e6, 1e6);
  call.time.longest_serial_kernel = 4e6;
  smaller.time.longest_serial_kernel = 1e6;
  EXPECT_NEAR(milliseconds_with_growth(call, smaller), 4, 1e-9);
  smaller.time.longest_serial_kernel = 4e6;
  EXPECT_LT(milliseconds_with_growth(call, smaller), 1) << "only all of them together grow";
}

TEST(Speed, SerialWorkIsNamedAndTakesItsShareOfTheRoof) {
  SpeedVerdict speed = modelled(0.01e6);
  const double before = speed.roof_fraction;
  take_growth(sized(4e6, 4e6), sized(1e6, 1e6), speed);
  EXPECT_EQ(speed.bound_by, "serial work that grows with the data");
  EXPECT_EQ(speed.bound_place.line, 0);
  EXPECT_NEAR(speed.roof_fraction, before / 400, 1e-12);
}

TEST(Speed, WhatLastsFarLongerThanInTheLabsStepsIsPutAside) {
  const auto review_of = [](double serial, double in_smaller, double in_one_kernel = 0) {
    SpeedVerdict speed = modelled(0.3e6);
    SizedCall smaller = sized(in_smaller, 1e6);
    smaller.time.longest_serial_kernel = in_one_kernel;
    take_growth(sized(serial, 4e6), smaller, speed);
    compare_with_marks(&kMarks, scan_task(), speed);
    return speed.review;
  };
  EXPECT_EQ(review_of(239e3, 239e3), "") << "almost eight times as long as in the lab's steps";
  EXPECT_NE(review_of(800e3, 800e3).find("kernels take 0.800 ms in a row"), std::string::npos);
  EXPECT_NE(review_of(800e3, 900e3), "") << "a smaller call that takes longer";
  EXPECT_EQ(review_of(800e3, 200e3), "") << "it grows, and counts at scale";
  EXPECT_EQ(review_of(239e3, 239e3, 87e3), "");
  EXPECT_NE(review_of(239e3, 239e3, 120e3).find("one kernel takes 0.120 ms in a row"), std::string::npos);
}

TEST(Speed, WhatLastsLongIsPutAsideWhereThePointsHangOnItsNotGrowing) {
  const auto review_of = [](double nanoseconds, double lasting) {
    SpeedVerdict speed = modelled(nanoseconds);
    take_growth(sized(lasting, 4e6), sized(lasting, 1e6), speed);
    SpeedMarks marks = kMarks;
    marks.reference_ns = 20e3;
    compare_with_marks(&marks, scan_task(), speed);
    return speed.review;
  };
  EXPECT_NE(review_of(20e3, 120e3).find("kernels take 0.120 ms in a row"), std::string::npos);
  EXPECT_EQ(review_of(20e3, 100e3), "") << "as three kernels do where the lab's steps are one";
  EXPECT_EQ(review_of(500e3, 120e3), "") << "its other work takes longer than that would";
}

TEST(Speed, ALabMayLetSerialWorkLastLonger) {
  const auto review_of = [](double lasting) {
    TaskFile task = scan_task();
    task.speed.lasting = 4;
    SpeedVerdict speed = modelled(1e6);
    take_growth(sized(lasting, 4e6), sized(lasting, 1e6), speed);
    compare_with_marks(&kMarks, task, speed);
    return speed.review;
  };
  EXPECT_EQ(review_of(950e3), "") << "almost 32 times as long as in the lab's steps";
  EXPECT_NE(review_of(970e3).find("32 times as long"), std::string::npos);
}

TEST(Speed, ACallThatIsScoredAsItIsHasNoGrowth) {
  SpeedVerdict speed = modelled(0.01e6);
  speed.is_at_scale = false;
  take_growth(sized(4e6, 4e6), sized(1e6, 1e6), speed);
  EXPECT_EQ(speed.time.milliseconds, 0.01);
}

TEST(Speed, NextThresholdIsTheNextWholePointAndEarnsIt) {
  for (const double nanoseconds : {0.32e6, 0.42e6, 0.9e6, 2.5e6, 3e6}) {
    const SpeedVerdict speed = modelled(nanoseconds);
    const double points = 15 * speed_share(speed);
    EXPECT_GT(speed.next_points, points) << nanoseconds;
    EXPECT_LE(speed.next_points, points + 1) << nanoseconds;
    EXPECT_LT(speed.next_milliseconds, nanoseconds / 1e6) << nanoseconds;
    EXPECT_GE(15 * speed_share(modelled(speed.next_milliseconds * 1e6)), speed.next_points - 1e-9) << nanoseconds;
  }
  EXPECT_EQ(modelled(0.3e6).next_points, 0) << "full points have no next threshold";
}

TEST(Speed, TheBaselineItselfEarnsNothingToTheLastBit) {
  for (const double reference : {0.26e6, 0.333333e6, 1.0 / 3})
    for (const double baseline : {2.56e6, 1.234567e6, 7.7e6}) {
      SpeedMarks marks = kMarks;
      marks.baseline_ns = baseline;
      marks.reference_ns = reference;
      SpeedVerdict speed;
      speed.is_gradable = true;
      take_modelled(counts_of(baseline), kWork, kAtScale, speed);
      compare_with_marks(&marks, scan_task(), speed);
      EXPECT_EQ(speed_share(speed), 0) << baseline << " beside " << reference;
    }
}

TEST(Speed, TheRoofIsTheOneThatIsNearer) {
  SpeedVerdict speed;
  take_modelled(counts_of(1e4), kWork, kAtScale, speed);
  EXPECT_EQ(speed.roof, "bandwidth");
  EXPECT_NEAR(speed.roof_fraction, 8e6 / 4.8e12 / 1e-5, 1e-12);
  take_modelled(counts_of(1e6), {8e6, 1e10}, kAtScale, speed);
  EXPECT_EQ(speed.roof, "arithmetic");
  SpeedVerdict unknown;
  take_modelled(counts_of(1e6), {}, kAtScale, unknown);
  EXPECT_EQ(unknown.roof, "");
  EXPECT_TRUE(unknown.review.empty()) << "a lab without a work model cannot tell";
}

TEST(Speed, WithoutALaunchThereIsNoTime) {
  SpeedVerdict speed;
  speed.is_gradable = true;
  speed.case_name = "a million";
  CounterReport counts = counts_of(1e6);
  counts.sums["launches"] = 0;
  take_modelled(counts, kWork, kAtScale, speed);
  compare_with_marks(&kMarks, scan_task(), speed);
  EXPECT_FALSE(speed.is_known);
  EXPECT_TRUE(speed.is_gradable) << "that is the submission's doing";
  EXPECT_EQ(speed.sentence, "no kernel ran in the case 'a million'");
}

TEST(Speed, AKernelThatHardlyTouchesTheDataIsUnderReview) {
  SpeedVerdict speed;
  CounterReport counts = counts_of(1e4);
  counts.sums["l2_read_sectors"] = counts.sums["l2_write_sectors"] = 10;
  take_modelled(counts, kWork, kAtScale, speed);
  EXPECT_EQ(speed.review, "its kernels move 0.0 MB where the task is about 8.0 MB: is the work done elsewhere?");
}

TEST(Speed, WithoutMarksOrATimeNothingIsGraded) {
  SpeedVerdict speed;
  speed.is_gradable = true;
  take_modelled(counts_of(1e6), kWork, kAtScale, speed);
  compare_with_marks(nullptr, scan_task(), speed);
  EXPECT_FALSE(speed.is_gradable);
  EXPECT_TRUE(speed.is_known);
  EXPECT_EQ(speed.sentence, "the lab's speed.toml has no modelled times of inclusive_scan to compare with");
  SpeedVerdict timeless;
  timeless.is_gradable = true;
  take_modelled(counts_of(0), kWork, kAtScale, timeless);
  EXPECT_FALSE(timeless.is_gradable || timeless.is_known);
}

TEST(Speed, AReferenceNoFasterThanTheNaiveStepIsForTheInstructor) {
  SpeedVerdict speed;
  speed.is_gradable = true;
  take_modelled(counts_of(1e6), kWork, kAtScale, speed);
  SpeedMarks close = kMarks;
  close.baseline_ns = 1.15 * close.reference_ns;
  compare_with_marks(&close, scan_task(), speed);
  EXPECT_FALSE(speed.is_gradable);
  EXPECT_TRUE(contains(speed.sentence, "is not slower than 1.2 times the reference")) << speed.sentence;
}

class MeasuredSpeedTest : public ::testing::Test {
 protected:
  MeasuredSpeedTest() {
    case_.name = "large";
    request_.case_file = &case_;
    request_.entries = {{TimedRole::kBaseline, "1_naive.cu", ""},
                        {TimedRole::kReference, "5_one_pass.cu", ""},
                        {TimedRole::kSubmission, "scan.cu", ""},
                        {TimedRole::kPeer, "library_cub.cu", ""}};
    result_.device = "NVIDIA H200";
    result_.clocks = "1,980 MHz, 41 °C, no throttling";
    result_.sizes = "n = 67108864";
    result_.copy_rate = 4e12;
    result_.work = {1e9, 1e8};
    result_.entries = {{{2, 1.99, 2.01}, {5, 5, 5}, {}, 30, 0, "", ""},
                       {{0.4, 0.4, 0.4}, {1, 1, 1}, {}, 40, 0, "", ""},
                       {{0.571, 0.567, 0.575}, {1.43, 1.42, 1.44}, {}, 38, 2, "", ""},
                       {{0.39, 0.39, 0.39}, {0.975, 0.97, 0.98}, {}, 40, 0, "", ""}};
  }
  SpeedVerdict speed() const {
    SpeedVerdict speed = measured_speed(request_, result_);
    set_next_threshold(15, speed);
    return speed;
  }

  CaseFile case_;
  TimingRequest request_;
  TimingResult result_;
};

TEST_F(MeasuredSpeedTest, SaysAllOnOneLine) {
  EXPECT_EQ(speed_text(speed()),
            "0.571 ± 0.004 ms on NVIDIA H200 · 3.5 × faster than naive · 1.4 × the reference's time · 1.5 × the "
            "library's time · 44 % of what a copy reaches · next: ≤ 0.527 ms → 14");
  EXPECT_EQ(speed().samples, 38);
  EXPECT_EQ(speed().discarded, 2);
  EXPECT_EQ(speed().peer, "library_cub.cu");
  EXPECT_FALSE(speed().is_modelled);
}

TEST_F(MeasuredSpeedTest, ThePairedRatioDecides) {
  result_.entries[2].ratio = {1.19, 1.18, 1.2};
  EXPECT_EQ(speed_share(speed()), 1) << "whatever the times are: they may have drifted";
}

TEST_F(MeasuredSpeedTest, WithoutSolutionsTheTimeIsShownAndNotGraded) {
  request_.entries = {{TimedRole::kSubmission, "scan.cu", ""}};
  result_.entries = {{{0.571, 0.567, 0.575}, {}, {}, 38, 2, "", ""}};
  EXPECT_FALSE(speed().is_gradable);
  EXPECT_EQ(speed().sentence, "the reference is not here: your instructor's grader times it");
  EXPECT_EQ(speed_text(speed()), "0.571 ± 0.004 ms on NVIDIA H200 · 44 % of what a copy reaches");
}

TEST_F(MeasuredSpeedTest, TroubleOfTheReferenceIsNotTheStudents) {
  result_.entries[1].trouble = "it broke in round 7";
  EXPECT_FALSE(speed().is_gradable);
  EXPECT_EQ(speed().sentence, "the reference could not be timed: it broke in round 7");
}

TEST_F(MeasuredSpeedTest, NoiseDecidesNoPoints) {
  for (const auto& [baseline, is_gradable] : {std::pair{0.578, true}, std::pair{0.574, false}}) {
    result_.entries[0].time = {baseline, baseline, baseline};
    EXPECT_EQ(speed().is_gradable, is_gradable) << baseline;
  }
  EXPECT_EQ(speed().sentence,
            "the naive step (0.574 ms) is not slower than 1.44 times the reference (0.400 ms): its instructor has to "
            "choose another case");
}

TEST_F(MeasuredSpeedTest, TroubleOfTheSubmissionIs) {
  result_.entries[2].trouble = "its output in round 7 is not right";
  EXPECT_TRUE(speed().is_gradable);
  EXPECT_FALSE(speed().is_known);
  EXPECT_EQ(speed().sentence, "its output in round 7 is not right");
}

TEST_F(MeasuredSpeedTest, NearTheRoofMemoryIsTheBound) {
  result_.entries[2].time = {0.3, 0.3, 0.3};
  EXPECT_EQ(speed().bound_by, "memory");
  result_.work.flops = 1e12;
  EXPECT_EQ(speed().roof, "") << "no copy says how fast arithmetic can be";
}

}  // namespace
}  // namespace lanewise
