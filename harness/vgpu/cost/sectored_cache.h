// A cache of 128-byte lines, each of four sectors that are loaded and evicted independently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vgpu {

inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kLineBytes = 128;

/// One bit for each of a line's four sectors.
using SectorMask = std::uint8_t;

/// Set-associative; the least recently used line is evicted. Lines are numbered: address / kLineBytes.
class SectoredCache {
 public:
  /// At least one set of lines.
  SectoredCache(std::uint64_t bytes, std::uint32_t ways);

  /// A line's place in the cache.
  struct Entry {
    std::uint64_t line = 0;
    std::uint32_t used = 0;  ///< time of last use, in the cache's own count
    SectorMask present = 0;  ///< sectors that are present
    SectorMask dirty = 0;    ///< sectors that were changed
    SectorMask partial = 0;  ///< of these, those of which only some bytes are present
    SectorMask left = 0;     ///< sectors present before the last clear() and not replaced since
  };

  /// The entry of a line, which counts as used. If there was none, an entry without sectors replaces another, which is
  /// moved to `evicted`. Valid until the next call.
  Entry& use(std::uint64_t line, Entry& evicted);

  std::size_t entries() const { return entries_.size(); }
  std::size_t index_of(const Entry& entry) const { return static_cast<std::size_t>(&entry - entries_.data()); }

  /// Announces that a line will be used soon, so that the host prefetches its set.
  void expect(std::uint64_t line) const {
    const Entry* const set = entries_.data() + set_of(line);
    __builtin_prefetch(set);
    __builtin_prefetch(set + ways_ / 2);
  }

  /// Forgets everything. Costs nothing.
  void clear();

 private:
  std::size_t set_of(std::uint64_t line) const;  ///< index of its first entry
  std::uint32_t now();

  std::uint32_t ways_;
  std::uint32_t sets_;
  std::uint64_t reciprocal_;    ///< of sets_, for remainders
  std::vector<Entry> entries_;  ///< set after set
  std::uint32_t time_ = 0;
  std::uint32_t begin_ = 1;  ///< entries used before this are from before the last clear()
};

}  // namespace vgpu
