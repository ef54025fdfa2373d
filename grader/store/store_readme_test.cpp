// What README.md says to ask an sqlite3 shell is understood by one, and means what it says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "grader/store/export_history.h"
#include "grader/store/store.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/runner/process.h"

namespace lanewise::store_test {
namespace {

namespace fs = std::filesystem;

// Two runs of two students: Ada is graded and hands in better work, Grace's work cannot be graded.
void fill(Store& store) {
  for (const double points : {41.0, 62.5}) {
    const auto run = store.begin_run("{}");
    ASSERT_TRUE(run) << run.sentence();
    const std::string content = fmt::format("content {}", points);
    ASSERT_FALSE(store.keep(*run, {"scan", content, "terms"}, {fmt::format("{{\"score\": {}}}", points), ""}));
    ASSERT_FALSE(store.keep(*run, {"scan", "grace's", "terms"}, {"", "the compiler ran out of time"}));
    ASSERT_FALSE(store.finish_run(*run, {{"ada", "scan", content, "ada/\x1b[31m.cu", 0, points, 75, true, "in time"},
                                         {"ada", "vecadd", "another", "", 0, 10, 10, true, ""},
                                         {"grace", "scan", "grace's", "", 0, 0, 75, false, ""}}));
  }
  const auto last = store.begin_run("{}");
  ASSERT_TRUE(last);
  ASSERT_FALSE(store.keep_marks(*last, {{"ada", "scan", "why", "answer", 1, 4, "too short"}}));
}

TEST(StoreHistory, TellsAStudentsScoresAtALabRunByRun) {
  const auto folder = TemporaryFolder::create();
  const auto store = Store::open(folder->path());
  ASSERT_TRUE(store) << store.sentence();
  EXPECT_TRUE(export_history(**store, "ada", "scan")->empty());
  fill(**store);
  const auto history = export_history(**store, "ada", "scan");
  ASSERT_TRUE(history) << history.sentence();
  ASSERT_EQ(history->size(), 2U);
  EXPECT_EQ((*history)[0].run.number, 1);
  EXPECT_EQ((*history)[0].score.points, 41);
  EXPECT_EQ((*history)[1].run.number, 2);
  EXPECT_EQ((*history)[1].score.points, 62.5);
  EXPECT_NE((*history)[1].run.finished, "");
  EXPECT_TRUE(export_history(**store, "Ada", "scan")->empty());
  EXPECT_TRUE(export_history(**store, "ada", "sca")->empty());
}

// The blocks of README.md that an sqlite3 shell is given.
std::vector<std::string> examples() {
  std::vector<std::string> blocks;
  std::ifstream readme(LANEWISE_STORE_README);
  bool is_inside = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.rfind("```", 0) == 0) {
      is_inside = line == "```sql";
      if (is_inside) blocks.emplace_back();
    } else if (is_inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

TEST(StoreReadme, ExamplesAnswerWhatTheyAreSaidTo) {
  const auto folder = TemporaryFolder::create();
  auto store = Store::open(folder->path());
  ASSERT_TRUE(store) << store.sentence();
  fill(**store);
  const std::vector<std::string> blocks = examples();
  const std::vector<std::string> answers = {
      "ada|scan|62.5|75.0\nada|vecadd|10.0|10.0\n",
      "TIME|scan|41.0|in time\nTIME|vecadd|10.0|\nTIME|scan|62.5|in time\nTIME|vecadd|10.0|\n",
      "ada|scan|why|1.0|4.0|too short|3\n",
      "scan|grace's|the compiler ran out of time\nscan|grace's|the compiler ran out of time\n",
      "scan|41|1\nscan|62.5|1\n",
      "[{\"student\":\"ada\",\"came_from\":\"ada/\\u001b[31m.cu\"},\n",
      "",
  };
  ASSERT_EQ(blocks.size(), answers.size());
  const std::string century = (*store)->runs()->front().finished.substr(0, 2);
  // Asked as README.md says, and while the store is in use.
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    ProcessOptions shell;
    std::ofstream(folder->path() / "example.sql") << blocks[i];
    shell.command = {"/bin/sh", "-c", "exec \"$0\" -batch -bail -readonly grades.db < example.sql", SQLITE3_SHELL};
    shell.folder = folder->path();
    const auto finished = run_to_end(shell, std::chrono::seconds(20), 1 << 16);
    ASSERT_TRUE(finished) << finished.sentence();
    EXPECT_TRUE(finished->succeeded()) << blocks[i] << finished->output;
    std::string answer = finished->output;
    for (std::size_t at = 0; i == 1 && (at = answer.find(century, at)) != std::string::npos; ++at)
      answer.replace(at, std::string("2026-11-22T19:40:00Z").size(), "TIME");
    EXPECT_EQ(answer.substr(0, i == 5 ? answers[i].size() : std::string::npos), answers[i]) << blocks[i];
  }
  const fs::path copy = folder->path() / "of";
  fs::create_directory(copy);
  fs::rename(folder->path() / "copy.db", copy / "grades.db");
  store = Store::open(copy);
  ASSERT_TRUE(store) << store.sentence();
  EXPECT_EQ((*store)->scores(2)->size(), 3U);
}

}  // namespace
}  // namespace lanewise::store_test
