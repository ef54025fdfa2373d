// Made once, found again, never half there.
#include "harness/runner/build_cache.h"

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

TEST_F(BuildCacheTest, LeavingsOfKilledProcessesAreSwept) {
  pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  const fs::path leavings = root_ / "things" / (".making-" + std::to_string(gone) + "-1");
  const fs::path in_use = root_ / "things" / (".making-" + std::to_string(getppid()) + "-1");
  fs::create_directories(leavings);
  fs::create_directories(in_use);
  EXPECT_TRUE(cache_.find_or_make("things", "key", writer("made")));
  EXPECT_FALSE(fs::exists(leavings));
  EXPECT_TRUE(fs::exists(in_use));
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
