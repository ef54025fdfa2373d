// What a class handed in comes back as it was recorded, and copies that are not it any more are told.
#include "grader/grading/class_record.h"

#include <gtest/gtest.h>

#include <fstream>

#include "grader/workplace/temporary_folder.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class ClassRecords : public ::testing::Test {
 protected:
  ClassRecords() : folder_(std::move(*TemporaryFolder::create())) {
    lab_.file.id = "scan";
    lab_.file.skeleton = "scan.cu";
  }

  fs::path put(const fs::path& name, const std::string& content) const {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << content;
    return folder_.path() / name;
  }
  fs::path out() const { return folder_.path() / "out"; }
  HandIns hand_ins(const std::vector<std::string>& students) const {
    HandIns all;
    for (const std::string& id : students) {
      Student student;
      student.id = id;
      all.students.push_back(student);
      HandIn hand_in;
      hand_in.student = id;
      hand_in.folder = folder_.path() / id;
      hand_in.came_from = id + ".zip";
      all.hand_ins.push_back(hand_in);
    }
    return all;
  }

  TemporaryFolder folder_;
  LabSelection lab_;
};

TEST_F(ClassRecords, EqualWorkHasOneCopyAndAnswersMakeADifference) {
  for (const char* const id : {"ada", "bob", "cem"}) put(fs::path(id) / "scan.cu", "work\n");
  put("cem/answers.toml", "[answers]\n");
  const auto record = record_class(hand_ins({"ada", "bob", "cem"}), {lab_}, out());
  ASSERT_TRUE(record) << record.sentence();
  ASSERT_EQ(record->attempts.size(), 3U);
  EXPECT_EQ(record->attempts[0].content, record->attempts[1].content);
  EXPECT_NE(record->attempts[0].content, record->attempts[2].content);
  EXPECT_TRUE(fs::exists(source_folder(out(), "scan", record->attempts[2].content) / "answers.toml"));
  for (const RecordedAttempt& attempt : record->attempts)
    EXPECT_EQ(trouble_with_source(out(), lab_.file, attempt.content), "");
}

TEST_F(ClassRecords, CopiesThatAreGoneOrChangedAreTold) {
  put("ada/scan.cu", "work\n");
  const auto record = record_class(hand_ins({"ada"}), {lab_}, out());
  ASSERT_TRUE(record) << record.sentence();
  const std::string content = record->attempts.at(0).content;
  const fs::path folder = source_folder(out(), "scan", content);
  std::ofstream(folder / "answers.toml") << "[answers]\nn = 1\n";
  EXPECT_NE(trouble_with_source(out(), lab_.file, content).find("has been changed"), std::string::npos);
  fs::remove_all(folder);
  EXPECT_NE(trouble_with_source(out(), lab_.file, content).find("cannot be read"), std::string::npos);
}

TEST_F(ClassRecords, ComesBackAsItWasWrittenWhateverNamesAreLike) {
  ClassRecord record;
  Student student;
  student.id = "ada";
  student.name = "\"Ada\"\n\x1b[31m 🙂";
  student.login = "al";
  student.number = "4711";
  student.email = "a@b.c";
  student.section = "A";
  student.nickname = "countess";
  student.is_enrolled = true;
  record.students = {student};
  record.attempts = {{"ada", "scan", "c0ffee", "ada\\n.zip", -7, true}};
  record.set_aside = {{"notes", "no source"}};
  record.terms = {{"scan", "terms"}};
  const auto read = read_class_json(class_json(record));
  ASSERT_TRUE(read) << read.sentence();
  EXPECT_EQ(class_json(*read), class_json(record));
  EXPECT_EQ(read->students.at(0).name, student.name);
  EXPECT_TRUE(read->students.at(0).is_enrolled);
  EXPECT_EQ(read->attempts.at(0).submitted, -7);
  EXPECT_TRUE(read->attempts.at(0).is_marked_late);
  record.attempts[0].came_from = "\xff.zip";
  EXPECT_EQ(read_class_json(class_json(record))->attempts.at(0).came_from, "\xef\xbf\xbd.zip");
  EXPECT_FALSE(read_class_json("{}"));
  EXPECT_FALSE(read_class_json("{\"students\":[{\"id\":1}]}"));
}

}  // namespace
}  // namespace lanewise
