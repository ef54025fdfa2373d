// A store is open to one grader at a time, and what cannot be one says so in one sentence.
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "grader/store/store_failure.h"
#include "grader/store/store_fixture_test.h"

namespace lanewise::store_test {
namespace {

namespace fs = std::filesystem;

class StoreOpening : public StoreInAFolder {
 protected:
  // Why it does not open; "it opens" if it does.
  std::string refusal() const { return refusal(folder()); }
  static std::string refusal(const fs::path& folder) {
    const auto store = Store::open(folder);
    return store ? "it opens" : store.sentence();
  }
};

TEST_F(StoreOpening, SecondOneIsRefusedAtOnceAndToldByWhom) {
  {
    const auto first = open();
    EXPECT_EQ(refusal(), fmt::format("{} is in use by another lanewise (process {}): wait for it to finish, or "
                                     "choose another output folder",
                                     file().string(), getpid()));
    EXPECT_FALSE(first->keep(*first->begin_run(""), kKey, {"{}", ""})) << "the first has not noticed";
  }
  EXPECT_EQ(refusal(), "it opens");
}

TEST_F(StoreOpening, LockGoesWithItsProcessHoweverItEnds) {
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
  EXPECT_EQ(refusal(),
            fmt::format(
                "{} is in use by another lanewise (process {}): wait for it to finish, or choose another output folder",
                file().string(), other));
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  EXPECT_EQ(refusal(), "it opens");
}

// What grading starts must not keep the next run out when the grader was killed.
TEST_F(StoreOpening, ProgramsItStartsDoNotHoldTheLock) {
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

TEST_F(StoreOpening, FolderWithAnOddNameIsAsGoodAsAny) {
  const fs::path odd = folder() / "file:x?mode=memory#%41\n\xff";
  fs::create_directory(odd);
  EXPECT_EQ(refusal(odd), "it opens");
  EXPECT_TRUE(fs::exists(odd / "grades.db"));
  EXPECT_EQ(refusal(odd / "."), "it opens");
}

TEST_F(StoreOpening, RelativeFolderIsMeantWhereItWasOpened) {
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

TEST_F(StoreOpening, EmptyFileIsANewStore) {
  std::ofstream(file()).close();
  EXPECT_EQ(refusal(), "it opens");
}

TEST_F(StoreOpening, FolderThatIsMissingOrNoneIsNamed) {
  EXPECT_EQ(refusal(folder() / "out"),
            "the output folder " + (folder() / "out").string() + " does not exist: create it, or choose another");
  std::ofstream(folder() / "out") << "x";
  EXPECT_EQ(refusal(folder() / "out"), (folder() / "out").string() + " is not a folder: choose another output folder");
}

TEST_F(StoreOpening, WhatIsNoFileIsNotOpened) {
  fs::create_directory(file());
  EXPECT_EQ(refusal(),
            file().string() + " is a folder, but must be a file: move it away, or choose another output folder");
  fs::remove(file());
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_EQ(refusal(), file().string() + " is not a regular file: move it away, or choose another output folder");
  fs::remove(file());
  fs::remove(folder() / "grades.lock");
  ASSERT_EQ(mkfifo((folder() / "grades.lock").c_str(), 0600), 0);
  EXPECT_EQ(refusal(), (folder() / "grades.lock").string() + " is not a regular file: remove it");
}

TEST_F(StoreOpening, FileOfAnotherProgramIsLeftAlone) {
  const std::string not_ours =
      file().string() + " was not written by lanewise: move it away, or choose another output folder";
  std::ofstream(file()) << std::string(5000, 'x');
  EXPECT_EQ(refusal(), not_ours);
  fs::remove(file());
  ASSERT_EQ(run_sql("CREATE TABLE recipes (name)"), "");
  EXPECT_EQ(refusal(), not_ours);
  EXPECT_EQ(run_sql("INSERT INTO recipes VALUES ('soup')"), "");
  EXPECT_FALSE(fs::exists(file().string() + "-wal"));
}

TEST_F(StoreOpening, NewerVersionIsLeftAlone) {
  fill();
  ASSERT_EQ(run_sql("PRAGMA user_version = 3"), "");
  EXPECT_EQ(refusal(), file().string() +
                           " is from a newer lanewise (its tables have version 3, this one supports 2): use that one, "
                           "or choose another output folder");
}

TEST_F(StoreOpening, DamagedFileIsToldFromAWholeOne) {
  fill();
  const auto size = fs::file_size(file());
  const std::string damaged = file().string() + " is damaged (";
  const std::string advice =
      "): restore it from a copy with its grades.db-wal, or move both away and grade again; sqlite3 grades.db "
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

TEST_F(StoreOpening, WhereNothingMayBeWrittenIsNamed) {
  const auto everyone_reads = fs::perms::owner_read | fs::perms::owner_exec | fs::perms::group_read |
                              fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec;
  fs::permissions(folder(), everyone_reads);
  EXPECT_EQ(refusal_to_nobody(folder()), (folder() / "grades.lock").string() +
                                             " cannot be written (Permission denied): check the permissions of the "
                                             "folder, or choose another output folder");
  fs::permissions(folder(), fs::perms::all);
  fill();
  fs::permissions(folder() / "grades.lock", fs::perms::all);
  fs::permissions(file(), fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  EXPECT_EQ(
      refusal_to_nobody(folder()),
      file().string() +
          " cannot be written: check the permissions of the file and its folder, or choose another output folder");
}

TEST_F(StoreOpening, PathThatSqliteCannotTakeIsNamed) {
  fs::path deep = folder();
  for (int i = 0; i < 3; ++i) deep /= std::string(200, 'd');
  fs::create_directories(deep);
  EXPECT_EQ(refusal(deep),
            (deep / "grades.db").string() +
                " has a path of more than 503 bytes, which SQLite cannot open: choose another output folder");
}

TEST(StoreFailures, SayWhatToDo) {
  const auto sentence = [](int code) { return store_failure("out/grades.db", code, "words").sentence; };
  EXPECT_EQ(sentence(SQLITE_FULL),
            "out/grades.db cannot grow, the disk is full: free some space and run the same command again; earlier "
            "results are kept");
  EXPECT_EQ(sentence(SQLITE_IOERR_FSYNC),
            "out/grades.db could not be read or written (disk I/O error, 1034): check that the disk is healthy and not "
            "full, and run the same command again; earlier results are kept");
  EXPECT_EQ(sentence(SQLITE_BUSY),
            "out/grades.db is being written by another program: close it (an sqlite3 shell?) and run the same command "
            "again");
  EXPECT_EQ(sentence(SQLITE_NOMEM), "out/grades.db could not be read or written: memory ran out");
  EXPECT_EQ(sentence(SQLITE_TOOBIG), "out/grades.db accepts no entry of more than 1,000,000,000 bytes");
  EXPECT_EQ(sentence(SQLITE_MISUSE), "out/grades.db could not be used (SQLite: words, 21)");
}

}  // namespace
}  // namespace lanewise::store_test
