// Made once, found again, never half there.
#include "harness/runner/build/build_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "harness/runner/content_hash.h"
#include "harness/runner/parallel.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class BuildCacheTest : public ::testing::Test {
 protected:
  BuildCacheTest()
      : root_(fs::temp_directory_path() / ("lanewise_build_cache_test_" + std::to_string(getpid()))), cache_(root_) {}
  ~BuildCacheTest() override { fs::remove_all(root_); }

  // Makes an entry whose file holds `content`; counts how often that happens.
  BuildCache::Make writer(const std::string& content) {
    return [this, content](const fs::path& folder) -> std::optional<Failure> {
      ++made_;
      std::ofstream(folder / "file") << content;
      return std::nullopt;
    };
  }
  static std::string read(const fs::path& folder) {
    std::ifstream stream(folder / "file");
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(root_ / "things"), fs::directory_iterator());
  }

  fs::path root_;
  BuildCache cache_;
  std::atomic<int> made_{0};
};

TEST_F(BuildCacheTest, SameKeyIsMadeOnce) {
  EXPECT_FALSE(cache_.find("things", "key"));
  const auto first = cache_.find_or_make("things", "key", writer("made"));
  const auto second = cache_.find_or_make("things", "key", writer("made again"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(read(*second), "made");
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(cache_.find("things", "key"), *first);
}

TEST_F(BuildCacheTest, OtherKeyIsMadeApart) {
  const auto first = cache_.find_or_make("things", "key", writer("one"));
  const auto second = cache_.find_or_make("things", "kez", writer("two"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(read(*first), "one");
  EXPECT_EQ(read(*second), "two");
}

TEST_F(BuildCacheTest, FailureLeavesNothing) {
  const auto failed = cache_.find_or_make("things", "key", [](const fs::path& folder) -> std::optional<Failure> {
    std::ofstream(folder / "file") << "half";
    return Failure{"no luck"};
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.sentence(), "no luck");
  EXPECT_EQ(entries(), 0);
  EXPECT_TRUE(cache_.find_or_make("things", "key", writer("whole")));
}

TEST_F(BuildCacheTest, ForeignEntryInTheSamePlaceIsNotBelieved) {
  // What a collision of hashes would look like.
  const fs::path place = root_ / "things" / content_hash("key");
  fs::create_directories(place);
  std::ofstream(place / "key") << "another key";
  std::ofstream(place / "file") << "something else";
  const auto made = cache_.find_or_make("things", "key", writer("right"));
  ASSERT_TRUE(made);
  EXPECT_EQ(read(*made), "right");
  EXPECT_EQ(read(place), "something else");
}

TEST_F(BuildCacheTest, LeavingsOfKilledProcessesAreSweptWhateverTheirIds) {
  // Under the id of a process that lives: it may be another one by now, or one in another container.
  const fs::path leavings = root_ / "things" / (".making-" + std::to_string(getpid()) + "-1");
  fs::create_directories(leavings / "half");
  EXPECT_TRUE(cache_.find_or_make("things", "key", writer("made")));
  EXPECT_FALSE(fs::exists(leavings));
}

TEST_F(BuildCacheTest, WorkInProgressIsNotSwept) {
  // The first is still at work while the second comes, sweeps and goes.
  const auto outer = cache_.find_or_make("things", "outer", [this](const fs::path& folder) -> std::optional<Failure> {
    std::ofstream(folder / "file") << "outer";
    EXPECT_TRUE(cache_.find_or_make("things", "inner", writer("inner")));
    return std::nullopt;
  });
  ASSERT_TRUE(outer) << outer.sentence();
  EXPECT_EQ(read(*outer), "outer");
  EXPECT_EQ(entries(), 2);
}

TEST_F(BuildCacheTest, KilledMakerLeavesNothingForLong) {
  const pid_t maker = fork();
  if (maker == 0) {
    static_cast<void>(cache_.find_or_make("things", "key", [](const fs::path&) -> std::optional<Failure> {
      _exit(0);  // no destructor runs
    }));
    _exit(1);
  }
  waitpid(maker, nullptr, 0);
  EXPECT_EQ(entries(), 1);
  const auto made = cache_.find_or_make("things", "key", writer("made"));
  ASSERT_TRUE(made);
  EXPECT_EQ(read(*made), "made");
  EXPECT_EQ(entries(), 1);
}

TEST_F(BuildCacheTest, EntryThatIsNotAcceptedIsReplaced) {
  const auto is_whole = [](const fs::path& folder) { return fs::exists(folder / "file"); };
  const auto first = cache_.find_or_make("things", "key", writer("first"), is_whole);
  ASSERT_TRUE(first);
  EXPECT_EQ(*cache_.find_or_make("things", "key", writer("second"), is_whole), *first);
  EXPECT_EQ(made_, 1);
  fs::remove(*first / "file");
  const auto third = cache_.find_or_make("things", "key", writer("third"), is_whole);
  ASSERT_TRUE(third);
  EXPECT_EQ(read(*third), "third");
  EXPECT_EQ(entries(), 1);
}

TEST_F(BuildCacheTest, EntriesThatNobodyAsksForGo) {
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24 * 40);
  const auto asked_for = cache_.find_or_make("things", "asked for", writer("one"));
  const auto forgotten = cache_.find_or_make("things", "forgotten", writer("two"));
  ASSERT_TRUE(asked_for && forgotten);
  for (const fs::path& entry : {*asked_for, *forgotten}) fs::last_write_time(entry / "key", long_ago);
  EXPECT_TRUE(cache_.find("things", "asked for"));
  EXPECT_TRUE(cache_.find_or_make("things", "new", writer("new")));
  EXPECT_TRUE(cache_.find("things", "asked for"));
  EXPECT_FALSE(cache_.find("things", "forgotten"));
  EXPECT_EQ(entries(), 2);
}

TEST_F(BuildCacheTest, ManyThreadsAgree) {
  run_in_parallel(16, 8, [this](std::size_t i) {
    const auto made = cache_.find_or_make("things", "key", writer("same"));
    ASSERT_TRUE(made) << i;
    EXPECT_EQ(read(*made), "same");
  });
  EXPECT_EQ(entries(), 1);
}

}  // namespace
}  // namespace lanewise
