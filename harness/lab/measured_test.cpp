// What is written to measured.toml comes back; times and rates read as people write them.
#include "harness/lab/measured.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class MeasuredFile : public ::testing::Test {
 protected:
  ~MeasuredFile() override { fs::remove(file_); }

  Expected<std::vector<MeasuredTask>> read(const std::string& content) {
    std::ofstream(file_) << content;
    return read_measured(file_);
  }

  const fs::path file_ = fs::temp_directory_path() / ("lanewise_measured_test_" + std::to_string(getpid()) + ".toml");
};

TEST_F(MeasuredFile, WhatIsWrittenComesBack) {
  const MeasuredTask task{
      "blur",
      "NVIDIA H200",
      "580.95.05",
      "13.0",
      1980,
      "2026-11-22",
      {{"1_naive.cu", "a \"race\"", 3.3125, 15, 134217728, 335544320, true, "0123", 0, 0, 0, 0, 67108864},
       {"library_npp.cu", "race", 0.00042, 200, 0, 0, false, "4567"}}};
  const auto tasks = read(measured_text({task, {"grayscale", "other", "unknown", "13.1", 0, "2026-11-23", {}}}));
  ASSERT_TRUE(tasks) << tasks.sentence();
  ASSERT_EQ(tasks->size(), 2U);
  const MeasuredTask& blur = tasks->front();
  EXPECT_EQ(blur.name, "blur");
  EXPECT_EQ(blur.gpu, "NVIDIA H200");
  EXPECT_EQ(blur.driver, "580.95.05");
  EXPECT_EQ(blur.cuda, "13.0");
  EXPECT_EQ(blur.sm_clock, 1980);
  EXPECT_EQ(blur.date, "2026-11-22");
  ASSERT_EQ(blur.times.size(), 2U);
  EXPECT_EQ(blur.times[0].case_name, "a \"race\"");
  EXPECT_DOUBLE_EQ(blur.times[0].milliseconds, 3.3125);
  EXPECT_EQ(blur.times[0].samples, 15);
  EXPECT_EQ(blur.times[0].bytes, 134217728);
  EXPECT_EQ(blur.times[0].flops, 335544320);
  EXPECT_EQ(blur.times[0].written, 67108864);
  EXPECT_TRUE(blur.times[0].right);
  EXPECT_EQ(blur.times[0].source, "0123");
  EXPECT_DOUBLE_EQ(blur.times[1].milliseconds, 0.00042);
  EXPECT_FALSE(blur.times[1].right);
}

TEST_F(MeasuredFile, AbsentMeansNotMeasured) {
  const auto tasks = read_measured(file_);
  ASSERT_TRUE(tasks);
  EXPECT_TRUE(tasks->empty());
}

TEST_F(MeasuredFile, MistakesNameTheLine) {
  const auto tasks = read("[[task]]\nname = \"blur\"\nGPU = \"x\"\n");
  ASSERT_FALSE(tasks);
  EXPECT_EQ(tasks.sentence().rfind(file_.string() + ":3: the key 'GPU' means nothing here", 0), 0U) << tasks.sentence();
}

TEST_F(MeasuredFile, WhetherATimeIsOfARightResultMustBeSaid) {
  const std::string task =
      "[[task]]\nname = \"blur\"\ngpu = \"x\"\ndriver = \"1\"\ncuda = \"13.0\"\nsm_clock = 0\ndate = \"today\"\n";
  const std::string time =
      "[[task.time]]\nstep = \"1.cu\"\ncase = \"race\"\nmilliseconds = 1\nsamples = 15\nbytes = 0\nwritten = 0\nflops "
      "= 0\n"
      "source = \"x\"\n";
  const auto wrong = read(task + time + "right = false\n");
  ASSERT_TRUE(wrong) << wrong.sentence();
  EXPECT_FALSE(wrong->at(0).times.at(0).right);
  for (const char* right : {"", "right = \"no\"\n"}) {
    const auto tasks = read(task + time + right);
    ASSERT_FALSE(tasks) << right;
    EXPECT_NE(tasks.sentence().find("the key 'right' must be true or false"), std::string::npos) << tasks.sentence();
  }
}

TEST(Measured, RatesAreOfWhatLimits) {
  EXPECT_EQ(rate_text(0.75, 3.0e9, 2.5e8), "4,000 GB/s");
  EXPECT_EQ(rate_text(2.5, 2.0e8, 1.3e11), "52.0 TFLOP/s");
  EXPECT_EQ(rate_text(38, 8.0e8, 0), "21.1 GB/s");
  EXPECT_EQ(rate_text(1, 0, 0), "");
}

TEST_F(MeasuredFile, IntervalsClocksAndGroupsComeBack) {
  MeasuredTask task;
  task.name = "scan";
  task.gpu = task.driver = task.cuda = task.date = "x";
  task.group = kScalingTimes;
  task.cccl = "3.0.1";
  task.sm_clock = 1980;
  task.lowest_clock = 1755;
  task.throttling = "power cap";
  MeasuredTime& time = task.times.emplace_back();
  time.step = time.case_name = time.source = "y";
  time.milliseconds = 0.73;
  time.low = 0.7299;
  time.high = 0.7308;
  time.discarded = 4;
  time.size = 65536;
  const auto tasks = read(measured_text({task}));
  ASSERT_TRUE(tasks) << tasks.sentence();
  const MeasuredTask* const found = find_measured(*tasks, "scan", kScalingTimes);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(find_measured(*tasks, "scan", kRaceTimes), nullptr);
  EXPECT_EQ(found->cccl, "3.0.1");
  EXPECT_EQ(found->lowest_clock, 1755);
  EXPECT_EQ(found->throttling, "power cap");
  ASSERT_EQ(found->times.size(), 1U);
  EXPECT_EQ(found->times[0].low, 0.7299);
  EXPECT_EQ(found->times[0].high, 0.7308);
  EXPECT_EQ(found->times[0].discarded, 4);
  EXPECT_EQ(found->times[0].size, 65536);
  EXPECT_EQ(measured_text(*tasks), measured_text({task}));
}

TEST_F(MeasuredFile, FilesWithoutIntervalsAreRaceTimes) {
  const auto tasks = read(
      "[[task]]\nname = \"blur\"\ngpu = \"x\"\ndriver = \"1\"\ncuda = \"13.0\"\nsm_clock = 0\ndate = \"today\"\n"
      "[[task.time]]\nstep = \"1.cu\"\ncase = \"race\"\nmilliseconds = 1\nsamples = 15\nbytes = 0\nwritten = 0\nflops "
      "= 0\n"
      "right = true\nsource = \"x\"\n");
  ASSERT_TRUE(tasks) << tasks.sentence();
  const MeasuredTask* const race = find_measured(*tasks, "blur", kRaceTimes);
  ASSERT_NE(race, nullptr);
  EXPECT_EQ(race->times.at(0).high, 0);
  EXPECT_EQ(interval_text(race->times[0]), "1.00 ms");
}

TEST_F(MeasuredFile, GroupsAreReplacedOneByOne) {
  MeasuredTask race;
  race.name = "scan";
  MeasuredTask check = race;
  check.group = kCheckTimes;
  MeasuredTask newer = check;
  newer.date = "tomorrow";
  const auto tasks = with_task({race, check}, newer);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].date, "");
  EXPECT_EQ(tasks[1].date, "tomorrow");
  EXPECT_EQ(with_task({check}, race).size(), 2U);
}

TEST(Measured, IntervalsShowTheirFirstDigit) {
  MeasuredTime time;
  time.milliseconds = 0.734;
  time.low = 0.731;
  time.high = 0.7351;
  EXPECT_EQ(interval_text(time), "0.734 ± 0.003 ms");
  time.low = 0.73396;
  time.high = 0.73403;
  EXPECT_EQ(interval_text(time), "0.73400 ± 0.00004 ms");
  time.milliseconds = time.low = time.high = 66.2;
  EXPECT_EQ(interval_text(time), "66.2 ± 0.0 ms");
}

TEST(Measured, CommentsAreNotTheCode) {
  const std::string hash = code_hash("// Gain  x 2\n#include <a>\n\nint f();  // g\n");
  EXPECT_EQ(code_hash("// Gain  x 3\n// more\n#include <a>\nint f();  // g\n"), hash);
  EXPECT_EQ(code_hash("#include <a>\n  // one\nint f(); // another\n"), hash);
  EXPECT_NE(code_hash("#include <a>\nint g();  // g\n"), hash);
  EXPECT_NE(code_hash("say(\"a // b\");\n"), code_hash("say(\"a // c\");\n")) << "a text is code";
  EXPECT_NE(code_hash("say(\"\\\" // b\");\n"), code_hash("say(\"\\\" // c\");\n")) << "with a quote in it, too";
  EXPECT_EQ(hash.size(), 16U);
}

TEST(Measured, TimesHaveThreeDigits) {
  EXPECT_EQ(milliseconds_text(0.0423), "0.0423 ms");
  EXPECT_EQ(milliseconds_text(3.312), "3.31 ms");
  EXPECT_EQ(milliseconds_text(67.04), "67.0 ms");
  EXPECT_EQ(milliseconds_text(1234), "1234 ms");
}

}  // namespace
}  // namespace lanewise
