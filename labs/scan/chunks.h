// Work on long arrays, spread over the processor's cores.
#pragma once

#include <cstdint>
#include <functional>

namespace lanewise::labs::scan_lab {

/// Elements of a chunk. A constant, so that what is made chunk by chunk does not depend on the number of cores.
inline constexpr std::int64_t kChunkItems = std::int64_t{1} << 18;

/// Chunks that n elements fall into; the last may be shorter.
inline std::int64_t chunk_count(std::int64_t n) { return (n + kChunkItems - 1) / kChunkItems; }

/// Calls `work(chunk, begin, end)` once for every chunk of [0, n), from as many threads as there are cores, in any
/// order. `work` must not throw, and must write nothing that the work on another chunk touches.
void for_each_chunk(std::int64_t n,
                    const std::function<void(std::int64_t chunk, std::int64_t begin, std::int64_t end)>& work);

}  // namespace lanewise::labs::scan_lab
