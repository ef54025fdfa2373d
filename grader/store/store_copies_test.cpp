// Files copied away at any moment hold what was kept until then.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <set>

#include "grader/store/store.h"
#include "grader/store/testing/made_up.h"
#include "grader/store/testing/run_keeper.h"

namespace lanewise::store_test {
namespace {

namespace fs = std::filesystem;

constexpr int kKeptHandIns = 5;

// Copies of a store's files while a run writes them.
class StoreCopies : public WithFolders {
 protected:
  // A folder with a copy of the database, and of its log.
  fs::path copy_of(const fs::path& folder, bool with_log) {
    fs::path copy = next_folder();
    for (const char* const name : {"grades.db", "grades.db-wal"})
      if (fs::exists(folder / name) && (with_log || name == std::string("grades.db")))
        fs::copy(folder / name, copy / name);
    return copy;
  }

  static void expect_all_in(const fs::path& copy, const std::set<int>& kept, int hand_ins) {
    const auto store = Store::open(copy);
    ASSERT_TRUE(store) << store.sentence();
    const std::set<int> numbers = held(**store, hand_ins);
    for (const int number : kept) EXPECT_EQ(numbers.count(number), 1U) << number << " is lost";
  }

  // Without its log a copy is of an earlier moment, or was taken while the log was moved into it: then it says so.
  // Whether it opens.
  static bool expect_earlier_in(const fs::path& copy, int hand_ins) {
    const auto store = Store::open(copy);
    if (!store) {
      EXPECT_NE(store.sentence().find(" is damaged ("), std::string::npos) << store.sentence();
      return false;
    }
    const std::set<int> numbers = held(**store, hand_ins);
    EXPECT_TRUE(numbers.empty() || *numbers.rbegin() + 1 == static_cast<int>(numbers.size())) << "one is missing";
    return true;
  }
};

TEST_F(StoreCopies, TakenAtEveryStepOfARun) {
  const int steps = run_keeper(keeper(next_folder(), kKeptHandIns)).steps;
  int opened = 0;
  for (int step = 1; step <= steps && !HasFailure(); step += kStride) {
    SCOPED_TRACE(fmt::format("step {} of {}", step, steps));
    const fs::path folder = next_folder();
    const Said said = run_keeper(keeper(folder, kKeptHandIns, Fault::kKill, step));
    expect_all_in(copy_of(folder, true), said.kept, kKeptHandIns);
    opened += expect_earlier_in(copy_of(folder, false), kKeptHandIns);
  }
  EXPECT_GT(opened, steps / kStride / 2) << "no use as a copy";
}

TEST_F(StoreCopies, TakenOfARunningProcess) {
  constexpr int kMany = 40;  // the log is moved into the database again and again
  const fs::path folder = next_folder();
  const auto process = Process::start(keeper(folder, kMany));
  ASSERT_TRUE(process) << process.sentence();
  CapturedOutput output(1 << 20);
  int copies = 0;
  for (bool runs = true; runs && !HasFailure(); ++copies) {
    runs = !process->wait_until(Clock::now() + std::chrono::milliseconds(1));
    kill(process->id(), SIGSTOP);
    siginfo_t stopped{};
    if (runs) waitid(P_PID, static_cast<id_t>(process->id()), &stopped, WSTOPPED | WEXITED | WNOWAIT);
    output.read_from(process->output());
    expect_all_in(copy_of(folder, true), read_said(output.text()).kept, kMany);
    expect_earlier_in(copy_of(folder, false), kMany);
    kill(process->id(), SIGCONT);
  }
  EXPECT_TRUE(read_said(output.text()).is_finished) << output.text();
  RecordProperty("copies", copies);
}

}  // namespace
}  // namespace lanewise::store_test
