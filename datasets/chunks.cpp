// Threads that take one chunk after the other until none is left.
#include "datasets/chunks.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

namespace lanewise {
namespace {

constexpr std::int64_t kMostWorkers = 16;  // each may hold a result of its own

std::int64_t threads_at_once() {
  if (const char* const text = std::getenv("LANEWISE_THREADS")) {
    std::int64_t threads = 0;
    const char* const end = text + std::strlen(text);
    const auto read = std::from_chars(text, end, threads);
    if (read.ec == std::errc() && read.ptr == end && threads >= 1) return threads;
  }
  return static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace

int workers_for(std::int64_t n, std::int64_t size) {
  return static_cast<int>(std::clamp<std::int64_t>(chunk_count(n, size), 1, std::min(threads_at_once(), kMostWorkers)));
}

void for_each_chunk(std::int64_t n, const ChunkWork& work) { for_each_chunk_of(kChunk, n, work); }

void for_each_chunk_of(std::int64_t size, std::int64_t n, const ChunkWork& work) {
  const std::int64_t chunks = chunk_count(n, size);
  std::atomic<std::int64_t> next{0};
  const auto take_chunks = [&](int worker) {
    for (std::int64_t chunk = next++; chunk < chunks; chunk = next++)
      work(worker, chunk, chunk * size, std::min(n, (chunk + 1) * size));
  };
  const int workers = workers_for(n, size);
  std::vector<std::thread> others;
  try {
    for (int worker = 1; worker < workers; ++worker) others.emplace_back(take_chunks, worker);
  } catch (const std::system_error&) {  // a limit on threads: fewer do the same work
  }
  take_chunks(0);
  for (std::thread& other : others) other.join();
}

}  // namespace lanewise
