// Any change of a file that was read is noticed.
#include "harness/runner/build/included_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class IncludedFilesTest : public ::testing::Test {
 protected:
  IncludedFilesTest()
      : root_(fs::temp_directory_path() / ("lanewise_included_files_test_" + std::to_string(getpid()))) {
    fs::create_directories(root_);
    write("one");
  }
  ~IncludedFilesTest() override { fs::remove_all(root_); }

  void write(const std::string& content) const { std::ofstream(header_) << content; }
  bool remember(fs::file_time_type started) const { return remember_files(list_, {header_}, started); }

  fs::path root_;
  fs::path header_ = root_ / "a header.cuh";
  fs::path list_ = root_ / "list";
  fs::file_time_type later_ = fs::file_time_type::clock::now() + std::chrono::hours(1);
};

TEST_F(IncludedFilesTest, ChangeAndDisappearanceAreNoticed) {
  EXPECT_FALSE(are_unchanged(list_));
  ASSERT_TRUE(remember(later_));
  EXPECT_TRUE(are_unchanged(list_));
  write("two");
  EXPECT_FALSE(are_unchanged(list_));
  write("one");
  EXPECT_TRUE(are_unchanged(list_));
  fs::remove(header_);
  EXPECT_FALSE(are_unchanged(list_));
}

TEST_F(IncludedFilesTest, FileWrittenWhileItWasReadCountsAsChanged) {
  ASSERT_TRUE(remember(fs::last_write_time(header_)));
  EXPECT_FALSE(are_unchanged(list_));
}

TEST_F(IncludedFilesTest, NothingIncludedNeverChanges) {
  ASSERT_TRUE(remember_files(list_, {}, later_));
  EXPECT_TRUE(are_unchanged(list_));
}

TEST_F(IncludedFilesTest, FoldersAreTakenByWholeNames) {
  const std::vector<fs::path> files = {"/toolkit/include/a.h", "/toolkit/../lab/b.h", "/toolkit2/c.h"};
  EXPECT_EQ(files_outside(files, {"/toolkit"}), (std::vector<fs::path>{"/lab/b.h", "/toolkit2/c.h"}));
}

}  // namespace
}  // namespace lanewise
