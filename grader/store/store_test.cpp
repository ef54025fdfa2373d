// What was kept is found again, and only that; what cannot be a store says so in one sentence.
#include "grader/store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <set>
#include <thread>

#include "grader/store/store_failure.h"
#include "grader/temporary_folder.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

const StoredKey kKey{"scan", "c0ffee", "terms"};

class Stores : public ::testing::Test {
 protected:
  Stores() : folder_(std::move(*TemporaryFolder::create())) {}

  const fs::path& folder() const { return folder_.path(); }
  fs::path file() const { return folder() / "grades.db"; }

  std::unique_ptr<Store> open() const {
    auto store = Store::open(folder());
    if (store) return std::move(*store);
    ADD_FAILURE() << store.sentence();
    return nullptr;
  }
  // Why it does not open; "it opens" if it does.
  std::string refusal() const { return refusal(folder()); }
  static std::string refusal(const fs::path& folder) {
    const auto store = Store::open(folder);
    return store ? "it opens" : store.sentence();
  }
  // Runs SQL as somebody with an sqlite3 shell would; what SQLite says against it, or nothing.
  std::string run_sql(const std::string& sql) const {
    try {
      SQLite::Database database(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      database.exec(sql);
      return "";
    } catch (const SQLite::Exception& error) {
      return error.what();
    }
  }
  // A store with one ended run of one verdict and one score.
  void fill() const {
    const auto store = open();
    ASSERT_EQ(*store->begin_run("{}"), 1);
    ASSERT_FALSE(store->keep(1, kKey, {"{}", ""}));
    ASSERT_FALSE(store->finish_run(1, {score("ada")}));
  }
  static StoredScore score(const std::string& student) {
    return {student, kKey.lab, kKey.content, "ada/scan.cu", 1'800'000'000, 41.5, 75, true, "41.5 of 75"};
  }

 private:
  TemporaryFolder folder_;
};

std::string found(Store& store, const StoredKey& key) {
  const auto verdict = store.find(key);
  if (!verdict) return verdict.sentence();
  return *verdict ? (*verdict)->json + (*verdict)->trouble : "nothing";
}

TEST_F(Stores, AsOfARunIsNotWhatALaterOneKept) {
  const auto store = open();
  for (const char* const verdict : {"old", "new"}) {
    const auto run = store->begin_run("{}");
    ASSERT_TRUE(run) << run.sentence();
    ASSERT_FALSE(store->keep(*run, kKey, {verdict, ""}));
    ASSERT_FALSE(store->finish_run(*run, {score("ada")}));
  }
  EXPECT_EQ(store->find_as_of(1, kKey)->value().json, "old");
  EXPECT_EQ(store->find_as_of(2, kKey)->value().json, "new");
  EXPECT_FALSE(store->find_as_of(0, kKey)->has_value());
}

TEST_F(Stores, WhatWasKeptIsFoundAfterReopening) {
  {
    const auto store = open();
    EXPECT_EQ(found(*store, kKey), "nothing");
    const auto run = store->begin_run("{\"seed\":7}");
    ASSERT_TRUE(run) << run.sentence();
    EXPECT_EQ(*run, 1);
    EXPECT_FALSE(store->keep(*run, kKey, {"{\"points\":41.5}", ""}));
    EXPECT_EQ(found(*store, kKey), "{\"points\":41.5}");
  }
  EXPECT_EQ(found(*open(), kKey), "{\"points\":41.5}");
}

TEST_F(Stores, NewestVerdictIsFoundAndNoTroubleHidesIt) {
  const auto store = open();
  store->begin_run("");
  store->begin_run("");
  EXPECT_FALSE(store->keep(1, kKey, {"", "the compiler ran out of time"}));
  EXPECT_EQ(found(*store, kKey), "nothing") << "it is to be tried again";
  EXPECT_FALSE(store->keep(1, kKey, {"first", ""}));
  EXPECT_FALSE(store->keep(2, kKey, {"second", ""}));
  EXPECT_FALSE(store->keep(2, kKey, {"", "the disk is full"}));
  EXPECT_FALSE(store->keep(2, kKey, {"half of one", "the worker died"}));
  EXPECT_EQ(found(*store, kKey), "second");
}

TEST_F(Stores, KeysAreComparedWholeByteForByte) {
  const std::string any_bytes("\0\xff\x1b[31m\n'; DROP TABLE runs; --", 29);
  const std::vector<StoredKey> keys = {
      kKey,
      {"scan", "c0ffee", "terms "},
      {"scan", "c0ffee", "Terms"},
      {"scan", "c0ffee", ""},
      {"scan", "c0ffe", "terms"},
      {"scan", "", "terms"},
      {"sca", "nc0ffee", "terms"},
      {"", "scanc0ffee", "terms"},
      {"", "", ""},
      {"scan", any_bytes, "terms"},
      {"scan", any_bytes.substr(0, 1), "terms"},  // a zero byte, where text would end
      {"scan", std::string("c0ffee\0", 7), "terms"},
      {"scan", std::string("c0ffee\0a", 8), "terms"},
      {"scan", std::string("c0ffee\0b", 8), "terms"},
      {"scan", "\xc3\xa9", "terms"},   // é
      {"scan", "e\xcc\x81", "terms"},  // é of two characters
      {"scan", "\xc3", "terms"},       // the half of one: no UTF-8
      {"scan", "7", "terms"},
      {"scan", "7.0", "terms"},
      {"scan", "07", "terms"},
      {any_bytes, any_bytes, any_bytes},
      {"scan", std::string(3 << 20, '7'), "terms"},
  };
  const auto store = open();
  store->begin_run("");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(found(*store, keys[i]), "nothing") << i;
    EXPECT_FALSE(store->keep(1, keys[i], {std::to_string(i), ""})) << i;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(found(*store, keys[i]), std::to_string(i)) << i;
}

TEST_F(Stores, NewestVerdictUnderTermsThatBeginAlikeIsFound) {
  const auto store = open();
  store->begin_run("");
  const auto under = [&](const std::string& start) {
    const auto verdict = store->find_under("scan", "c0ffee", start);
    return verdict && *verdict ? (*verdict)->json : "nothing";
  };
  EXPECT_EQ(under("seen."), "nothing");
  EXPECT_FALSE(store->keep(1, {"scan", "c0ffee", "seen.old"}, {"first", ""}));
  EXPECT_FALSE(store->keep(1, {"scan", "c0ffee", "seen.new"}, {"second", ""}));
  EXPECT_FALSE(store->keep(1, {"scan", "c0ffee", "seen.newer"}, {"", "trouble"}));
  EXPECT_FALSE(store->keep(1, {"scan", "c0ffee", "seen"}, {"shorter", ""}));
  EXPECT_FALSE(store->keep(1, {"scan", "another", "seen.new"}, {"other work", ""}));
  EXPECT_FALSE(store->keep(1, {"merge", "c0ffee", "seen.new"}, {"other lab", ""}));
  EXPECT_EQ(under("seen."), "second");
  EXPECT_EQ(under("seen.o"), "first");
  EXPECT_EQ(under("%"), "nothing") << "no pattern";
}

TEST_F(Stores, RunsAndScoresComeBackAsTheyWere) {
  StoredScore odd = score("grace");
  odd.came_from = std::string("grace\n../\0\xff.cu", 14);
  odd.submitted = std::numeric_limits<std::int64_t>::min();
  odd.points = 0.1 + 0.2;
  odd.is_counted = false;
  odd.explanation = "";
  {
    const auto store = open();
    ASSERT_EQ(*store->begin_run("{\"seed\":1}"), 1);
    ASSERT_EQ(*store->begin_run("{\"seed\":2}"), 2);
    EXPECT_FALSE(store->finish_run(2, {score("ada"), odd, score("ada")}));
  }
  const auto store = open();
  const auto runs = store->runs();
  ASSERT_TRUE(runs) << runs.sentence();
  ASSERT_EQ(runs->size(), 2U);
  EXPECT_EQ((*runs)[0].number, 1);
  EXPECT_EQ((*runs)[0].terms, "{\"seed\":1}");
  EXPECT_EQ((*runs)[0].finished, "") << "it was cut off";
  EXPECT_EQ((*runs)[1].number, 2);
  for (const std::string& time : {(*runs)[0].started, (*runs)[1].finished}) {
    ASSERT_EQ(time.size(), std::string("2026-11-22T19:40:00Z").size());
    EXPECT_EQ(time.substr(0, 2) + time.substr(10, 1) + time.substr(19), "20TZ") << time;
  }
  EXPECT_TRUE(store->scores(1)->empty());
  const auto scores = store->scores(2);
  ASSERT_TRUE(scores) << scores.sentence();
  ASSERT_EQ(scores->size(), 3U);
  const StoredScore& got = (*scores)[1];
  EXPECT_EQ(got.student, "grace");
  EXPECT_EQ(got.lab, odd.lab);
  EXPECT_EQ(got.content, odd.content);
  EXPECT_EQ(got.came_from, odd.came_from);
  EXPECT_EQ(got.submitted, odd.submitted);
  EXPECT_EQ(got.points, odd.points);
  EXPECT_EQ(got.out_of, odd.out_of);
  EXPECT_FALSE(got.is_counted);
  EXPECT_TRUE((*scores)[0].is_counted);
  EXPECT_EQ((*scores)[0].explanation, "41.5 of 75");
  EXPECT_EQ(*store->begin_run(""), 3);
}

TEST_F(Stores, EndedRunTakesNoMore) {
  fill();
  const auto store = open();
  const std::string ended = "run 1 of " + file().string() + " has come to its end: nothing is added to it";
  const auto kept = store->keep(1, {"scan", "new", "terms"}, {"{}", ""});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->sentence, ended);
  const auto finished = store->finish_run(1, {score("grace")});
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->sentence, ended);
  const auto unknown = store->keep(2, kKey, {"{}", ""});
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->sentence, file().string() + " has no run 2");
  EXPECT_EQ(store->scores(1)->size(), 1U);
  EXPECT_EQ(found(*store, {"scan", "new", "terms"}), "nothing");
}

TEST_F(Stores, ScoresOfARunAreWrittenAllOrNone) {
  const auto store = open();
  store->begin_run("");
  StoredScore impossible = score("grace");
  impossible.points = std::nan("");
  const auto failure = store->finish_run(1, {score("ada"), impossible});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->sentence, file().string() + " takes no score that is not a number: grace has nan of 75 for scan");
  EXPECT_TRUE(store->scores(1)->empty());
  EXPECT_EQ(store->runs()->front().finished, "");
  EXPECT_FALSE(store->finish_run(1, {score("ada")}));
  EXPECT_EQ(store->scores(1)->size(), 1U);
}

// Guards against slips of whoever has an sqlite3 shell open; who means to can always edit a file of their own.
TEST_F(Stores, RowsAreNeverChangedRemovedOrReplacedBySlips) {
  fill();
  ASSERT_EQ(*open()->begin_run(""), 2);  // not ended: only the rows themselves are in the way
  const auto content = [&] {
    SQLite::Database database(file().string());
    std::string text;
    for (const char* const table : {"runs", "hand_ins", "observations", "scores"}) {
      SQLite::Statement rows(database, fmt::format("SELECT * FROM {}", table));
      while (rows.executeStep())
        for (int i = 0; i < rows.getColumnCount(); ++i) text += rows.getColumn(i).getString() + "|";
    }
    return text;
  };
  const std::string before = content();
  ASSERT_FALSE(before.empty());
  const std::vector<std::pair<std::string, std::string>> slips = {
      {"DELETE FROM scores", "scores are added and never removed"},
      {"DELETE FROM observations", "observations are added and never removed"},
      {"DELETE FROM hand_ins", "hand_ins are added and never removed"},
      {"DELETE FROM runs", "runs are added and never removed"},
      {"UPDATE scores SET points = 75", "scores are added and never changed"},
      {"UPDATE observations SET verdict = ''", "observations are added and never changed"},
      {"UPDATE hand_ins SET content = ''", "hand_ins are added and never changed"},
      {"UPDATE runs SET terms = 'others'", "a run is never changed: only its end is written, once"},
      {"UPDATE runs SET finished = NULL", "a run is never changed: only its end is written, once"},
      {"UPDATE runs SET number = 2", "a run is never changed: only its end is written, once"},
      {"REPLACE INTO runs VALUES (1, 'now', NULL, '')", "runs are added and never replaced"},
      {"REPLACE INTO hand_ins VALUES (1, 1, 'scan', 'x')", "the run has come to its end: nothing is added to it"},
      {"REPLACE INTO hand_ins VALUES (1, 2, 'scan', 'x')", "hand_ins are added and never replaced"},
      {"REPLACE INTO hand_ins (run, lab, content) VALUES (2, 'scan', 'c0ffee')", "this hand-in is kept already"},
      {"REPLACE INTO observations VALUES (1, 2, 1, 'now', 'terms', 'x', '')",
       "observations are added and never replaced"},
      {"REPLACE INTO scores VALUES (1, 2, 1, 'ada', '', 0, 75, 75, 1, '')", "scores are added and never replaced"},
      {"INSERT INTO scores VALUES (2, 1, 1, 'ada', '', 0, 75, 75, 1, '')",
       "the run has come to its end: nothing is added to it"},
      {"INSERT INTO scores VALUES (2, 2, 1, 'ada', '', 0, 'many', 75, 1, '')",
       "cannot store TEXT value in REAL column scores.points"},
  };
  for (const auto& [sql, words] : slips) EXPECT_EQ(run_sql(sql), words) << sql;
  EXPECT_EQ(run_sql("PRAGMA foreign_keys = ON; INSERT INTO scores VALUES (2, 2, 9, 'ada', '', 0, 75, 75, 1, '')"),
            "FOREIGN KEY constraint failed");
  EXPECT_EQ(content(), before);
}

TEST_F(Stores, SecondOneIsRefusedAtOnceAndToldByWhom) {
  {
    const auto first = open();
    EXPECT_EQ(refusal(), fmt::format("{} is in use by another lanewise grade (process {}): wait for its end, or choose "
                                     "another folder for the output",
                                     file().string(), getpid()));
    EXPECT_FALSE(first->keep(*first->begin_run(""), kKey, {"{}", ""})) << "the first has not noticed";
  }
  EXPECT_EQ(refusal(), "it opens");
}

TEST_F(Stores, LockGoesWithItsProcessHoweverItEnds) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t other = fork();
  if (other == 0) {
    const auto store = Store::open(folder());
    const char is_open = store ? 'y' : 'n';
    static_cast<void>(!write(pipe_ends[1], &is_open, 1));
    for (;;) pause();
  }
  char is_open = 'n';
  EXPECT_EQ(read(pipe_ends[0], &is_open, 1), 1);
  EXPECT_EQ(is_open, 'y');
  EXPECT_EQ(refusal(), fmt::format("{} is in use by another lanewise grade (process {}): wait for its end, or choose "
                                   "another folder for the output",
                                   file().string(), other));
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  EXPECT_EQ(refusal(), "it opens");
}

// What grading starts must not keep the next run out when the grader was killed.
TEST_F(Stores, ProgramsItStartsDoNotHoldTheLock) {
  auto store = open();
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sleep", "sleep", "1000", nullptr);
    _exit(127);
  }
  // Until the program has been started it is a copy of this process, descriptors and all.
  const std::string name = fmt::format("/proc/{}/comm", child);
  for (std::string program; program != "sleep"; std::this_thread::yield()) std::ifstream(name) >> program;
  store.reset();
  EXPECT_EQ(refusal(), "it opens");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(Stores, MayBeReadWhileItIsWritten) {
  const auto store = open();
  store->begin_run("");
  SQLite::Database reader(file().string());
  SQLite::Transaction snapshot(reader);
  EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM observations").getInt(), 0);
  EXPECT_FALSE(store->keep(1, kKey, {"{}", ""}));
  EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM observations").getInt(), 0);
  snapshot.commit();
  EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM observations").getInt(), 1);
}

TEST_F(Stores, ManyThreadsKeepAndFindAsOne) {
  constexpr int kThreads = 8;  // more than cores, so that they are interrupted anywhere
  constexpr int kEach = 25;
  {
    const auto store = open();
    store->begin_run("");
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    std::vector<int> wrong(kThreads);
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kEach; ++i) {
          // Half of the keys are everyone's, half are one's own.
          const StoredKey key{"scan", i % 2 == 0 ? fmt::format("{}", i) : fmt::format("{} {}", thread, i), "terms"};
          const std::string json = fmt::format("{} {}", thread, i);
          wrong[thread] += store->keep(1, key, {json, ""}).has_value();
          const std::string there = found(*store, key);
          wrong[thread] += i % 2 == 0 ? there.substr(there.find(' ')) != fmt::format(" {}", i) : there != json;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(kThreads));
  }
  SQLite::Database database(file().string());
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM observations").getInt(), kThreads * kEach);
  EXPECT_EQ(database.execAndGet("SELECT count(DISTINCT verdict) FROM observations").getInt(), kThreads * kEach);
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM hand_ins").getInt(), 13 + kThreads * 12);
}

TEST_F(Stores, FolderWithAnOddNameIsAsGoodAsAny) {
  const fs::path odd = folder() / "file:x?mode=memory#%41\n\xff";
  fs::create_directory(odd);
  EXPECT_EQ(refusal(odd), "it opens");
  EXPECT_TRUE(fs::exists(odd / "grades.db"));
  EXPECT_EQ(refusal(odd / "."), "it opens");
}

TEST_F(Stores, RelativeFolderIsMeantWhereItWasOpened) {
  const fs::path before = fs::current_path();
  fs::current_path(folder());
  {
    const auto store = Store::open(".");
    fs::current_path(before);
    ASSERT_TRUE(store) << store.sentence();
    EXPECT_FALSE((*store)->keep(*(*store)->begin_run(""), kKey, {"{}", ""}));
  }
  EXPECT_EQ(found(*open(), kKey), "{}");
}

TEST_F(Stores, EmptyFileIsANewStore) {
  std::ofstream(file()).close();
  EXPECT_EQ(refusal(), "it opens");
}

TEST_F(Stores, FolderThatIsMissingOrNoneIsNamed) {
  EXPECT_EQ(refusal(folder() / "out"),
            "the folder " + (folder() / "out").string() + " for the output is not there: make it, or choose another");
  std::ofstream(folder() / "out") << "x";
  EXPECT_EQ(refusal(folder() / "out"),
            (folder() / "out").string() + " is not a folder: choose another one for the output");
}

TEST_F(Stores, WhatIsNoFileIsNotOpened) {
  fs::create_directory(file());
  EXPECT_EQ(refusal(), file().string() +
                           " is a folder, and a file has to be there: move it away, or choose another folder for the "
                           "output");
  fs::remove(file());
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_EQ(refusal(),
            file().string() + " is not a regular file: move it away, or choose another folder for the output");
  fs::remove(file());
  fs::remove(folder() / "grades.lock");
  ASSERT_EQ(mkfifo((folder() / "grades.lock").c_str(), 0600), 0);
  EXPECT_EQ(refusal(), (folder() / "grades.lock").string() + " is not a regular file: remove it");
}

TEST_F(Stores, FileOfAnotherProgramIsLeftAlone) {
  const std::string not_ours =
      file().string() + " was not written by lanewise: move it away, or choose another folder for the output";
  std::ofstream(file()) << std::string(5000, 'x');
  EXPECT_EQ(refusal(), not_ours);
  fs::remove(file());
  ASSERT_EQ(run_sql("CREATE TABLE recipes (name)"), "");
  EXPECT_EQ(refusal(), not_ours);
  EXPECT_EQ(run_sql("INSERT INTO recipes VALUES ('soup')"), "");
  EXPECT_FALSE(fs::exists(file().string() + "-wal"));
}

TEST_F(Stores, NewerVersionIsLeftAlone) {
  fill();
  ASSERT_EQ(run_sql("PRAGMA user_version = 3"), "");
  EXPECT_EQ(refusal(), file().string() +
                           " is from a newer lanewise (version 3 of its tables, this one knows 2): use that one, or "
                           "choose another folder for the output");
}

TEST_F(Stores, DamagedFileIsToldFromAWholeOne) {
  fill();
  const auto size = fs::file_size(file());
  const std::string damaged = file().string() + " is damaged (";
  const std::string advice =
      "): bring it back from a copy with its grades.db-wal, or move both away and grade anew; sqlite3 grades.db "
      ".recover  prints what can still be read";
  const fs::path whole = folder() / "whole";
  fs::copy(file(), whole);
  fs::resize_file(file(), size / 2);
  EXPECT_EQ(refusal(), damaged + "database disk image is malformed" + advice);
  // Any page but the first, overwritten: nothing else may have a page that nothing else needs.
  constexpr std::uintmax_t kPage = 4096;
  for (std::uintmax_t page = 1; page < size / kPage; ++page) {
    fs::copy(whole, file(), fs::copy_options::overwrite_existing);
    std::fstream(file(), std::ios::in | std::ios::out | std::ios::binary)
        .seekp(static_cast<std::streamoff>(page * kPage))
        .write(std::string(kPage, '\x55').data(), kPage);
    const std::string sentence = refusal();
    EXPECT_EQ(sentence.substr(0, damaged.size()), damaged) << page << ": " << sentence;
  }
  fs::copy(whole, file(), fs::copy_options::overwrite_existing);
  ASSERT_EQ(run_sql("DROP TRIGGER hand_ins_are_never_removed; DELETE FROM hand_ins"), "");
  EXPECT_EQ(refusal(), damaged + "a row of scores has no match" + advice);
}

// As a user who may not write there: root may write anywhere.
std::string refusal_to_nobody(const fs::path& folder) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return "no pipe";
  const pid_t nobody = fork();
  if (nobody == 0) {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) _exit(1);
    const auto store = Store::open(folder);
    const std::string sentence = store ? "it opens" : store.sentence();
    static_cast<void>(!write(pipe_ends[1], sentence.data(), sentence.size()));
    _exit(0);
  }
  char sentence[1000];
  const ssize_t bytes = read(pipe_ends[0], sentence, sizeof sentence);
  waitpid(nobody, nullptr, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  return {sentence, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
}

TEST_F(Stores, WhereNothingMayBeWrittenIsNamed) {
  const auto everyone_reads = fs::perms::owner_read | fs::perms::owner_exec | fs::perms::group_read |
                              fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec;
  fs::permissions(folder(), everyone_reads);
  EXPECT_EQ(refusal_to_nobody(folder()),
            (folder() / "grades.lock").string() +
                " cannot be written (Permission denied): see to the permissions of the folder, or choose another one "
                "for the output");
  fs::permissions(folder(), fs::perms::all);
  fill();
  fs::permissions(folder() / "grades.lock", fs::perms::all);
  fs::permissions(file(), fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  EXPECT_EQ(refusal_to_nobody(folder()), file().string() +
                                             " cannot be written: see to the permissions of the file and its folder, "
                                             "or choose another folder for the output");
}

TEST_F(Stores, PathThatSqliteCannotTakeIsNamed) {
  fs::path deep = folder();
  for (int i = 0; i < 3; ++i) deep /= std::string(200, 'd');
  fs::create_directories(deep);
  EXPECT_EQ(refusal(deep), (deep / "grades.db").string() +
                               " has a path of more than 503 bytes, which SQLite cannot open: choose another folder "
                               "for the output");
}

TEST(StoreFailures, SayWhatToDo) {
  const auto sentence = [](int code) { return store_failure("out/grades.db", code, "words").sentence; };
  EXPECT_EQ(sentence(SQLITE_FULL),
            "out/grades.db cannot grow, the disk is full: free some space and run the same command again; what was "
            "graded before is kept");
  EXPECT_EQ(sentence(SQLITE_IOERR_FSYNC),
            "out/grades.db could not be read or written (disk I/O error, 1034): see whether the disk is sound and not "
            "full, and run the same command again; what was graded before is kept");
  EXPECT_EQ(sentence(SQLITE_BUSY),
            "out/grades.db is being written by another program: end it (an sqlite3 shell?) and run the same command "
            "again");
  EXPECT_EQ(sentence(SQLITE_NOMEM), "out/grades.db could not be read or written: memory ran out");
  EXPECT_EQ(sentence(SQLITE_TOOBIG), "out/grades.db takes no entry of more than 1,000,000,000 bytes");
  EXPECT_EQ(sentence(SQLITE_MISUSE), "out/grades.db could not be used (SQLite: words, 21)");
}

}  // namespace
}  // namespace lanewise
