// Long arrays are made and searched in chunks, by several threads. Chunk boundaries do not depend on the number of
// threads.
#pragma once

#include <cstdint>
#include <functional>

namespace lanewise {

/// Elements of a chunk; the last one of an array may be shorter.
inline constexpr std::int64_t kChunk = std::int64_t{1} << 20;

/// The number of chunks of `size` for n elements.
constexpr std::int64_t chunk_count(std::int64_t n, std::int64_t size = kChunk) { return (n + size - 1) / size; }

/// The number of threads that for_each_chunk uses for n elements: at most the number of chunks and of hardware threads.
/// The environment variable LANEWISE_THREADS, a number from 1 to 16, replaces the latter.
int workers_for(std::int64_t n, std::int64_t size = kChunk);

/// Work on the chunk [begin, end).
using ChunkWork = std::function<void(int worker, std::int64_t chunk, std::int64_t begin, std::int64_t end)>;

/// Calls work(worker, chunk, begin, end) for every chunk [begin, end) of n elements, in any order. `worker` is in
/// [0, workers_for(n)), and no two calls with the same worker run at the same time. Returns once all calls have
/// returned. `work` must not throw.
void for_each_chunk(std::int64_t n, const ChunkWork& work);

/// The same with chunks of `size` elements, for elements that need more work than usual.
void for_each_chunk_of(std::int64_t size, std::int64_t n, const ChunkWork& work);

}  // namespace lanewise
