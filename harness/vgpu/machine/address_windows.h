// Generic addresses: which ranges of them stand for shared, local and parameter memory. Everything else is global.
#pragma once

#include <cstdint>

namespace vgpu {

/// Windows lie where neither device memory nor host memory can: above the addresses a user process may have, yet within
/// 48 bits, since programs pack pointers.
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kSharedWindow = 0xA00000000000;
inline constexpr std::uint64_t kLocalWindow = 0xB00000000000;
inline constexpr std::uint64_t kParameterWindow = 0xC00000000000;

/// Shared addresses below this are in the block's own shared memory. Those of the block with rank r in the cluster
/// begin at (r + 1) * kRankBytes, for each block of it, as `mapa` makes them.
inline constexpr std::uint64_t kRankBytes = std::uint64_t{1} << 24;
/// A rank that no block has.
inline constexpr std::uint32_t kNoRank = 254;

}  // namespace vgpu
