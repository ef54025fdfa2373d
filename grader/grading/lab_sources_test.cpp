// Whose file is whose lab's: by name, by folder, and never by guessing.
#include "grader/grading/lab_sources.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "grader/workplace/temporary_folder.h"
#include "harness/declared/known_labs.h"
#include "harness/lab/lab.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class LabSourcesTest : public ::testing::Test {
 protected:
  LabSourcesTest() {
    Installation installation;
    installation.labs = LANEWISE_LABS_FOLDER;
    const auto read = known_labs(installation, {}, Oracles::kLater);
    EXPECT_TRUE(read) << read.sentence();
    if (read) labs_ = *read;
  }

  void put(const fs::path& name) {
    fs::create_directories((folder_->path() / name).parent_path());
    std::ofstream(folder_->path() / name) << "// " << name << "\n";
  }
  std::vector<LabSelection> only(const std::string& id) const {
    std::vector<LabSelection> one;
    for (const LabSelection& lab : labs_)
      if (lab.file.id == id) one.push_back(lab);
    return one;
  }
  // "scan: a/scan.cu", by lab, then the doubts.
  std::string found(const std::vector<LabSelection>& labs) const {
    const LabSources sources = find_lab_sources(labs, folder_->path());
    std::string text;
    for (const LabSource& source : sources.sources)
      text += source.lab->file.id + ": " + fs::relative(source.source, folder_->path()).string() + "\n";
    for (const std::string& doubt : sources.doubts) text += doubt + "\n";
    return text;
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
  std::vector<LabSelection> labs_;
};

TEST_F(LabSourcesTest, FilesAreFoundByTheNameOfTheSkeletonInAnyFolder) {
  put("scan.cu");
  put("week 6/work/merge.cu");
  EXPECT_EQ(found(labs_), "merge: week 6/work/merge.cu\nscan: scan.cu\n");
}

TEST_F(LabSourcesTest, FileOfAnyNameIsTakenForTheOnlyLab) {
  put("ada.cu");
  EXPECT_EQ(found(only("scan")), "scan: ada.cu\n");
  EXPECT_EQ(found(labs_).rfind("no .cu file in it is called ", 0), 0U);
  put("bob.cu");
  EXPECT_EQ(found(only("scan")), "no .cu file in it is called scan.cu\n");
}

TEST_F(LabSourcesTest, FolderNamedAfterTheLabDecidesBetweenFilesOfOneName) {
  put("old/scan.cu");
  put("new/scan.cu");
  EXPECT_EQ(found(only("scan")), "there are 2 files called scan.cu in it, and none alone in a folder scan\n");
  put("scan/scan.cu");
  EXPECT_EQ(found(only("scan")), "scan: scan/scan.cu\n");
  put("older/scan/scan.cu");
  EXPECT_EQ(found(only("scan")), "there are 4 files called scan.cu in it, and none alone in a folder scan\n");
}

TEST_F(LabSourcesTest, NothingIsSaidToBeNothing) { EXPECT_EQ(found(labs_), "there is no .cu file in it\n"); }

TEST_F(LabSourcesTest, AnswersLieBesideTheSourceOrAtTheTop) {
  put("scan/scan.cu");
  put("answers.toml");
  const auto top = find_lab_sources(only("scan"), folder_->path());
  EXPECT_EQ(top.sources.at(0).answers, folder_->path() / "answers.toml");
  put("scan/answers.toml");
  const auto beside = find_lab_sources(only("scan"), folder_->path());
  EXPECT_EQ(beside.sources.at(0).answers, folder_->path() / "scan" / "answers.toml");
}

TEST_F(LabSourcesTest, TimeOfTheFileIsWhenItWasHandedInUnlessThereIsNone) {
  put("scan.cu");
  EXPECT_GT(find_lab_sources(only("scan"), folder_->path()).sources.at(0).handed_in, 0);
  const timespec times[2] = {{0, 0}, {0, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (folder_->path() / "scan.cu").c_str(), times, 0), 0);
  EXPECT_EQ(find_lab_sources(only("scan"), folder_->path()).sources.at(0).handed_in, 0);
}

}  // namespace
}  // namespace lanewise
