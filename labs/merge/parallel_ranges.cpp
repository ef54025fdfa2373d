// Threads that take one chunk after the other until none is left.
#include "labs/merge/parallel_ranges.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace lanewise::labs::merge_lab {

void for_each_chunk(std::int64_t count,
                    const std::function<void(std::int64_t chunk, std::int64_t first, std::int64_t end)>& work) {
  const std::int64_t chunks = chunks_of(count);
  std::atomic<std::int64_t> next{0};
  const auto take_chunks = [&] {
    for (std::int64_t chunk = next++; chunk < chunks; chunk = next++)
      work(chunk, chunk * kChunk, std::min(count, (chunk + 1) * kChunk));
  };
  const auto cores = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::thread> others;  // small arrays are a single chunk and start none
  for (std::int64_t i = 1; i < std::min(cores, chunks); ++i) others.emplace_back(take_chunks);
  take_chunks();
  for (std::thread& other : others) other.join();
}

}  // namespace lanewise::labs::merge_lab
