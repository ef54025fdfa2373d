// A shared counter and a handful of threads.
#include "harness/runner/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace lanewise {

void run_in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& job) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) job(i);
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace lanewise
