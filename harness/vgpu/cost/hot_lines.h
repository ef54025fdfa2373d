// How many turns atomic operations take at the busiest line of global memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vgpu {

/// Counts by a hash of the line: lines that share a count make it too large, which is negligible when so many lines are
/// in use.
class HotLines {
 public:
  void clear() { turns_.clear(); }

  void add(std::uint64_t line, std::uint32_t turns) {
    if (turns_.empty()) turns_.assign(kCounts, 0);
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
    turns_[line * kGoldenRatio >> (64 - kBits)] += turns;
  }

  std::uint64_t most() const { return turns_.empty() ? 0 : *std::max_element(turns_.begin(), turns_.end()); }

 private:
  static constexpr std::size_t kBits = 12, kCounts = std::size_t{1} << kBits;

  std::vector<std::uint64_t> turns_;  ///< empty until something is added
};

}  // namespace vgpu
