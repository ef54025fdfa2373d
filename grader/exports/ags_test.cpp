// Scores by LTI: who has one, and `lanewise push` to a line item that is as the specification says.
#include "grader/exports/ags.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/exports/sample_class_test.h"
#include "grader/workplace/temporary_folder.h"

namespace lanewise::exports_test {
namespace {

GradedClass class_with_numbers() {
  GradedClass graded = sample_class();
  graded.students[1].student.number = "bob's number";
  return graded;
}

TEST(Ags, OnlyWhatWasGradedOfWhomThePlatformKnowsHasAScore) {
  const GradedClass graded = class_with_numbers();
  EXPECT_EQ(nlohmann::json::parse(ags_scores(graded, graded.labs[0], 1795376400123)), nlohmann::json::parse(R"json({
    "lab": "scan", "label": "Prefix sum (scan)", "without_number": 0, "scores": [{
      "userId": "4711", "scoreGiven": 43.76, "scoreMaximum": 100, "timestamp": "2026-11-22T19:40:00.123Z",
      "comment": "48.3 of 120 become 54.7 of 100; 2 days late: -10.9",
      "activityProgress": "Completed", "gradingProgress": "FullyGraded"}]
})json"));
}

TEST(Ags, StudentsWithoutANumberAreCounted) {
  GradedClass graded = class_with_numbers();
  EXPECT_EQ(count_without_number(graded), 0U) << "the others have no grade";
  graded.students[0].student.number = "";
  EXPECT_EQ(count_without_number(graded), 1U);
  const auto file = nlohmann::json::parse(ags_scores(graded, graded.labs[0], 0));
  EXPECT_EQ(file["without_number"], 1);
  EXPECT_TRUE(file["scores"].empty());
}

#ifdef LANEWISE_EXECUTABLE
class AgsPush : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"python3", "curl"})
      if (!is_installed(program)) GTEST_SKIP() << program << " is not there; scripts/prepare.sh test installs it";
    const std::string server =
        "python3 '" LANEWISE_EXPORTS_FOLDER "/testing/line_item.py' > '" + path("taken") + "' 2>&1";
    ASSERT_EQ(run_command("(" + server + " & echo $! > '" + path("pid") + "')").second, 0);
    std::ifstream(path("pid")) >> server_;
    for (int i = 0; i < 100 && port_ == 0; ++i) {
      std::ifstream(path("taken")) >> port_;
      if (port_ == 0) usleep(50'000);
    }
    ASSERT_NE(port_, 0);
    std::ofstream(path("token")) << "s3cret\n";
  }
  void TearDown() override {
    if (server_ > 0) kill(server_, SIGKILL);
  }
  std::string path(const std::string& name) { return (folder_->path() / name).string(); }
  void grade(std::int64_t now, const GradedClass& graded = class_with_numbers()) {
    std::ofstream(path("scan.json")) << ags_scores(graded, graded.labs[0], now);
  }
  std::pair<std::string, int> push(const std::string& token = "token", const std::string& item = "31") {
    return run_command(
        fmt::format("{} push {} --token {} --line-item 'http://127.0.0.1:{}/courses/7/line_items/{}?type_id=2' 2>&1",
                    LANEWISE_EXECUTABLE, path("scan.json"), path(token), port_, item));
  }
  // All after the port.
  std::string taken() { return run_command("tail -n +2 '" + path("taken") + "'").first; }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
  pid_t server_ = -1;
  int port_ = 0;
};

TEST_F(AgsPush, SendsEachScoreOnceHoweverOftenItIsPushed) {
  grade(1795376400000);
  EXPECT_EQ(push(), std::pair(std::string("scores: 1 sent, 0 already there, 0 refused\n"), 0)) << "busy at first";
  EXPECT_EQ(push(), std::pair(std::string("scores: 0 sent, 1 already there, 0 refused\n"), 0));
  EXPECT_EQ(taken(), "4711 43.76 of 100\n");
  GradedClass regraded = class_with_numbers();
  regraded.students[0].attempts[1].score.points = 50;
  grade(1795376400001, regraded);
  EXPECT_EQ(push().second, 0);
  EXPECT_EQ(taken(), "4711 43.76 of 100\n4711 50 of 100\n") << "the newer one counts";
}

TEST_F(AgsPush, SaysWhomItLeavesOut) {
  GradedClass graded = class_with_numbers();
  graded.students[1].attempts = graded.students[0].attempts;
  graded.students[0].student.number = "";
  grade(1795376400000, graded);
  EXPECT_EQ(push(), std::pair(std::string("left out: 1 student without a number in the roster\n"
                                          "scores: 1 sent, 0 already there, 0 refused\n"),
                              0));
  graded.students[1].student.number = "";
  grade(1795376400000, graded);
  const auto [output, code] = push();
  EXPECT_EQ(code, 1);
  EXPECT_NE(output.find("left out: 2 students"), std::string::npos) << output;
  EXPECT_NE(output.find("there is nothing to send"), std::string::npos) << output;
}

TEST_F(AgsPush, SaysWhatThePlatformRefuses) {
  GradedClass graded = class_with_numbers();
  graded.students[0].student.number = "unknown";
  grade(1795376400000, graded);
  const auto [output, code] = push();
  EXPECT_EQ(code, 1);
  EXPECT_NE(output.find("refuses the score of unknown (422)"), std::string::npos) << output;
  EXPECT_NE(push("token", "32").first.find("(404)"), std::string::npos);
  std::ofstream(path("old")) << "expired";
  const auto [expired, expired_code] = push("old");
  EXPECT_EQ(expired_code, 3);
  EXPECT_NE(expired.find("does not accept the token (401)"), std::string::npos) << expired;
  EXPECT_EQ(taken(), "");
  EXPECT_EQ(run_command(fmt::format("{} push {} --token {} --line-item http://lms.example.org/1 2>&1",
                                    LANEWISE_EXECUTABLE, path("scan.json"), path("token")))
                .second,
            2)
      << "a token in the clear";
}
#endif

}  // namespace
}  // namespace lanewise::exports_test
