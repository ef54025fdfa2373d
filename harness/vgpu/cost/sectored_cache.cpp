#include "harness/vgpu/cost/sectored_cache.h"

#include <algorithm>
#include <limits>

namespace vgpu {

SectoredCache::SectoredCache(std::uint64_t bytes, std::uint32_t ways)
    : ways_(ways), sets_(std::max<std::uint64_t>(1, bytes / kLineBytes / ways)), entries_(sets_ * ways) {}

/// Neighbouring lines have neighbouring sets. Where each 1,024 lines begin is scattered, as hardware does it by hashing
/// addresses: otherwise columns of a matrix with a power of two of columns would crowd in a few sets.
SectoredCache::Entry* SectoredCache::set_of(std::uint64_t line) {
  constexpr std::uint64_t kOdd = 0x9E3B;
  return entries_.data() + (line + (line >> 10) * kOdd) % sets_ * ways_;
}

std::uint32_t SectoredCache::now() {
  if (time_ ==
      std::numeric_limits<std::uint32_t>::max()) {  // once in billions of uses: order is forgotten, not content
    for (Entry& entry : entries_) entry.used = entry.used >= begin_ ? 1 : 0;
    begin_ = time_ = 1;
  }
  return ++time_;
}

SectoredCache::Outcome SectoredCache::use(std::uint64_t line, SectorMask fill, SectorMask dirty) {
  Entry* const set = set_of(line);
  Entry* oldest = set;
  for (Entry* entry = set; entry != set + ways_; ++entry) {
    if (entry->line == line && entry->used >= begin_) {
      const Outcome outcome{entry->present, 0};
      entry->present |= fill;
      entry->dirty |= dirty;
      entry->used = now();
      return outcome;
    }
    if (entry->used < oldest->used) oldest = entry;
  }
  const Outcome outcome{0, oldest->used >= begin_ ? oldest->dirty : SectorMask{0}};
  *oldest = {line, now(), fill, dirty};
  return outcome;
}

SectorMask SectoredCache::look(std::uint64_t line) {
  Entry* const set = set_of(line);
  for (Entry* entry = set; entry != set + ways_; ++entry) {
    if (entry->line != line || entry->used < begin_) continue;
    entry->used = now();
    return entry->present;
  }
  return 0;
}

void SectoredCache::clear() { begin_ = now(); }

}  // namespace vgpu
