// All files are there, each student's hold nothing of another's, and nothing is written outside the folder.
#include "grader/exports/exports.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "grader/exports/sample_class_test.h"
#include "grader/exports/student_page.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"
#include "harness/report/html_report.h"

namespace lanewise::exports_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder).string());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Exports, AllFilesAreWritten) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder) << folder.sentence();
  fs::create_directories(folder->path() / "students/ada");
  std::ofstream(folder->path() / "students/ada/scan.html") << "an earlier version's report, with other points";
  for (int run = 0; run < 2; ++run) {
    const auto failure = write_exports(sample_class(), folder->path());
    ASSERT_FALSE(failure) << failure->sentence;
  }
  EXPECT_EQ(files_in(folder->path()),
            (std::vector<std::string>{
                "ags/scan.json", "ags/vecadd.json", "canvas.csv", "grades.csv", "gradescope/README.md",
                "gradescope/run_autograder", "gradescope/setup.sh", "junit.xml", "moodle.csv",
                "students/ada/autolab.json", "students/ada/index.html", "students/ada/results.json",
                "students/bob/autolab.json", "students/bob/index.html", "students/bob/results.json",
                "students/cleo/autolab.json", "students/cleo/index.html", "students/cleo/results.json"}));
}

TEST(Exports, AFileThatCannotBeWrittenIsNamed) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder) << folder.sentence();
  // Root may write anywhere, but not below a file.
  std::ofstream(folder->path() / "students") << "in the way";
  const auto failure = write_exports(sample_class(), folder->path());
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->sentence,
            (folder->path() / "students/ada/results.json").string() + ": the file cannot be written (Not a directory)");
}

TEST(Exports, IdsThatLeadElsewhereAreRefused) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder) << folder.sentence();
  for (const std::string& id : {std::string("../x"), std::string("."), std::string(".."), std::string(),
                                std::string("a/b"), std::string("a\0b", 3)}) {
    GradedClass graded = sample_class();
    graded.students.front().student.id = id;
    EXPECT_TRUE(write_exports(graded, folder->path() / "out"));
    graded = sample_class();
    graded.labs.front().id = id;
    EXPECT_TRUE(write_exports(graded, folder->path() / "out"));
  }
  EXPECT_TRUE(files_in(folder->path()).empty());
}

TEST(Exports, StudentsFilesNameNobodyElse) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder) << folder.sentence();
  GradedClass graded = sample_class();
  const std::vector<std::string> marks = {"UNIQUE-ADA", "UNIQUE-BOB", "UNIQUE-CLEO"};
  for (std::size_t i = 0; i < marks.size(); ++i) {
    Student& person = graded.students[i].student;
    person.name = person.email = person.login = person.number = person.nickname = marks[i];
    for (GradedAttempt& attempt : graded.students[i].attempts) attempt.trouble = attempt.came_from = marks[i];
  }
  ASSERT_FALSE(write_exports(graded, folder->path()));
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const fs::path own = folder->path() / "students" / graded.students[i].student.id;
    for (const std::string& file : files_in(own)) {
      const auto text = read_file(own / file, 1 << 24);
      ASSERT_TRUE(text) << text.sentence();
      for (std::size_t j = 0; j < marks.size(); ++j)
        EXPECT_TRUE(j == i || text->find(marks[j]) == std::string::npos) << file << " names " << marks[j];
    }
  }
}

TEST(StudentPage, SaysHowTheScoreCameAbout) {
  const GradedClass graded = sample_class();
  const std::string page = student_page(graded, graded.students.front());
  for (const char* text :
       {"<strong class=\"score\">146.26 of 200 points</strong>", "<bdi>Lovelace, Ada</bdi>",
        "48.3 of 120 become 54.7 of 100; 2 days late: -10.9", "<section id=\"scan\">", "<section id=\"vecadd\">",
        "<td>2026-11-22 19:40 UTC</td><td class=\"points\">43.76/100</td><td>counts</td>"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
}

// What `lanewise check` writes, from its first section to its last.
TEST(StudentPage, HoldsTheWholeReportOfEveryLab) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder) << folder.sentence();
  GradedClass graded = sample_class();
  GradedAttempt& attempt = graded.students.front().attempts.at(1);
  attempt.source = folder->path() / "scan.cu";
  attempt.pictures = folder->path();
  attempt.verdict->tasks.front().cases.at(1).pictures = {"difference.png"};
  std::ofstream(attempt.source) << "// one\n// two\n__global__ void race() {}\n";
  std::ofstream(folder->path() / "difference.png") << "a picture";
  const std::string page = student_page(graded, graded.students.front());
  const auto source = read_file(attempt.source, 1 << 10);
  ASSERT_TRUE(source) << source.sentence();
  const std::string report = html_report(*attempt.verdict, {attempt.pictures, *source, "scan.cu"});
  const std::size_t begin = report.find("<section>");
  const std::string sections = report.substr(begin, report.find("<footer") - begin);
  ASSERT_NE(sections.find("data:image/png"), std::string::npos);
  ASSERT_NE(sections.find("racecheck"), std::string::npos);
  EXPECT_NE(page.find(sections), std::string::npos);
  EXPECT_NE(page.find("img-src data:"), std::string::npos) << "its pictures are shown";
  EXPECT_NE(page.find("compiled with"), std::string::npos);
  EXPECT_NE(sections.find("<details>\n<summary>Cases: 1 of 4 right</summary>\n<table class=\"stacked\">"),
            std::string::npos);
}

TEST(StudentPage, SaysWhyThereIsNoScore) {
  const GradedClass graded = sample_class();
  const std::string page = student_page(graded, graded.students.at(1));
  EXPECT_NE(page.find("<p>the virtual GPU was killed: out of memory</p>"), std::string::npos);
  EXPECT_NE(page.find("<p>nothing was submitted</p>"), std::string::npos);
  EXPECT_EQ(page.find("<section>"), std::string::npos) << "a report";
}

TEST(StudentPage, TextIsNoMarkup) {
  GradedClass graded = sample_class();
  const std::string hostile = "<script>alert(1)</script>\"'&\x1b\xff\xE2\x80\xAE";
  graded.title = graded.backend = graded.cases = graded.labs.front().title = hostile;
  GradedStudent& ada = graded.students.front();
  ada.student.name = hostile;
  for (GradedAttempt& attempt : ada.attempts) {
    attempt.trouble = attempt.score.explanation = attempt.came_from = hostile;
    attempt.verdict->tasks.front().task = hostile;
  }
  ada.attempts.front().verdict.reset();
  const std::string page = student_page(graded, ada);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(page.find("\xE2\x80\xAE"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\\x1b\\xff\\u202e"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::exports_test
