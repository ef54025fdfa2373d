#include "grader/release/released_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "grader/temporary_folder.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

TEST(ForStudents, NothingOfTheInstructors) {
  for (const char* path :
       {"solutions/scan/1_kogge_stone.cu", "solutions/scan/answers.toml", "grader/attacks/timing/replay.cu",
        "grader/command_grade.cpp", "grader/command_demo.cpp", "grader/class_grading.cpp", "grader/README.md",
        "labs/scan/questions_test.cpp", "labs/bfs/test_graphs.h", "labs/scan/wrong/a.cu",
        "harness/vgpu/sweep/kernels/look_back.cu", "harness/vgpu/programs/atomics.cu", "harness/runner/testing/x.cpp",
        "datasets/fuzz/CMakeLists.txt", "secret.toml", "README.md", "Makefile", "a_new_room/a.cpp"})
    EXPECT_FALSE(is_for_students(path)) << path;
}

TEST(ForStudents, LabsAndWhatChecksThem) {
  for (const char* path : {"labs/scan/scan.cu", "labs/scan/lab.toml", "labs/scan/answers.toml", "labs/scan/lab.cpp",
                           "harness/runner/grade.cpp", "datasets/images/chelsea.png", "grader/command_check.cpp",
                           "scripts/build.sh", "CMakeLists.txt"})
    EXPECT_TRUE(is_for_students(path)) << path;
}

class ReleasedFiles : public ::testing::Test {
 protected:
  ReleasedFiles() { tree_.root = folder_->path(); }

  void put(const std::string& name, const std::string& content) {
    fs::create_directories((tree_.root / name).parent_path());
    std::ofstream(tree_.root / name) << content;
    tree_.files.push_back(name);
    std::sort(tree_.files.begin(), tree_.files.end());
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
  SourceTree tree_;
};

TEST_F(ReleasedFiles, OnlyTheChosenLabs) {
  put("labs/one/lab.toml", "a");
  put("labs/two/lab.toml", "b");
  put("labs/CMakeLists.txt", "c");
  EXPECT_EQ(labs_of_tree(tree_), (std::vector<std::string>{"one", "two"}));
  const auto files = released_files(tree_, {"two"});
  ASSERT_TRUE(files) << files.sentence();
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].path, "labs/CMakeLists.txt");
  EXPECT_EQ((*files)[1].path, "labs/two/lab.toml");
  EXPECT_EQ((*files)[1].content, "b");
}

TEST_F(ReleasedFiles, SolutionInPlaceOfASkeletonIsNotReleased) {
  put("labs/one/one.cu", "the work of hours");
  put("solutions/one/2_fast.cu", "the work of hours");
  const auto files = released_files(tree_, {"one"});
  ASSERT_FALSE(files);
  EXPECT_EQ(files.sentence(),
            "labs/one/one.cu is the same as solutions/one/2_fast.cu; put the skeleton back before it is released");
}

TEST_F(ReleasedFiles, LinksAndMissingFilesAreRefused) {
  put("labs/one/one.cu", "");
  fs::remove(tree_.root / "labs/one/one.cu");
  EXPECT_FALSE(released_files(tree_, {"one"}));
  fs::create_symlink("/etc/hostname", tree_.root / "labs/one/one.cu");
  EXPECT_FALSE(released_files(tree_, {"one"}));
}

TEST_F(ReleasedFiles, ChangesThatCountAreOfWhatIsReleased) {
  for (const char* name : {"labs/one/one.cu", "labs/two/two.cu", "solutions/one/1.cu"}) put(name, name);
  tree_.changed = tree_.files;
  EXPECT_EQ(released_changes(tree_, {"one"}), (std::vector<std::string>{"labs/one/one.cu"}));
}

TEST_F(ReleasedFiles, StudentsHaveAReadmeAndAMakefileOfTheirOwn) {
  put("README.md", "for everybody");
  put("grader/release/for_students/README.md", "for students");
  const auto files = released_files(tree_, {});
  ASSERT_TRUE(files) << files.sentence();
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().path, "README.md");
  EXPECT_EQ(files->front().content, "for students");
}

}  // namespace
}  // namespace lanewise
