// What decides a grade has the path that it has in the tree, wherever it lies, and only what is there is named.
#include "grader/grading/graded_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "grader/workplace/temporary_folder.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

TEST(GradedFiles, AreThoseOfTheLabItsKeyAndOnAGpuWhatIsTimedBeside) {
  const auto scratch = TemporaryFolder::create();
  ASSERT_TRUE(scratch);
  Installation installation;
  installation.solutions = scratch->path() / "keys";
  const auto put = [&](const char* name) {
    const fs::path file = installation.solutions / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << name;
  };
  const auto lab = read_lab_file(fs::path(LANEWISE_LABS_FOLDER) / "vecadd");
  ASSERT_TRUE(lab) << lab.sentence();
  const auto paths = [&](bool is_timed) {
    std::vector<std::string> all;
    for (const auto& [path, file] : graded_files(installation, *lab, is_timed)) {
      EXPECT_TRUE(fs::is_regular_file(file)) << file;
      all.push_back(path);
    }
    return all;
  };
  std::vector<std::string> expected = {"labs/cuda_host.cuh",         "labs/vecadd/lab.toml",   "labs/vecadd/oracle.cpp",
                                       "labs/vecadd/questions.toml", "labs/vecadd/speed.toml", "labs/vecadd/vecadd.cu",
                                       "labs/vecadd/vecadd.cuh"};
  EXPECT_EQ(paths(true), expected) << "there are no solutions";
  for (const char* const name : {"vecadd/answers.toml", "vecadd/vec_add/1_plain.cu", "vecadd/vec_add/2_other.cu"})
    put(name);
  expected.emplace_back("solutions/vecadd/answers.toml");
  EXPECT_EQ(paths(false), expected);
  expected.emplace_back("solutions/vecadd/vec_add/1_plain.cu");
  EXPECT_EQ(paths(true), expected) << "the baseline is timed, a step between is not";
}

}  // namespace
}  // namespace lanewise
