// Marking: what counts as the same answer, and which mistakes in question files are caught.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class QuestionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("lanewise_questions_test_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const char* name, const std::string& content) {
    std::ofstream(folder_ / name) << content;
    return folder_ / name;
  }

  fs::path folder_;
};

constexpr const char* kQuestions = R"([[question]]
id = "blocks"
task = "vec_add"
text = "How many blocks?"
kind = "numeric"
tolerance = 0.5
points = 2

[[question]]
id = "why"
task = "vec_add"
text = "Why?"
kind = "choice"
choices = ["because", "since", "for"]

[[question]]
id = "other"
task = "blur"
text = "How much?"
kind = "numeric"
)";

TEST_F(QuestionsTest, MarksOnlyTheTasksOwnQuestions) {
  const auto questions = read_questions(write("questions.toml", kQuestions));
  ASSERT_TRUE(questions) << questions.sentence();
  const auto key = read_answers(write("key.toml", "[answers]\nblocks = 8\nwhy = \"b\"\nother = 1.5\n"));
  const auto answers = read_answers(write("answers.toml", "[answers]\nblocks = 8.4\nwhy = \"a\"\n"));
  ASSERT_TRUE(key && answers);
  const auto marks = mark(*questions, "vec_add", *answers, *key);
  ASSERT_EQ(marks.size(), 2U);
  EXPECT_EQ(marks[0].result, Marked::Result::kRight);
  EXPECT_EQ(marks[0].points, 2);
  EXPECT_EQ(marks[1].result, Marked::Result::kWrong);
  EXPECT_EQ(marks[1].points, 0);
  EXPECT_EQ(mark(*questions, "blur", *answers, *key).at(0).result, Marked::Result::kUnanswered);
}

TEST_F(QuestionsTest, ToleranceIsInclusiveAndNoMore) {
  const auto questions = read_questions(write("questions.toml", kQuestions));
  ASSERT_TRUE(questions);
  const Answers key = {{"blocks", 8.0}, {"why", std::string("b")}, {"other", 1.0}};
  EXPECT_EQ(mark(*questions, "vec_add", {{"blocks", 8.5}}, key)[0].result, Marked::Result::kRight);
  EXPECT_EQ(mark(*questions, "vec_add", {{"blocks", 8.6}}, key)[0].result, Marked::Result::kWrong);
}

TEST_F(QuestionsTest, LettersMayBeWrittenAsPeopleWriteThem) {
  const auto questions = read_questions(write("questions.toml", kQuestions));
  ASSERT_TRUE(questions);
  const Answers key = {{"blocks", 8.0}, {"why", std::string("b")}, {"other", 1.0}};
  for (const char* letter : {"b", "B", " b ", "(b)", "b)"})
    EXPECT_EQ(mark(*questions, "vec_add", {{"why", std::string(letter)}}, key)[1].result, Marked::Result::kRight)
        << letter;
  for (const char* letter : {"", "a", "d", "bb", "1", "because"})
    EXPECT_EQ(mark(*questions, "vec_add", {{"why", std::string(letter)}}, key)[1].result, Marked::Result::kWrong)
        << letter;
}

TEST_F(QuestionsTest, AnswerOfTheWrongKindIsWrongNotAnError) {
  const auto questions = read_questions(write("questions.toml", kQuestions));
  ASSERT_TRUE(questions);
  const Answers key = {{"blocks", 8.0}, {"why", std::string("b")}, {"other", 1.0}};
  const auto marks = mark(*questions, "vec_add", {{"blocks", std::string("eight")}, {"why", 2.0}}, key);
  EXPECT_EQ(marks[0].result, Marked::Result::kWrong);
  EXPECT_EQ(marks[1].result, Marked::Result::kWrong);
}

TEST_F(QuestionsTest, ANumberMayStandInQuotes) {
  const auto questions = read_questions(write("questions.toml", kQuestions));
  ASSERT_TRUE(questions);
  const Answers key = {{"blocks", 8.0}, {"why", std::string("b")}, {"other", 1.0}};
  const auto result_of = [&](const char* text) {
    return mark(*questions, "vec_add", {{"blocks", std::string(text)}}, key)[0].result;
  };
  for (const char* const right : {"8", "8.0"}) EXPECT_EQ(result_of(right), Marked::Result::kRight) << right;
  for (const char* const wrong : {"9", "8 blocks", ""}) EXPECT_EQ(result_of(wrong), Marked::Result::kWrong) << wrong;
}

TEST_F(QuestionsTest, FreeTextWaitsForAHumanUnlessItIsBlank) {
  const auto questions = read_questions(write(
      "questions.toml", "[[question]]\nid = \"q\"\ntask = \"t\"\ntext = \"Why?\"\nkind = \"text\"\npoints = 4\n"));
  ASSERT_TRUE(questions) << questions.sentence();
  const Answers key = {{"q", std::string("because")}};
  EXPECT_TRUE(key_gaps(*questions, key).empty());
  const auto marked = [&](const Answers& answers) { return mark(*questions, "t", answers, key).at(0); };
  const Marked right = marked({{"q", std::string("because")}});
  EXPECT_EQ(right.result, Marked::Result::kWaiting) << "no program says that words are right";
  EXPECT_EQ(right.points, 0);
  EXPECT_EQ(right.max_points, 4);
  EXPECT_EQ(right.text, "Why?");
  EXPECT_EQ(right.answer, "because");
  EXPECT_EQ(marked({{"q", 42.0}}).answer, "42");
  EXPECT_EQ(marked({{"q", std::string(" \n")}}).result, Marked::Result::kUnanswered);
  EXPECT_EQ(marked({}).result, Marked::Result::kUnanswered);
  EXPECT_EQ(key_gaps(*questions, {{"q", std::string(" ")}}).at(0),
            "the key's answer to 'q' must say in words what a full answer contains");
}

TEST_F(QuestionsTest, AnswersHaveALimitThatTheSentenceNames) {
  const auto text_of = [](std::size_t bytes) { return "[answers]\nq = \"" + std::string(bytes, 'x') + "\"\n"; };
  EXPECT_TRUE(read_answers(write("answers.toml", text_of(kLongestAnswer))));
  const auto answers = read_answers(write("answers.toml", text_of(kLongestAnswer + 1)));
  ASSERT_FALSE(answers);
  EXPECT_NE(answers.sentence().find("answers.toml:2: the answer to 'q' has 8001 bytes"), std::string::npos)
      << answers.sentence();
}

TEST_F(QuestionsTest, NoAnswersFileMeansNoAnswers) {
  const auto answers = read_answers(folder_ / "none.toml");
  ASSERT_TRUE(answers);
  EXPECT_TRUE(answers->empty());
}

TEST_F(QuestionsTest, BrokenAnswersNameTheLine) {
  const auto answers = read_answers(write("answers.toml", "[answers]\nblocks = 8\nwhy = [1, 2]\n"));
  ASSERT_FALSE(answers);
  EXPECT_NE(answers.sentence().find("answers.toml:3: the answer to 'why' must be a number"), std::string::npos);
}

TEST_F(QuestionsTest, KeyMustAnswerExactlyWhatIsAsked) {
  const auto questions = read_questions(write("questions.toml", kQuestions));
  ASSERT_TRUE(questions);
  EXPECT_TRUE(key_gaps(*questions, {{"blocks", 8.0}, {"why", std::string("c")}, {"other", 1.0}}).empty());
  const auto gaps = key_gaps(*questions, {{"blocks", std::string("8")}, {"why", std::string("d")}, {"stray", 1.0}});
  ASSERT_EQ(gaps.size(), 4U);
  EXPECT_EQ(gaps[0], "the key's answer to 'blocks' must be a number");
  EXPECT_EQ(gaps[1], "the key's answer to 'why' must be the letter of one of its choices");
  EXPECT_EQ(gaps[2], "the question 'other' has no answer in the key");
  EXPECT_EQ(gaps[3], "the key answers 'stray', which is not a question of the lab");
}

TEST_F(QuestionsTest, MistakesInQuestionsNameTheLine) {
  const auto with = [&](const std::string& extra) {
    const auto result =
        read_questions(write("questions.toml", "[[question]]\nid = \"q\"\ntask = \"t\"\ntext = \"?\"\n" + extra));
    return result ? "no failure" : result.sentence().substr((folder_ / "").string().size());
  };
  EXPECT_EQ(with("kind = \"essay\"\n"),
            "questions.toml:5: the kind 'essay' is unknown; a question is numeric, choice or text");
  EXPECT_EQ(with("kind = \"choice\"\nchoices = [\"one\"]\n"),
            "questions.toml:6: the question 'q' needs between 2 and 26 choices");
  EXPECT_EQ(with("kind = \"numeric\"\n[[question]]\nid = \"q\"\ntask = \"t\"\ntext = \"?\"\nkind = \"numeric\"\n"),
            "questions.toml:7: there are two questions with the id 'q'");
}

}  // namespace
}  // namespace lanewise
