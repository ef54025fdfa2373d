// Hands chunks to threads.
#include "labs/scan/chunks.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace lanewise::labs::scan_lab {

void for_each_chunk(std::int64_t n,
                    const std::function<void(std::int64_t chunk, std::int64_t begin, std::int64_t end)>& work) {
  const std::int64_t chunks = chunk_count(n);
  std::atomic<std::int64_t> next{0};
  const auto work_on = [&] {
    for (std::int64_t chunk = next++; chunk < chunks; chunk = next++)
      work(chunk, chunk * kChunkItems, std::min(n, (chunk + 1) * kChunkItems));
  };
  const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  for (std::int64_t i = 1; i < std::min(cores, chunks); ++i) helpers.emplace_back(work_on);
  work_on();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace lanewise::labs::scan_lab
