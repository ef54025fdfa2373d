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
  const MeasuredTask task{"blur",
                          "NVIDIA H200",
                          "580.95.05",
                          "13.0",
                          1980,
                          "2026-11-22",
                          {{"1_naive.cu", "a \"race\"", 3.3125, 15, 134217728, 335544320, true, "0123"},
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
      "[[task.time]]\nstep = \"1.cu\"\ncase = \"race\"\nmilliseconds = 1\nsamples = 15\nbytes = 0\nflops = 0\n"
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

TEST(Measured, CommentsAreNotTheCode) {
  const std::string hash = code_hash("// Gain  x 2\n#include <a>\n\nint f();  // g\n");
  EXPECT_EQ(code_hash("// Gain  x 3\n// more\n#include <a>\nint f();  // g\n"), hash);
  EXPECT_NE(code_hash("#include <a>\nint g();  // g\n"), hash);
  EXPECT_EQ(hash.size(), 16U);
}

TEST(Measured, TimesHaveThreeDigits) {
  EXPECT_EQ(milliseconds_text(0.0423), "0.042 ms");
  EXPECT_EQ(milliseconds_text(3.312), "3.31 ms");
  EXPECT_EQ(milliseconds_text(67.04), "67.0 ms");
  EXPECT_EQ(milliseconds_text(1234), "1234 ms");
}

}  // namespace
}  // namespace lanewise
