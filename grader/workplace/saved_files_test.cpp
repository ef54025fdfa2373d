// Editors save by writing into a file, or by renaming another one to it.
#include "grader/workplace/saved_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "grader/workplace/temporary_folder.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class SavedFilesTest : public ::testing::Test {
 protected:
  SavedFilesTest() : scratch_(TemporaryFolder::create()) {
    write(file(), "one");
    saved_ = std::make_unique<SavedFiles>(std::vector<fs::path>{file(), scratch_->path() / "there is none"});
  }
  fs::path file() const { return scratch_->path() / "scan.cu"; }
  static void write(const fs::path& file, const char* text) { std::ofstream(file) << text; }
  // Whether wait() notices what `change` does while it waits.
  bool notices(const std::function<void()>& change) {
    std::thread saving([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      change();
    });
    const bool is_noticed = saved_->wait();
    saving.join();
    return is_noticed;
  }

  Expected<TemporaryFolder> scratch_;
  std::unique_ptr<SavedFiles> saved_;
};

TEST_F(SavedFilesTest, NoticeWhatIsWrittenIntoThem) {
  EXPECT_TRUE(notices([this] { write(file(), "two and more"); }));
}

TEST_F(SavedFilesTest, NoticeTheSameContentSavedAgain) {
  EXPECT_TRUE(notices([this] { write(file(), "one"); }));
}

TEST_F(SavedFilesTest, NoticeAnotherFileInTheirPlace) {
  const fs::path other = scratch_->path() / "scan.cu.swap";
  write(other, "two");
  fs::last_write_time(other, fs::last_write_time(file()));
  EXPECT_TRUE(notices([&] { fs::rename(other, file()); }));
}

TEST_F(SavedFilesTest, WaitForOneThatIsGoneWhileItIsSaved) {
  fs::remove(file());
  bool is_back = false;
  EXPECT_TRUE(notices([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    is_back = true;
    write(file(), "two");
  }));
  EXPECT_TRUE(is_back);
}

TEST_F(SavedFilesTest, WhatWasSavedBeforeWaitingCounts) {
  write(file(), "two, saved early");
  EXPECT_TRUE(saved_->wait());
}

}  // namespace
}  // namespace lanewise
