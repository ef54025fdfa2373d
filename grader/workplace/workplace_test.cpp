// Reports are written whole, to whatever may stand for a file, and without touching what lies beside them.
#include "grader/workplace/workplace.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class WriteReport : public ::testing::Test {
 protected:
  WriteReport() : folder_(std::move(*TemporaryFolder::create())), file_(folder_.path() / "report.html") {}

  std::string content(const fs::path& file) const {
    const auto text = read_file(file, 1 << 26);
    return text ? *text : text.sentence();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  TemporaryFolder folder_;
  fs::path file_;
};

TEST_F(WriteReport, MakesTheFoldersAboveIt) {
  EXPECT_FALSE(write_report(folder_.path() / "a" / "b" / "report.html", "x"));
  EXPECT_EQ(content(folder_.path() / "a" / "b" / "report.html"), "x");
}

TEST_F(WriteReport, ReplacesTheOldOneAndLeavesNothingBesideIt) {
  for (const char* text : {"long ago", "now"}) EXPECT_FALSE(write_report(file_, text));
  EXPECT_EQ(content(file_), "now");
  EXPECT_EQ(files(), 1U);
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms(0666 & ~mask));
}

TEST_F(WriteReport, WhatIsPrivateIsTheOwnersAloneAlsoWhereOthersCouldRead) {
  EXPECT_FALSE(write_report(file_, "for all"));
  EXPECT_FALSE(write_private(file_, "secret"));
  EXPECT_EQ(content(file_), "secret");
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(WriteReport, ReadersAndOtherWritersNeverMeetAPart) {
  const std::string whole[] = {std::string(1 << 20, 'a'), std::string(1 << 20, 'b')};
  ASSERT_FALSE(write_report(file_, whole[0]));
  std::atomic<bool> is_over{false};
  std::thread writers[2];
  for (int i = 0; i < 2; ++i)
    writers[i] = std::thread([&, i] {
      while (!is_over) EXPECT_FALSE(write_report(file_, whole[i]));
    });
  for (int i = 0; i < 100; ++i) {
    const std::string seen = content(file_);
    EXPECT_TRUE(seen == whole[0] || seen == whole[1]) << seen.size();
  }
  is_over = true;
  for (std::thread& writer : writers) writer.join();
}

TEST_F(WriteReport, LinkIsFollowedNotReplaced) {
  fs::create_symlink("real.html", file_);
  std::ofstream(folder_.path() / "real.html") << "old";
  EXPECT_FALSE(write_report(file_, "new"));
  EXPECT_TRUE(fs::is_symlink(file_));
  EXPECT_EQ(content(folder_.path() / "real.html"), "new");
}

TEST_F(WriteReport, DevicesAreWrittenTo) {
  EXPECT_FALSE(write_report("/dev/null", "x"));
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
  const auto full = write_report("/dev/full", "x");
  ASSERT_TRUE(full);
  EXPECT_NE(full->sentence.find("/dev/full: the file cannot be written (No space left"), std::string::npos);
}

TEST_F(WriteReport, SecretsGoNowhereElse) {
  const fs::path elsewhere = file_.parent_path() / "elsewhere";
  std::ofstream(elsewhere) << "theirs";
  fs::create_symlink(elsewhere, file_);
  EXPECT_FALSE(write_private(file_, "secret"));
  EXPECT_EQ(content(elsewhere), "theirs");
  EXPECT_EQ(content(file_), "secret");
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(write_private("/dev/null", "secret")) << "a device keeps nothing";
}

TEST_F(WriteReport, FileInTheWayOfAFolderIsNamed) {
  std::ofstream(file_) << "mine";
  const auto failure = write_report(file_ / "report.html", "x");
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->sentence.find("report.html/report.html: the file cannot be written"), std::string::npos);
  EXPECT_EQ(content(file_), "mine");
}

TEST(ShownPath, IsOneHarmlessLine) {
  EXPECT_EQ(shown_path(fs::current_path() / "a" / "b"), "a/b");
  EXPECT_EQ(shown_path(fs::current_path() / "a\x1b[2J\nb"), "a\\x1b[2J b");
}

TEST(OpenWorkplace, FolderThatCannotBeWrittenIsTheEnvironmentsFault) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  Installation installation;
  installation.worker = "/bin/true";
  installation.cache = folder->path() / "file" / "cache";
  std::ofstream(folder->path() / "file") << "in the way";  // permissions would not stop root
  const auto workplace = open_workplace(installation, BackendChoice::kVgpu);
  ASSERT_FALSE(workplace);
  EXPECT_NE(workplace.sentence().find("file/cache: nothing can be written there"), std::string::npos)
      << workplace.sentence();
}

TEST(OpenWorkplace, WhatClangCompilesIsNotTakenForAGpu) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  Installation installation;
  installation.worker = "/bin/true";
  installation.cache = folder->path() / "cache";
  const auto workplace = open_workplace(installation, BackendChoice::kGpu, nullptr, ToolchainChoice::kClang);
  ASSERT_FALSE(workplace);
  EXPECT_NE(workplace.sentence().find("--backend vgpu, or --toolchain nvcc"), std::string::npos)
      << workplace.sentence();
}

}  // namespace
}  // namespace lanewise
