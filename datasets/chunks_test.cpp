// Chunks cover an array once, whatever its length, and are worked on by no more threads than promised.
#include "datasets/chunks.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "datasets/environment_variable.h"

namespace lanewise {
namespace {

TEST(Chunks, CoverEveryElementOnceWhateverTheLength) {
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, kChunk - 1, kChunk, kChunk + 1, 20 * kChunk + 3}) {
    std::vector<std::pair<std::int64_t, std::int64_t>> parts(static_cast<std::size_t>(chunk_count(n)));
    for_each_chunk(n, [&](int worker, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      EXPECT_GE(worker, 0);
      EXPECT_LT(worker, workers_for(n));
      parts.at(static_cast<std::size_t>(chunk)) = {begin, end};
    });
    std::int64_t covered = 0;
    for (const auto& [begin, end] : parts) {
      EXPECT_EQ(begin, covered);
      EXPECT_GT(end, begin);
      covered = end;
    }
    EXPECT_EQ(covered, n);
  }
}

TEST(Chunks, AFewElementsTakeNoThread) {
  EXPECT_EQ(workers_for(0), 1);
  EXPECT_EQ(workers_for(kChunk), 1);
}

TEST(Chunks, MayHaveAnySize) {
  std::vector<int> seen(10);
  for_each_chunk_of(3, 10, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    EXPECT_EQ(begin, 3 * chunk);
    EXPECT_EQ(end, chunk == 3 ? 10 : begin + 3);
    for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
  });
  EXPECT_EQ(seen, std::vector<int>(10, 1));
}

TEST(Chunks, TheEnvironmentSaysHowManyThreads) {
  const std::int64_t n = 100 * kChunk;
  {
    const EnvironmentVariable threads("LANEWISE_THREADS", "5");
    EXPECT_EQ(workers_for(n), 5);
    EXPECT_EQ(workers_for(kChunk), 1);
  }
  {
    const EnvironmentVariable threads("LANEWISE_THREADS", "1000");
    EXPECT_EQ(workers_for(n), 16);
  }
  const int otherwise = workers_for(n);
  for (const char* nonsense : {"", "0", "-3", "many", "2 "}) {
    const EnvironmentVariable threads("LANEWISE_THREADS", nonsense);
    EXPECT_EQ(workers_for(n), otherwise) << nonsense;
  }
}

}  // namespace
}  // namespace lanewise
