// Names on the command line and files on the disk, found or told apart.
#include "harness/runner/find.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class FindTest : public ::testing::Test {
 protected:
  FindTest() : folder_(fs::temp_directory_path() / ("lanewise_find_test_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    for (std::size_t i = 0; i < 2; ++i) {
      labs_.push_back(Lab{i == 0 ? "scan" : "image", {}});
      files_.emplace_back();
    }
    files_[0].id = "scan";
    files_[0].skeleton = "scan.cu";
    files_[0].tasks = {task("inclusive_scan")};
    files_[1].id = "image";
    files_[1].skeleton = "image.cu";
    files_[1].tasks = {task("grayscale"), task("blur")};
    for (std::size_t i = 0; i < 2; ++i) all_.push_back({&labs_[i], files_[i], {}});
  }
  ~FindTest() override { fs::remove_all(folder_); }

  static TaskFile task(const char* name) {
    TaskFile file;
    file.name = name;
    return file;
  }
  void touch(const std::string& name) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "\n";
  }

  fs::path folder_;
  std::vector<Lab> labs_;
  std::vector<LabFile> files_;
  std::vector<LabSelection> all_;
};

TEST_F(FindTest, NoNameMeansAll) { EXPECT_EQ(select_labs(all_, {})->size(), 2U); }

TEST_F(FindTest, TaskNameSelectsOnlyThatTask) {
  const auto selected = select_labs(all_, {"blur"});
  ASSERT_TRUE(selected);
  ASSERT_EQ(selected->size(), 1U);
  EXPECT_EQ((*selected)[0].file.id, "image");
  EXPECT_EQ((*selected)[0].tasks, std::set<std::string>{"blur"});
}

TEST_F(FindTest, LabNameBesideItsTaskMeansTheWholeLab) {
  for (const auto& names : {std::vector<std::string>{"blur", "image"}, std::vector<std::string>{"image", "blur"}}) {
    const auto selected = select_labs(all_, names);
    ASSERT_TRUE(selected);
    ASSERT_EQ(selected->size(), 1U);
    EXPECT_TRUE((*selected)[0].tasks.empty());
  }
}

TEST_F(FindTest, UnknownNameListsWhatThereIs) {
  const auto selected = select_labs(all_, {"matmul"});
  ASSERT_FALSE(selected);
  EXPECT_EQ(selected.sentence(),
            "there is no lab or task 'matmul'; the labs are scan (inclusive_scan), image (grayscale, blur)");
  EXPECT_EQ(select_labs(all_, {"Scan", "blur"}).sentence(), "there is no lab or task 'Scan'; did you mean 'scan'?");
  EXPECT_EQ(select_labs(all_, {"blurr"}).sentence(), "there is no lab or task 'blurr'; did you mean 'blur'?");
}

TEST_F(FindTest, WithoutSubmissionItIsTheFileInLabs) {
  LabFile lab = files_[0];
  lab.folder = folder_;
  EXPECT_NE(find_source(lab, std::nullopt).sentence().find("scan.cu is missing; lanewise restore scan brings it back"),
            std::string::npos);
  touch("scan.cu");
  EXPECT_EQ(*find_source(lab, std::nullopt), folder_ / "scan.cu");
}

TEST_F(FindTest, FolderOfALabMeansThisLab) {
  for (LabSelection& lab : all_) lab.file.folder = folder_ / "labs" / lab.file.id;
  touch("labs/scan/figures/tree.svg");
  touch("labs/image/image.cu");
  EXPECT_EQ(lab_around(all_, folder_ / "labs" / "scan")->file.id, "scan");
  EXPECT_EQ(lab_around(all_, folder_ / "labs" / "scan" / "figures")->file.id, "scan");
  EXPECT_FALSE(lab_around(all_, folder_ / "labs"));
  EXPECT_FALSE(lab_around(all_, folder_ / "nowhere"));
}

TEST_F(FindTest, FolderIsSearchedForTheSkeletonsName) {
  touch("scan.cu");
  touch("other.cu");
  EXPECT_EQ(*find_source(files_[0], folder_), folder_ / "scan.cu");
  touch("image/image.cu");
  EXPECT_EQ(*find_source(files_[1], folder_), folder_ / "image" / "image.cu");
}

TEST_F(FindTest, OnlyCuFileOfAFolderIsTaken) {
  touch("homework.cu");
  EXPECT_EQ(*find_source(files_[0], folder_), folder_ / "homework.cu");
}

TEST_F(FindTest, FolderWithoutOrWithTooManyCuFilesIsSaid) {
  EXPECT_NE(find_source(files_[0], folder_).sentence().find("there is no .cu file in this folder; put scan.cu there"),
            std::string::npos);
  touch("a.cu");
  touch("b.cu");
  EXPECT_NE(find_source(files_[0], folder_).sentence().find("2 .cu files and none is called scan.cu"),
            std::string::npos);
}

TEST_F(FindTest, SubmissionSaysItsLabByName) {
  touch("scan.cu");
  EXPECT_EQ(labs_of_submission(all_, folder_ / "scan.cu")->at(0).file.id, "scan");
  EXPECT_EQ(labs_of_submission(all_, folder_)->size(), 1U);
  touch("image/image.cu");
  EXPECT_EQ(labs_of_submission(all_, folder_)->size(), 2U);
  EXPECT_NE(labs_of_submission(all_, folder_ / "mine.cu").sentence().find("does not say which lab it is for"),
            std::string::npos);
}

}  // namespace
}  // namespace lanewise
