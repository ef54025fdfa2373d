#include "grader/release/released_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "grader/workplace/temporary_folder.h"

namespace lanewise::release_test {
namespace {

namespace fs = std::filesystem;

TEST(ForStudents, NothingOfTheInstructors) {
  for (const char* path :
       {"solutions/scan/1_kogge_stone.cu", "solutions/scan/answers.toml", "grader/attacks/timing/replay.cu",
        "grader/commands/grade.cpp", "grader/commands/verify.cpp", "grader/grading/class_grading.cpp",
        "grader/README.md", "labs/scan/questions_test.cpp", "labs/bfs/test_graphs.h", "labs/scan/wrong/a.cu",
        "harness/vgpu/sweep/kernels/look_back.cu", "harness/vgpu/programs/atomics.cu", "harness/runner/testing/x.cpp",
        "datasets/fuzz/CMakeLists.txt", "secret.toml", "README.md", "Makefile", "a_new_room/a.cpp"})
    for (const ReleaseForm form : {ReleaseForm::kPrograms, ReleaseForm::kSources})
      EXPECT_FALSE(is_for_students(path, form)) << path;
}

TEST(ForStudents, LabsAndWhatChecksThem) {
  for (const char* path : {"labs/scan/scan.cu", "labs/scan/lab.toml", "labs/scan/answers.toml", "labs/scan/lab.cpp",
                           "harness/runner/verdict/grade.cpp", "datasets/images/chelsea.png",
                           "grader/commands/check.cpp", "grader/commands/restore.cpp", "labs/scan/scan.cu.skeleton",
                           "scripts/build.sh", "CMakeLists.txt", ".vscode/tasks.json"})
    EXPECT_TRUE(is_for_students(path, ReleaseForm::kSources)) << path;
}

TEST(ForStudents, BesidePrograms) {
  for (const char* path :
       {".vscode/tasks.json", "labs/scan/scan.cu", "labs/scan/scan.cu.skeleton", "labs/scan/Makefile",
        "labs/scan/scan.cuh", "labs/scan/entry.cpp", "labs/scan/lab.toml", "labs/scan/figures/steps.svg",
        "harness/worker/entry.h", "datasets/images/chelsea.png", "datasets/random.h", "LICENSE"})
    EXPECT_TRUE(is_for_students(path, ReleaseForm::kPrograms)) << path;
  for (const char* path :
       {"labs/scan/lab.cpp", "labs/scan/sums.h", "labs/CMakeLists.txt", "labs/registry.cpp.in", "datasets/csr.cpp",
        "harness/runner/verdict/grade.cpp", "CMakeLists.txt", "scripts/build.sh"})
    EXPECT_FALSE(is_for_students(path, ReleaseForm::kPrograms)) << path;
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

  void put_declared_lab() {
    put("labs/one/lab.toml",
        "[lab]\ntitle = \"One\"\ncontract = \"one.cuh\"\nskeleton = \"one.cu\"\noracle = \"oracle.cpp\"\nprofile = "
        "\"h200\"\n[[task]]\nname = \"one\"\npoints = { correct = 1 }\njudge = \"exact\"\narrays.y = { shape = [1] }\n"
        "[[task.case]]\nname = \"c\"\ngroup = \"check\"\npoints = 1\nwhy = \"w\"\n");
    for (const char* name : {"labs/one/one.cuh", "labs/one/one.cu", "labs/one/oracle.cpp"}) put(name, name);
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
  SourceTree tree_;
};

TEST_F(ReleasedFiles, OnlyTheChosenLabs) {
  put("labs/one/lab.toml", "a");
  put("labs/two/lab.toml", "b");
  put("labs/CMakeLists.txt", "c");
  EXPECT_EQ(labs_of_tree(tree_), (std::vector<std::string>{"one", "two"}));
  const auto files = released_files(tree_, {"two"}, ReleaseForm::kSources);
  ASSERT_TRUE(files) << files.sentence();
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].path, "labs/CMakeLists.txt");
  EXPECT_EQ((*files)[1].path, "labs/two/lab.toml");
  EXPECT_EQ((*files)[1].content, "b");
}

TEST_F(ReleasedFiles, DeclaredLabGoesWithItsOracle) {
  put_declared_lab();
  put("labs/one/other.cpp", "other");
  const auto files = released_files(tree_, {"one"}, ReleaseForm::kPrograms);
  ASSERT_TRUE(files) << files.sentence();
  std::vector<std::string> paths;
  for (const ArchiveFile& file : *files) paths.push_back(file.path);
  EXPECT_EQ(std::count(paths.begin(), paths.end(), "labs/one/oracle.cpp"), 1);
  EXPECT_EQ(std::count(paths.begin(), paths.end(), "labs/one/other.cpp"), 0);
  EXPECT_EQ(std::count(paths.begin(), paths.end(), "labs/one/one.cu.skeleton"), 1) << "students can restore it";
  put("labs/one/one.cu.skeleton", "an older one");
  const auto refused = released_files(tree_, {"one"}, ReleaseForm::kPrograms);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.sentence(),
            "labs/one/one.cu differs from labs/one/one.cu.skeleton: 'lanewise restore one' brings the skeleton back; "
            "if yours is the new skeleton, copy it there");
}

TEST_F(ReleasedFiles, SolutionInPlaceOfASkeletonIsNotReleased) {
  put("labs/one/one.cu", "the work of hours");
  put("solutions/one/2_fast.cu", "the work of hours");
  const auto files = released_files(tree_, {"one"}, ReleaseForm::kSources);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.sentence(),
            "labs/one/one.cu is identical to solutions/one/2_fast.cu; restore the skeleton before releasing it");
}

TEST_F(ReleasedFiles, LinksAndMissingFilesAreRefused) {
  put("labs/one/one.cu", "");
  fs::remove(tree_.root / "labs/one/one.cu");
  EXPECT_FALSE(released_files(tree_, {"one"}, ReleaseForm::kSources));
  fs::create_symlink("/etc/hostname", tree_.root / "labs/one/one.cu");
  EXPECT_FALSE(released_files(tree_, {"one"}, ReleaseForm::kSources));
}

TEST_F(ReleasedFiles, ChangesThatCountAreOfWhatIsReleased) {
  for (const char* name : {"labs/one/one.cu", "labs/two/two.cu", "solutions/one/1.cu"}) put(name, name);
  tree_.changed = tree_.files;
  EXPECT_EQ(released_changes(tree_, {"one"}, ReleaseForm::kSources), (std::vector<std::string>{"labs/one/one.cu"}));
}

TEST_F(ReleasedFiles, StudentsHaveAReadmeAndAMakefileOfTheirOwn) {
  put("README.md", "for everybody");
  put("grader/release/for_students/README.md", "for students");
  const auto files = released_files(tree_, {}, ReleaseForm::kSources);
  ASSERT_TRUE(files) << files.sentence();
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().path, "README.md");
  EXPECT_EQ(files->front().content, "for students");
}

TEST_F(ReleasedFiles, ProgramsAreTheStudentsAndNotTheInstructors) {
  for (const char* name :
       {"lanewise", "libexec/lanewise-for-students", "libexec/lanewise-worker", "libexec/lanewise-device",
        "vgpu/libcudart.so.12", "vgpu/libcudart.so.13", "vgpu/program/libcudart.so.12", "vgpu/program/libcudart.so.13",
        "vgpu/libraries/lanewise-library-watch.so", "vgpu/libraries/libcublas.so.12", "vgpu/libraries/libcublas.so.13",
        "vgpu/libraries/libcufft.so.11", "vgpu/libraries/libcufft.so.12", "vgpu/libraries/libcurand.so.10",
        "vgpu/libraries/libcusparse.so.12", "toolchain/cuda/include/cuda.h"})
    put(name, name);
  fs::permissions(tree_.root / "libexec/lanewise-for-students", fs::perms::owner_all);
  const auto programs = released_programs(tree_.root);
  ASSERT_TRUE(programs) << programs.sentence();
  ASSERT_EQ(programs->size(), 15U);
  EXPECT_EQ(programs->front().path, "bin/lanewise");
  EXPECT_EQ(programs->front().content, "libexec/lanewise-for-students");
  EXPECT_TRUE(programs->front().is_executable);
  EXPECT_EQ(programs->back().path, "bin/toolchain/cuda/include/cuda.h");
  EXPECT_FALSE(programs->back().is_executable);
  put("vgpu/libraries/libcuda.so.1", "where there is the toolkit");
  EXPECT_EQ(released_programs(tree_.root)->size(), 16U);
  fs::remove(tree_.root / "vgpu/libcudart.so.13");
  EXPECT_FALSE(released_programs(tree_.root));
}

TEST_F(ReleasedFiles, ProgramsThatAreOlderThanTheirSourcesAreTold) {
  put("harness/runner/verdict/grade.cpp", "source");
  put("harness/runner/grade_test.cpp", "test");
  put("labs/scan/scan.cu", "goes as it is");
  put_declared_lab();
  const fs::path finished = tree_.root / "finished";
  std::ofstream(finished) << "";
  const auto built = fs::last_write_time(finished);
  for (const std::string& path : tree_.files) fs::last_write_time(tree_.root / path, built);
  EXPECT_EQ(newer_source(tree_, finished), std::nullopt);
  for (const char* path : {"harness/runner/grade_test.cpp", "labs/scan/scan.cu", "labs/one/oracle.cpp"})
    fs::last_write_time(tree_.root / path, built + std::chrono::seconds(2));
  EXPECT_EQ(newer_source(tree_, finished), std::nullopt);
  fs::last_write_time(tree_.root / "harness/runner/verdict/grade.cpp", built + std::chrono::seconds(2));
  EXPECT_EQ(newer_source(tree_, finished), "harness/runner/verdict/grade.cpp");
}

}  // namespace
}  // namespace lanewise::release_test
