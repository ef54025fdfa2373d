// The files an instructor opens: links between them lead somewhere, and an earlier run's do not stay.
#include "grader/overview/write_overview.h"

#include <gtest/gtest.h>

#include <fstream>

#include "grader/overview/sample_class_test.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"

namespace lanewise::overview_test {
namespace {

namespace fs = std::filesystem;

const fs::path kSampleFolder = LANEWISE_OVERVIEW_SAMPLES;
const fs::path kLabsFolder = LANEWISE_LABS_FOLDER;

bool overview_file_has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class WriteOverview : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::create();
    ASSERT_TRUE(folder) << folder.sentence();
    folder_.emplace(std::move(*folder));
    out_ = folder_->path() / "out";
    class_ = class_without_students();
    add("ada", kSampleFolder / "honest.cu");
    add("grace", kSampleFolder / "another.cu");
    add("mallory", kSampleFolder / "disguised.cu");
    how_.handed_out["scan"] = {kLabsFolder / "scan/scan.cu", kLabsFolder / "scan/scan.cuh"};
  }

  void add(const std::string& id, const fs::path& source) {
    class_.students.push_back(student_called(id));
    class_.students.back().attempts = {graded_attempt("scan", scan_verdict(100))};
    class_.students.back().attempts[0].source = source;
  }
  std::string written(const std::string& file) const {
    const auto text = read_file(out_ / file, 16 << 20);
    return text ? *text : text.sentence();
  }

  std::optional<TemporaryFolder> folder_;
  fs::path out_;
  GradedClass class_;
  ClassComparison how_;
};

TEST_F(WriteOverview, PagesOfPairsLieBesideTheOverview) {
  if (!fs::exists(how_.options.program)) GTEST_SKIP() << "similarity-tester is not installed";
  std::vector<std::string> told;
  how_.progress = [&told](const std::string& text) { told.push_back(text); };
  const auto failure = write_overview(class_, compare_class(class_, how_), out_);
  ASSERT_FALSE(failure) << failure->sentence;
  EXPECT_TRUE(overview_file_has(written("index.html"), "href=\"similar/01.html\""));
  EXPECT_TRUE(overview_file_has(written("similar/01.html"), "scan: ada and mallory"));
  EXPECT_FALSE(fs::exists(out_ / "similar/02.html"));
  EXPECT_EQ(told, std::vector<std::string>{"comparing the sources of scan"});
}

TEST_F(WriteOverview, WhatAnEarlierRunLeftIsGoneAndWhatIsNotOursStays) {
  fs::create_directories(out_ / "similar");
  for (const char* file : {"similar/01.html", "similar/117.html", "similar/mine.html", "set-aside.txt"})
    std::ofstream(out_ / file) << "old";
  how_.options.program = "/nowhere/sim_c++";
  const auto failure = write_overview(class_, compare_class(class_, how_), out_);
  ASSERT_FALSE(failure) << failure->sentence;
  EXPECT_FALSE(fs::exists(out_ / "similar/01.html"));
  EXPECT_FALSE(fs::exists(out_ / "similar/117.html"));
  EXPECT_FALSE(fs::exists(out_ / "set-aside.txt"));
  EXPECT_TRUE(fs::exists(out_ / "similar/mine.html"));
}

TEST_F(WriteOverview, WithoutSimThereIsAnOverviewThatSaysSoOnce) {
  class_.labs.push_back({"sort", "Sorting", 100});
  for (GradedStudent& student : class_.students) {
    student.attempts.push_back(student.attempts[0]);
    student.attempts.back().lab = "sort";
  }
  how_.options.program = "/nowhere/sim_c++";
  EXPECT_EQ(compare_class(class_, how_).notes.size(), 1U);
  ASSERT_FALSE(write_overview(class_, compare_class(class_, how_), out_));
  EXPECT_TRUE(overview_file_has(written("index.html"), "install similarity-tester"));
}

TEST_F(WriteOverview, AllThatWasSetAsideIsSomewhere) {
  for (int i = 0; i < 300; ++i) class_.set_aside.push_back({fmt::format("file {}\n", i), "It is no source."});
  class_.students.clear();
  ASSERT_FALSE(write_overview(class_, compare_class(class_, how_), out_));
  EXPECT_TRUE(overview_file_has(written("index.html"), "And 100 more: <a href=\"set-aside.txt\">"));
  EXPECT_TRUE(overview_file_has(written("set-aside.txt"), "file 299 \n    It is no source.\n"));
}

TEST_F(WriteOverview, AFolderThatCannotBeWrittenIsASentence) {
  std::ofstream(out_) << "a file";
  class_.students.clear();
  const auto failure = write_overview(class_, compare_class(class_, how_), out_);
  ASSERT_TRUE(failure);
  EXPECT_TRUE(overview_file_has(failure->sentence, "cannot be written")) << failure->sentence;
}

}  // namespace
}  // namespace lanewise::overview_test
