// speed.toml is read as it was written, and marks that are for something else are not used.
#include "harness/lab/speed_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class SpeedFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("lanewise_speed_file_test_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    lab_.profile = "h200";
    task_.name = "blur";
    task_.baseline = "1_naive.cu";
    task_.reference = "3_tiled.cu";
    task_.speed.modelled_case = "rocket, \"large\"";
  }
  void TearDown() override { fs::remove_all(folder_); }

  Expected<SpeedMarksFile> read(const std::string& content) {
    std::ofstream(folder_ / "speed.toml") << content;
    return read_speed_marks(folder_);
  }

  SpeedMarksFile marks() const {
    return {"h200",
            {{"blur", task_.speed.modelled_case, "1_naive.cu", "3_tiled.cu", "nvcc 13.0.88", 91234, 10500, 28596, 7000},
             {"blur", task_.speed.modelled_case, "1_naive.cu", "3_tiled.cu", "clang 19.1.7", 81234, 9500, 0, 0}}};
  }

  fs::path folder_;
  LabFile lab_;
  TaskFile task_;
};

TEST_F(SpeedFileTest, IsReadAsItWasWritten) {
  const auto read_back = read(speed_marks_text(marks()));
  ASSERT_TRUE(read_back) << read_back.sentence();
  EXPECT_EQ(read_back->profile, "h200");
  const SpeedMarks* found = find_marks(*read_back, lab_, task_, "nvcc");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->compiler, "nvcc 13.0.88");
  EXPECT_EQ(found->baseline_ns, 91234);
  EXPECT_EQ(found->reference_ns, 10500);
  EXPECT_EQ(found->lasting_ns, 28596);
  EXPECT_EQ(found->lasting_kernel_ns, 7000);
}

TEST_F(SpeedFileTest, NoFileHasNoMarks) {
  const auto none = read_speed_marks(folder_);
  ASSERT_TRUE(none) << none.sentence();
  EXPECT_EQ(find_marks(*none, lab_, task_, "nvcc"), nullptr);
}

TEST_F(SpeedFileTest, MarksForAnotherCaseStepOrDeviceAreNotUsed) {
  const SpeedMarksFile all = marks();
  TaskFile other = task_;
  other.speed.modelled_case = "another";
  EXPECT_EQ(find_marks(all, lab_, other, "nvcc"), nullptr);
  other = task_;
  other.reference = "4_running_sums.cu";
  EXPECT_EQ(find_marks(all, lab_, other, "nvcc"), nullptr);
  LabFile elsewhere = lab_;
  elsewhere.profile = "a100";
  EXPECT_EQ(find_marks(all, elsewhere, task_, "nvcc"), nullptr);
}

TEST_F(SpeedFileTest, MarksAreThoseOfTheToolchainOrElseOfAnother) {
  const SpeedMarksFile all = marks();
  EXPECT_EQ(find_marks(all, lab_, task_, "clang")->reference_ns, 9500);
  EXPECT_EQ(find_marks(all, lab_, task_, "clan")->reference_ns, 10500);
}

TEST_F(SpeedFileTest, MistakesNameTheLine) {
  const auto broken = read(
      "profile = \"h200\"\n[[task]]\nname = \"a\"\ncase = \"b\"\nbaseline = \"c\"\nreference = "
      "\"d\"\ncompiler = \"nvcc 13\"\nbaseline_ns = 0\nreference_ns = 1\n");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.sentence().find("speed.toml:8: the key 'baseline_ns' must be greater than 0"), std::string::npos)
      << broken.sentence();
}

}  // namespace
}  // namespace lanewise
