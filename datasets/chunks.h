// Long arrays are made and looked through in chunks, by several threads. Where a chunk begins does not depend on how
// many.
#pragma once

#include <cstdint>
#include <functional>

namespace lanewise {

/// Elements of a chunk; the last one of an array may be shorter.
inline constexpr std::int64_t kChunk = std::int64_t{1} << 20;

/// Chunks of `size` that n elements fall into.
constexpr std::int64_t chunk_count(std::int64_t n, std::int64_t size = kChunk) { return (n + size - 1) / size; }

/// Threads that for_each_chunk uses for n elements: never more than there are chunks, or than the machine runs at once.
/// The environment variable LANEWISE_THREADS, a number from 1 to 16, says otherwise than the machine.
int workers_for(std::int64_t n, std::int64_t size = kChunk);

/// Work on the chunk [begin, end).
using ChunkWork = std::function<void(int worker, std::int64_t chunk, std::int64_t begin, std::int64_t end)>;

/// Calls work(worker, chunk, begin, end) for every chunk [begin, end) of n elements, in any order. `worker` is in
/// [0, workers_for(n)), and no two calls with the same worker run at the same time. Returns when all have. `work` must
/// not throw.
void for_each_chunk(std::int64_t n, const ChunkWork& work);

/// The same with chunks of `size` elements: for elements that are more work than most.
void for_each_chunk_of(std::int64_t size, std::int64_t n, const ChunkWork& work);

}  // namespace lanewise
