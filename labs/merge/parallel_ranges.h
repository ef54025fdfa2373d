// Cuts a range into chunks that do not depend on the number of threads, and works on them side by side.
#pragma once

#include <cstdint>
#include <functional>

namespace lanewise::labs::merge_lab {

/// Elements of one chunk.
inline constexpr std::int64_t kChunk = std::int64_t{1} << 20;

/// Chunks that `count` elements make.
constexpr std::int64_t chunks_of(std::int64_t count) { return (count + kChunk - 1) / kChunk; }

/// Calls work(chunk, first, end) for every chunk of [0, count), several at a time; returns when all are done.
void for_each_chunk(std::int64_t count,
                    const std::function<void(std::int64_t chunk, std::int64_t first, std::int64_t end)>& work);

}  // namespace lanewise::labs::merge_lab
