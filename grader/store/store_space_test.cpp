// Disks that are really full, and limits that are really met.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "grader/store/store.h"
#include "grader/store/testing/made_up.h"
#include "grader/store/testing/run_keeper.h"

namespace lanewise::store_test {
namespace {

namespace fs = std::filesystem;

// Keeps verdicts until one is refused: the sentence, and how many were kept.
std::pair<std::string, int> keep_until_refused(Store& store) {
  const auto run = store.begin_run("");
  if (!run) return {run.sentence(), 0};
  for (int i = 0; i < 1000; ++i)
    if (const auto failure = store.keep(*run, made_up_key(i), {made_up_json(i), ""})) return {failure->sentence, i};
  return {"never refused", 1000};
}

// Where the kernel lets users be root for themselves alone; outside nothing is any different.
bool become_root_of_ones_own() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << fmt::format("0 {} 1", user);
  std::ofstream("/proc/self/gid_map") << fmt::format("0 {} 1", group);
  return true;
}

// A new file system of `bytes` on `folder`, seen by this process alone. False where that is not allowed.
bool mount_small_disk(const fs::path& folder, int bytes) {
  if (unshare(CLONE_NEWNS) != 0 && !become_root_of_ones_own()) return false;
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return mount("none", folder.c_str(), "tmpfs", 0, fmt::format("size={},mode=777", bytes).c_str()) == 0;
}

// In a process of its own, for its mounts and limits. True if it went well, says why not on stderr otherwise.
template <class Work>
bool in_a_process(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string wrong = work();
    if (!wrong.empty()) fmt::print(stderr, "{}\n", wrong);
    _exit(wrong.empty() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class StoreSpace : public WithFolders {};

TEST_F(StoreSpace, DiskThatIsReallyFullTakesNothingAwayAndGoesOnWhenThereIsRoom) {
  const fs::path folder = next_folder();
  EXPECT_TRUE(in_a_process([&]() -> std::string {
    if (!mount_small_disk(folder, 1 << 20)) {
      fmt::print("no file system may be mounted here: not tested\n");
      return "";
    }
    std::ofstream(folder / "ballast") << std::string(200'000, 'x');
    auto store = Store::open(folder);
    if (!store) return store.sentence();
    const auto [sentence, kept] = keep_until_refused(**store);
    if (sentence !=
        (folder / "grades.db").string() +
            " cannot grow, the disk is full: free some space and run the same command again; earlier results are kept")
      return sentence;
    if (kept == 0 || held(**store, 1000).size() != static_cast<std::size_t>(kept)) return "some are lost";
    store->reset();
    store = Store::open(folder);
    if (!store) return store.sentence();
    if (held(**store, 1000).size() != static_cast<std::size_t>(kept)) return "some are lost when it opens again";
    fs::remove(folder / "ballast");
    const auto run = (*store)->begin_run("");
    if (!run) return run.sentence();
    const auto failure = (*store)->keep(*run, made_up_key(kept), {made_up_json(kept), ""});
    if (failure) return failure->sentence;
    return held(**store, 1000).size() == static_cast<std::size_t>(kept) + 1 ? "" : "the new one is not there";
  }));
}

TEST_F(StoreSpace, FullDiskIsSaidWhereAStoreIsToBeMade) {
  const fs::path folder = next_folder();
  EXPECT_TRUE(in_a_process([&]() -> std::string {
    if (!mount_small_disk(folder, 1 << 16)) {
      fmt::print("no file system may be mounted here: not tested\n");
      return "";
    }
    std::ofstream(folder / "ballast") << std::string(1 << 17, 'x');
    const auto store = Store::open(folder);
    if (store) return "it opens";
    return store.sentence() == (folder / "grades.db").string() +
                                   " cannot grow, the disk is full: free some space and run the same command again; "
                                   "earlier results are kept"
               ? ""
               : store.sentence();
  }));
}

TEST_F(StoreSpace, LimitOnTheSizeOfFilesIsAFailureLikeAnother) {
  const fs::path folder = next_folder();
  constexpr int kHandIns = 5;
  ProcessOptions limited = keeper(folder, kHandIns);
  limited.limits.file_bytes = 120'000;
  limited.command = {"/bin/sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"};
  for (const std::string& word : keeper(folder, kHandIns).command) limited.command.push_back(word);
  const Said first = run_keeper(limited);
  EXPECT_FALSE(first.is_finished);
  EXPECT_FALSE(first.kept.empty()) << first.all;
  EXPECT_EQ(first.failure, (folder / "grades.db").string() +
                               " could not be read or written (disk I/O error, 778): check that the disk is healthy "
                               "and not full, and run the same command again; earlier results are kept");
  const Said resumed = run_keeper(keeper(folder, kHandIns));
  EXPECT_TRUE(resumed.is_finished) << resumed.all;
  EXPECT_TRUE(std::includes(resumed.known.begin(), resumed.known.end(), first.kept.begin(), first.kept.end()));
}

}  // namespace
}  // namespace lanewise::store_test
