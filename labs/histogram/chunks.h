// Long arrays are made and counted in chunks, by several threads. Where a chunk begins does not depend on how many.
#pragma once

#include <cstdint>
#include <functional>

namespace lanewise::labs::histogram_lab {

/// Elements of a chunk; the last one of an array may be shorter.
inline constexpr std::int64_t kChunk = std::int64_t{1} << 20;

/// Threads that for_each_chunk uses for n elements: one where there are few, never more than the machine runs at once.
int workers_for(std::int64_t n);

/// Calls work(worker, chunk, first, end) for every chunk [first, end) of n elements. `worker` is in
/// [0, workers_for(n)), and no two calls with the same worker run at the same time. Returns when all have.
void for_each_chunk(
    std::int64_t n,
    const std::function<void(int worker, std::int64_t chunk, std::int64_t first, std::int64_t end)>& work);

}  // namespace lanewise::labs::histogram_lab
