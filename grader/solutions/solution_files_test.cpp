// Steps are in the order of their numbers. Of a task's files a sample keeps the reference, the skeleton and whatever
// declares something new.
#include "grader/solutions/solution_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "grader/workplace/temporary_folder.h"

namespace lanewise {
namespace {

using Kind = SolutionFile::Kind;
using Names = std::vector<std::string>;

class OneOfEachKind : public ::testing::Test {
 protected:
  OneOfEachKind() {
    lab_.file.tasks.resize(2);
    lab_.file.tasks[0].name = "first";
    lab_.file.tasks[0].reference = "2_reference.cu";
    lab_.file.tasks[1].name = "second";
  }

  void add(const std::string& task, Kind kind, const std::string& name) {
    SolutionFile& file = files_.emplace_back();
    file.kind = kind;
    file.lab = &lab_;
    file.task = task;
    file.source = name;
    file.declared = Outline{};
  }

  void add_wrong(const std::string& name, const std::string& clauses, const std::string& task = "first") {
    const auto expectation = parse_expectation("// expect: " + task + ": " + clauses);
    ASSERT_TRUE(expectation) << clauses;
    add(task, Kind::kWrong, name);
    files_.back().declared = expectation->outline;
    files_.back().unearned = expectation->unearned;
  }

  Names sample() const {
    Names names;
    for (const SolutionFile& file : one_of_each_kind(files_)) names.push_back(file.source.string());
    return names;
  }

  LabSelection lab_;
  std::vector<SolutionFile> files_;
};

TEST(SolutionFiles, TheTenthStepFollowsTheNinthAndPeersFollowSteps) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  std::filesystem::create_directories(folder->path() / "lab");
  for (const char* name : {"10_fast.cu", "1_plain.cu", "9_faster.cu", "library.cu"})
    std::ofstream(folder->path() / "lab" / name) << "// peer: a library\n";
  LabSelection lab;
  lab.file.id = "lab";
  lab.file.skeleton = "lab.cu";
  lab.file.tasks.resize(1);
  lab.file.tasks[0].name = "task";
  Names names;
  for (const SolutionFile& file : solution_files({lab}, folder->path()))
    names.push_back(file.source.filename().string());
  EXPECT_EQ(names, (Names{"1_plain.cu", "9_faster.cu", "10_fast.cu", "library.cu", "lab.cu"}));
}

TEST_F(OneOfEachKind, KeepsTheReferenceOrTheLastStepAndTheSkeleton) {
  for (const char* name : {"1_plain.cu", "2_reference.cu", "3_fast.cu"}) add("first", Kind::kLadder, name);
  add("first", Kind::kPeer, "library.cu");
  add("first", Kind::kSkeleton, "skeleton.cu");
  for (const char* name : {"1_only.cu", "2_last.cu"}) add("second", Kind::kLadder, name);
  EXPECT_EQ(sample(), (Names{"2_reference.cu", "skeleton.cu", "2_last.cu"}));
}

TEST_F(OneOfEachKind, KeepsTheFirstOfEachOutcomeAndOfEachTool) {
  add_wrong("a", "wrong; memcheck");
  add_wrong("b", "wrong; memcheck; racecheck");
  add_wrong("c", "wrong; racecheck");
  add_wrong("d", "right; racecheck");
  add_wrong("e", "wrong");
  add_wrong("f", "wrong; misconception = \"one\"");
  add_wrong("g", "wrong; misconception = \"another\"");
  add_wrong("h", "wrong");
  add_wrong("i", "crash");
  add_wrong("j", "right; under review");
  add_wrong("k", "right; no points of fast");
  add_wrong("l", "wrong; memcheck", "second");
  add_wrong("m", "wrong; initcheck", "second");
  EXPECT_EQ(sample(), (Names{"a", "b", "d", "f", "i", "j", "k", "m"}));
}

TEST_F(OneOfEachKind, LeavesOutNoFileThatIsInTrouble) {
  add_wrong("a", "wrong");
  add("first", Kind::kWrong, "declares nothing");
  files_.back().declared.reset();
  files_.back().trouble = "the first line must read ...";
  EXPECT_EQ(sample(), (Names{"a", "declares nothing"}));
}

}  // namespace
}  // namespace lanewise
