// Shares chunks out to threads.
#include "labs/histogram/chunks.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace lanewise::labs::histogram_lab {
namespace {

constexpr std::int64_t kChunksPerWorker = 8;  // a thread for less costs more than it saves
constexpr std::int64_t kMostWorkers = 16;     // each may hold a whole histogram of its own

}  // namespace

int workers_for(std::int64_t n) {
  const std::int64_t machine = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<int>(
      std::clamp<std::int64_t>(n / (kChunk * kChunksPerWorker), 1, std::min(machine, kMostWorkers)));
}

void for_each_chunk(
    std::int64_t n,
    const std::function<void(int worker, std::int64_t chunk, std::int64_t first, std::int64_t end)>& work) {
  const std::int64_t chunks = (n + kChunk - 1) / kChunk;
  std::atomic<std::int64_t> next{0};
  const auto run = [&](int worker) {
    for (std::int64_t chunk = next++; chunk < chunks; chunk = next++)
      work(worker, chunk, chunk * kChunk, std::min(n, (chunk + 1) * kChunk));
  };
  std::vector<std::thread> others;
  for (int worker = 1; worker < workers_for(n); ++worker) others.emplace_back(run, worker);
  run(0);
  for (std::thread& other : others) other.join();
}

}  // namespace lanewise::labs::histogram_lab
