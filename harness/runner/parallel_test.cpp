// Every job is done once; one that throws ends the others in good order.
#include "harness/runner/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace lanewise {
namespace {

TEST(Parallel, EveryJobIsDoneOnce) {
  for (const unsigned threads : {1U, 3U, 64U}) {
    std::vector<std::atomic<int>> done(17);
    run_in_parallel(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(Parallel, ExceptionReachesTheCallerOnceTheOthersHaveReturned) {
  for (const unsigned threads : {1U, 4U}) {
    std::atomic<int> inside{0};
    const auto job = [&inside](std::size_t i) {
      ++inside;
      --inside;
      if (i >= 2) throw std::runtime_error("job " + std::to_string(i));
    };
    EXPECT_THROW(run_in_parallel(100, threads, job), std::runtime_error);
    EXPECT_EQ(inside, 0);
  }
}

TEST(Parallel, NothingIsStartedAfterAnException) {
  std::vector<std::size_t> started;
  const auto job = [&started](std::size_t i) {
    started.push_back(i);
    if (i == 1) throw std::runtime_error("job 1");
  };
  EXPECT_THROW(run_in_parallel(10, 1, job), std::runtime_error);
  EXPECT_EQ(started, (std::vector<std::size_t>{0, 1}));
}

}  // namespace
}  // namespace lanewise
