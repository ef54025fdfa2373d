// What the command line shows, and in which order: nothing is shown again that was to be hidden.
#include "grader/sandbox/bubblewrap.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class BubblewrapTest : public ::testing::Test {
 protected:
  BubblewrapTest() {
    walls_.bwrap = "bwrap";
    walls_.launcher = "/usr/bin/env";
    walls_.most_processes = 7;
    walls_.most_folder_bytes = 9;
  }

  // Where `words` stand next to each other in the command line; behind its end if they do not.
  std::size_t place_of(const std::vector<std::string>& words) const {
    const auto command = bubblewrap_command(walls_, reach_, "/", {"/bin/true", "argument"});
    const auto found = std::search(command.begin(), command.end(), words.begin(), words.end());
    return static_cast<std::size_t>(found - command.begin());
  }
  bool has(const std::vector<std::string>& words) const {
    return place_of(words) < bubblewrap_command(walls_, reach_, "/", {"/bin/true", "argument"}).size();
  }

  Walls walls_;
  Reach reach_;
};

TEST_F(BubblewrapTest, EndsWithTheLauncherItsLimitsAndTheProgram) {
  reach_.writable = "/tmp";
  EXPECT_TRUE(has({"--", "/usr/bin/env", "7", "/tmp", "9", "/bin/true", "argument"}));
}

TEST_F(BubblewrapTest, ShowsNoFolderTwice) {
  reach_.readable = {"/usr/lib", "/usr/bin/env"};
  EXPECT_TRUE(has({"--ro-bind", "/usr", "/usr"}));
  EXPECT_FALSE(has({"--ro-bind", "/usr/lib", "/usr/lib"}));
  EXPECT_FALSE(has({"--ro-bind", "/usr/bin/env", "/usr/bin/env"}));
}

TEST_F(BubblewrapTest, FolderWithANameThatBeginsAlikeIsAnother) {
  const fs::path folder = fs::temp_directory_path() / ("usr_" + std::to_string(getpid()));
  const fs::path longer = folder.string() + "_longer";
  fs::create_directories(folder);
  fs::create_directories(longer);
  reach_.readable = {folder, longer};
  EXPECT_TRUE(has({"--ro-bind", longer.string(), longer.string()}));
  fs::remove(folder);
  fs::remove(longer);
}

TEST_F(BubblewrapTest, WhatIsHiddenInTheSystemIsClosedAndWhatLiesInItIsShownByNameOnly) {
  walls_.hidden = {"/usr/share", "/nonexistent", ""};
  reach_.readable = {"/usr/share/doc"};
  const std::size_t hidden = place_of({"--tmpfs", "/usr/share"});
  const std::size_t shown = place_of({"--ro-bind", "/usr/share/doc", "/usr/share/doc"});
  const std::size_t closed = place_of({"--remount-ro", "/usr/share"});
  EXPECT_LT(place_of({"--ro-bind", "/usr", "/usr"}), hidden);
  EXPECT_LT(hidden, shown);
  EXPECT_LT(shown, closed);
  EXPECT_TRUE(has({"--remount-ro", "/usr/share"}));
  EXPECT_FALSE(has({"--tmpfs", "/nonexistent"}));
}

TEST_F(BubblewrapTest, OnlyWorkersFindDevices) {
  walls_.devices = {"/dev/nvidia0"};
  EXPECT_TRUE(has({"--dev-bind-try", "/dev/nvidia0", "/dev/nvidia0"}));
  reach_.work = ForeignWork::kCompile;
  EXPECT_FALSE(has({"--dev-bind-try", "/dev/nvidia0", "/dev/nvidia0"}));
}

TEST_F(BubblewrapTest, CompilersLearnOfLargePagesAndOfNothingElseInSys) {
  const std::string file = "/sys/kernel/mm/transparent_hugepage/enabled";
  reach_.work = ForeignWork::kCompile;
  EXPECT_FALSE(has({"--ro-bind-try", file, file}));
  walls_.can_size_folders = true;
  EXPECT_LT(place_of({"--perms", "0111", "--dir", "/sys"}), place_of({"--ro-bind-try", file, file}));
  EXPECT_FALSE(has({"/sys", "/sys"}));
  reach_.work = ForeignWork::kRun;
  EXPECT_FALSE(has({"--ro-bind-try", file, file}));
}

TEST_F(BubblewrapTest, TemporaryFolderIsClosedButForADriverWhoseHasASize) {
  walls_.can_size_folders = true;
  EXPECT_TRUE(has({"--dir", "/tmp"}));
  walls_.devices = {"/dev/nvidia0"};
  EXPECT_TRUE(has({"--size", "67108864", "--tmpfs", "/tmp"}));
  reach_.work = ForeignWork::kCompile;
  EXPECT_TRUE(has({"--dir", "/tmp"}));
  reach_.work = ForeignWork::kRun;
  walls_.can_size_folders = false;
  EXPECT_TRUE(has({"--dir", "/tmp"}));
  EXPECT_FALSE(has({"--tmpfs", "/tmp"}));
}

}  // namespace
}  // namespace lanewise
