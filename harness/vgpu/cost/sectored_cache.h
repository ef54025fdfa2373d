// A cache of 128-byte lines, each of four sectors that come and go by themselves.
#pragma once

#include <cstdint>
#include <vector>

namespace vgpu {

inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kLineBytes = 128;

/// One bit for each of a line's four sectors.
using SectorMask = std::uint8_t;

/// Set-associative; the line that has not been used for longest makes room. Lines are numbered: address / kLineBytes.
class SectoredCache {
 public:
  /// At least one set of lines.
  SectoredCache(std::uint64_t bytes, std::uint32_t ways);

  struct Outcome {
    SectorMask present = 0;        ///< sectors of the line that were there
    SectorMask evicted_dirty = 0;  ///< sectors of another line that had changed and made room
  };

  /// Uses a line: afterwards `fill` are there as well, and `dirty` of them changed.
  Outcome use(std::uint64_t line, SectorMask fill, SectorMask dirty);

  /// What is there of a line, which counts as used; nothing else changes.
  SectorMask look(std::uint64_t line);

  /// Forgets everything. Costs nothing.
  void clear();

 private:
  struct Entry {
    std::uint64_t line = 0;
    std::uint32_t used = 0;  ///< when; before `begin_`: holds nothing
    SectorMask present = 0, dirty = 0;
  };

  Entry* set_of(std::uint64_t line);
  std::uint32_t now();

  std::uint32_t ways_;
  std::uint64_t sets_;
  std::vector<Entry> entries_;  ///< set after set
  std::uint32_t time_ = 0;
  std::uint32_t begin_ = 1;  ///< entries used before this are from before the last clear()
};

}  // namespace vgpu
