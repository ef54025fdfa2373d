// keeper FOLDER COUNT [FAULT STEP]: grades COUNT made-up hand-ins into a store as a run of lanewise grade does, says
// what it does line by line, and meets the fault on the way. What FOLDER holds already is not graded again.
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "grader/store/store.h"
#include "grader/store/testing/faulty_files.h"
#include "grader/store/testing/made_up.h"

namespace {

using namespace lanewise;

// Past any buffer of ours: what was said is known even if the next step is the last.
void say(const std::string& line) {
  const std::string whole = line + "\n";
  if (write(STDOUT_FILENO, whole.data(), whole.size()) < 0) std::abort();
}

// By itself SQLite moves its log to the database every 1,000 pages: too many steps to meet with a fault each.
constexpr int kPagesOfLog = 10;
int keep_log_short(sqlite3* database, char**, const sqlite3_api_routines*) {
  return sqlite3_wal_autocheckpoint(database, kPagesOfLog);
}

Fault fault_of(const std::string& name) {
  for (int i = 0; fault_name(Fault(i)); ++i)
    if (name == fault_name(Fault(i))) return Fault(i);
  std::abort();
}

// Unless an earlier run did.
bool keep_marks(Store& store, std::int64_t run) {
  const auto known = store.marks(run);
  if (!known) return say("not read: " + known.sentence()), false;
  if (!known->empty()) return true;
  const auto failure = store.keep_marks(run, made_up_marks());
  if (failure) say("not marked: " + failure->sentence);
  return !failure;
}

// Whether all of it could be graded; only what was whole before comes to an end.
bool grade(Store& store, std::int64_t run, int count, bool is_whole) {
  std::vector<StoredScore> scores;
  for (int i = 0; i < count; ++i) {
    const StoredKey key = made_up_key(i);
    scores.push_back({"ada", key.lab, key.content, "", 0, i * 1.0, 75, true, ""});
    const auto known = store.find(key);
    if (known && *known && (*known)->json != made_up_json(i)) say(fmt::format("different {}", i));
    if (known && *known) {
      say(fmt::format("known {}", i));
      continue;
    }
    say(fmt::format("graded {}", i));
    const auto failure = store.keep(run, key, {made_up_json(i), ""});
    say(failure ? fmt::format("not kept {}: {}", i, failure->sentence) : fmt::format("kept {}", i));
    is_whole = is_whole && !failure;
  }
  if (!is_whole) return false;
  const auto failure = store.finish_run(run, scores);
  say(failure ? "not finished: " + failure->sentence : "finished");
  return !failure;
}

bool run(const std::string& folder, int count) {
  const auto store = Store::open(folder);
  if (!store) return say("not opened: " + store.sentence()), false;
  const auto run = (*store)->begin_run("{}");
  if (!run) return say("not begun: " + run.sentence()), false;
  const bool is_marked = keep_marks(**store, *run);
  return grade(**store, *run, count, is_marked);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3 && count != 5) return 2;
  use_faulty_files(count == 5 ? fault_of(words[3]) : Fault::kNone, count == 5 ? std::atoi(words[4]) : 0);
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(keep_log_short));
  const bool is_done = run(words[1], std::atoi(words[2]));
  say(fmt::format("steps {}", steps_of_faulty_files()));
  return is_done ? 0 : 1;
}
