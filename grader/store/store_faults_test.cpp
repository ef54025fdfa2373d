// Whatever happens to a run at whatever step: nothing graded is lost, nothing is graded twice, and the next run
// finishes.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>
#include <sstream>

#include "grader/store/store.h"
#include "grader/store/testing/faulty_files.h"
#include "grader/store/testing/made_up.h"
#include "grader/temporary_folder.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr int kHandIns = 5;

// What the keeper said, by number of the hand-in.
struct Said {
  std::set<int> known;
  std::set<int> graded;
  std::set<int> kept;
  bool is_finished = false;
  int steps = 0;
  std::string failure;  ///< the first sentence
  std::string all;
  bool was_killed = false;
};

Said read_said(const std::string& output) {
  Said said;
  said.all = output;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    int number = 0;
    words >> word >> number;
    if (word == "known") said.known.insert(number);
    if (word == "graded") said.graded.insert(number);
    if (word == "kept") said.kept.insert(number);
    if (word == "finished") said.is_finished = true;
    if (word == "steps") said.steps = number;
    if (word == "not" && said.failure.empty()) said.failure = line.substr(line.find(": ") + 2);
    EXPECT_NE(word, "different") << output;
  }
  return said;
}

ProcessOptions keeper(const fs::path& folder, int hand_ins, Fault fault = Fault::kNone, int at = 0) {
  ProcessOptions options;
  options.command = {LANEWISE_KEEPER, folder.string(), std::to_string(hand_ins), fault_name(fault), std::to_string(at)};
  return options;
}

Said run_keeper(const ProcessOptions& options) {
  const auto finished = run_to_end(options, std::chrono::seconds(60), 1 << 20);
  if (!finished) {
    ADD_FAILURE() << finished.sentence();
    return {};
  }
  EXPECT_FALSE(finished->timed_out);
  Said said = read_said(finished->output);
  said.was_killed = WIFSIGNALED(finished->status) && WTERMSIG(finished->status) == SIGKILL;
  return said;
}

int count(SQLite::Database& database, const std::string& what) {
  return database.execAndGet("SELECT count(*) FROM " + what).getInt();
}

// The store is whole, and every ended run has its scores, every other none.
void expect_sound(const fs::path& folder) {
  SQLite::Database database((folder / "grades.db").string());
  EXPECT_EQ(database.execAndGet("PRAGMA integrity_check").getString(), "ok");
  EXPECT_EQ(count(database, "pragma_foreign_key_check"), 0);
  EXPECT_EQ(count(database, "observations"), count(database, "(SELECT DISTINCT hand_in, terms FROM observations)"));
  EXPECT_EQ(count(database, "scores WHERE run IN (SELECT number FROM runs WHERE finished IS NULL)"), 0);
  EXPECT_EQ(count(database, "scores"), kHandIns * count(database, "runs WHERE finished IS NOT NULL"));
}

// A run on what an earlier one left behind: it comes to its end, and grades just what the other had not kept.
void expect_resumed(const fs::path& folder, const std::set<int>& kept) {
  const Said resumed = run_keeper(keeper(folder, kHandIns));
  EXPECT_TRUE(resumed.is_finished) << resumed.all;
  for (const int number : kept) EXPECT_EQ(resumed.known.count(number), 1U) << number << " is lost\n" << resumed.all;
  std::set<int> have = resumed.known;
  have.insert(resumed.kept.begin(), resumed.kept.end());
  EXPECT_EQ(have.size(), static_cast<std::size_t>(kHandIns)) << resumed.all;
  EXPECT_EQ(resumed.graded, resumed.kept);
  expect_sound(folder);
  SQLite::Database database((folder / "grades.db").string());
  EXPECT_EQ(count(database, "observations"), kHandIns);
}

// A process in a sanitizer takes ten times as long to start: it meets each seventh step.
#if defined(__SANITIZE_ADDRESS__)
constexpr int kStride = 7;
#else
constexpr int kStride = 1;
#endif

class StoreFaults : public ::testing::TestWithParam<Fault> {
 protected:
  StoreFaults() : folder_(std::move(*TemporaryFolder::create())) {}

  // A new, empty folder.
  fs::path next_folder() {
    fs::path folder = folder_.path() / std::to_string(folders_++);
    fs::create_directory(folder);
    return folder;
  }

 private:
  TemporaryFolder folder_;
  int folders_ = 0;
};

bool ends_the_process(Fault fault) {
  return fault == Fault::kKill || fault == Fault::kPowerCut || fault == Fault::kTornPowerCut;
}

TEST_P(StoreFaults, AtEveryStepOfARun) {
  const Said whole = run_keeper(keeper(next_folder(), kHandIns));
  ASSERT_TRUE(whole.is_finished) << whole.all;
  ASSERT_GT(whole.steps, 100) << "the faults are not met";
  int told = 0;
  for (int step = 1; step <= whole.steps && !HasFailure(); step += kStride) {
    SCOPED_TRACE(fmt::format("{} at step {} of {}", fault_name(GetParam()), step, whole.steps));
    const fs::path folder = next_folder();
    const Said first = run_keeper(keeper(folder, kHandIns, GetParam(), step));
    EXPECT_EQ(first.was_killed, ends_the_process(GetParam())) << first.all;
    // What failed is said, in a sentence on the store.
    EXPECT_TRUE(first.was_killed || first.is_finished == first.failure.empty()) << first.all;
    told += !first.failure.empty();
    EXPECT_TRUE(first.failure.empty() || first.failure.rfind((folder / "grades.db").string(), 0) == 0) << first.failure;
    expect_resumed(folder, first.kept);
    fs::remove_all(folder);
  }
  EXPECT_EQ(told > 0, !ends_the_process(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Each, StoreFaults,
                         ::testing::Values(Fault::kKill, Fault::kFullOnce, Fault::kFullForGood, Fault::kBrokenOnce,
                                           Fault::kBrokenForGood, Fault::kPowerCut, Fault::kTornPowerCut),
                         [](const auto& each) {
                           std::string name = fault_name(each.param);
                           for (char& letter : name)
                             if (letter == ' ') letter = '_';
                           return name;
                         });

}  // namespace
}  // namespace lanewise
