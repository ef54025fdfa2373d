// What loads of constants cost whose lanes want different ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace vgpu {

/// A multiprocessor's cache of constants. It serves one address at a time, so that each address beyond the first that
/// the lanes of a warp want takes a turn of its own.
///
/// All figures: an H200, 2026-11-26, driver 580.159, 512 loads of 1 to 32 warps, each of 1 to 32 addresses 4, 64 or
/// 1024 bytes apart, by clock64(). 32 addresses 64 bytes apart cost as much as 4 bytes apart, 4 addresses 1024 bytes
/// apart likewise, 8 do not fit: 2 KiB, four ways.
class ConstantCache {
 public:
  static constexpr std::uint64_t kLineBytes = 64;
  static constexpr std::size_t kSets = 8, kWays = 4;

  /// Clocks that a turn occupies the unit: 2.07 to 2.15 a turn with 8 warps and 16 addresses or more.
  static constexpr std::uint64_t kClocksOfTurn = 2;
  /// Likewise of a line that has to be fetched: 14.1 to 19.1.
  static constexpr std::uint64_t kClocksOfMiss = 16;
  /// Clocks that a warp waits longer for a turn more, 11.0, and for a line that has to be fetched, 82.
  static constexpr std::int64_t kWaitForTurn = 11, kWaitForMiss = 82;

  /// Reads the line of an address; false if it has to be fetched.
  bool read(std::uint64_t address) {
    const std::uint64_t line = address / kLineBytes + 1;
    std::array<std::uint64_t, kWays>& set = sets_[line % kSets];
    const auto found = std::find(set.begin(), set.end(), line);
    const bool is_here = found != set.end();
    // The latest comes first, and what was longest unread is dropped.
    std::rotate(set.begin(), is_here ? found : set.end() - 1, is_here ? found + 1 : set.end());
    set.front() = line;
    return is_here;
  }

 private:
  std::array<std::array<std::uint64_t, kWays>, kSets> sets_{};  ///< lines, counted from 1; 0: empty
};

}  // namespace vgpu
