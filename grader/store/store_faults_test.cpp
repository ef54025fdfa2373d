// Whatever happens to a run at whatever step: nothing graded is lost, nothing is graded twice, and the next run
// finishes.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "grader/store/testing/made_up.h"
#include "grader/store/testing/run_keeper.h"

namespace lanewise::store_test {
namespace {

namespace fs = std::filesystem;

constexpr int kHandIns = 5;

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
  const int marks = count(database, "marks");
  EXPECT_TRUE(marks == 0 || marks == kMadeUpMarks) << marks;
  EXPECT_EQ(count(database, "scores"), kHandIns * count(database, "runs WHERE finished IS NOT NULL"));
}

// A run on what an earlier one left behind: it comes to its end, and grades just what the other had not kept.
void expect_resumed(const fs::path& folder, const std::set<int>& kept, int finished_runs) {
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
  EXPECT_EQ(count(database, "marks"), kMadeUpMarks);
  EXPECT_GE(count(database, "runs WHERE finished IS NOT NULL"), finished_runs + 1);
}

class StoreFaults : public WithFolders, public ::testing::WithParamInterface<Fault> {};

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
    expect_resumed(folder, first.kept, first.is_finished);
    fs::remove_all(folder);
  }
  EXPECT_EQ(told > 0, !ends_the_process(GetParam()));
}

// The run that picks up the pieces may be hit as well.
TEST_P(StoreFaults, AtStepsOfTheRunThatResumes) {
  const int steps = run_keeper(keeper(next_folder(), kHandIns)).steps;
  for (const int cut : {steps / 3, steps - 2}) {  // amid verdicts, and while the log is put away
    const auto cut_off = [&] {
      const fs::path folder = next_folder();
      return std::pair(folder, run_keeper(keeper(folder, kHandIns, Fault::kPowerCut, cut)).kept);
    };
    const int last = run_keeper(keeper(cut_off().first, kHandIns)).steps;
    for (int step = 1; step <= last && !HasFailure(); step += 5 * kStride) {
      SCOPED_TRACE(fmt::format("power cut at step {}, then {} at {} of {}", cut, fault_name(GetParam()), step, last));
      auto [folder, kept] = cut_off();
      const Said second = run_keeper(keeper(folder, kHandIns, GetParam(), step));
      kept.insert(second.kept.begin(), second.kept.end());
      expect_resumed(folder, kept, second.is_finished);
      fs::remove_all(folder);
    }
  }
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
}  // namespace lanewise::store_test
