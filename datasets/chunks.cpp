// Threads that take one chunk after the other until none is left.
#include "datasets/chunks.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace lanewise {
namespace {

constexpr std::int64_t kMostWorkers = 16;  // each may hold a result of its own

}  // namespace

int workers_for(std::int64_t n) {
  const auto machine = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  return static_cast<int>(std::clamp<std::int64_t>(chunk_count(n), 1, std::min(machine, kMostWorkers)));
}

void for_each_chunk(
    std::int64_t n,
    const std::function<void(int worker, std::int64_t chunk, std::int64_t begin, std::int64_t end)>& work) {
  const std::int64_t chunks = chunk_count(n);
  std::atomic<std::int64_t> next{0};
  const auto take_chunks = [&](int worker) {
    for (std::int64_t chunk = next++; chunk < chunks; chunk = next++)
      work(worker, chunk, chunk * kChunk, std::min(n, (chunk + 1) * kChunk));
  };
  std::vector<std::thread> others;
  try {
    for (int worker = 1; worker < workers_for(n); ++worker) others.emplace_back(take_chunks, worker);
  } catch (const std::system_error&) {  // a limit on threads: fewer do the same work
  }
  take_chunks(0);
  for (std::thread& other : others) other.join();
}

}  // namespace lanewise
