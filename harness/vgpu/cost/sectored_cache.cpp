#include "harness/vgpu/cost/sectored_cache.h"

#include <algorithm>
#include <limits>

namespace vgpu {

SectoredCache::SectoredCache(std::uint64_t bytes, std::uint32_t ways)
    : ways_(ways),
      sets_(static_cast<std::uint32_t>(std::max<std::uint64_t>(1, bytes / kLineBytes / ways))),
      reciprocal_(std::numeric_limits<std::uint64_t>::max() / sets_ + 1),
      entries_(std::size_t{sets_} * ways) {}

/// Neighbouring lines have neighbouring sets. Where each 1,024 lines begin is scattered, as hardware does it by hashing
/// addresses: otherwise columns of a matrix with a power of two of columns would crowd in a few sets.
std::size_t SectoredCache::set_of(std::uint64_t line) const {
  constexpr std::uint64_t kOdd = 0x9E3B;
  const auto scattered = static_cast<std::uint32_t>(line + (line >> 10) * kOdd);
  // The remainder by multiplication (Lemire, Kaser, Kurz: "Faster remainder by direct computation", 2019).
  __extension__ typedef unsigned __int128 Wide;
  const auto set = static_cast<std::uint32_t>(static_cast<Wide>(reciprocal_ * scattered) * sets_ >> 64);
  return std::size_t{set} * ways_;
}

std::uint32_t SectoredCache::now() {
  if (time_ ==
      std::numeric_limits<std::uint32_t>::max()) {  // once in billions of uses: order is forgotten, not content
    for (Entry& entry : entries_) entry.used = entry.used >= begin_ ? 1 : 0;
    begin_ = time_ = 1;
  }
  return ++time_;
}

SectoredCache::Entry& SectoredCache::use(std::uint64_t line, Entry& evicted) {
  Entry* const set = entries_.data() + set_of(line);
  Entry* oldest = set;
  for (Entry* entry = set; entry != set + ways_; ++entry) {
    if (entry->line == line && entry->used != 0) {
      const bool is_from_before = entry->used < begin_;
      entry->used = now();
      if (is_from_before) {
        const auto left = static_cast<SectorMask>(entry->present | entry->left);
        entry->present = entry->dirty = entry->partial = 0;
        entry->left = left;
      }
      return *entry;
    }
    if (entry->used < oldest->used) oldest = entry;
  }
  if (oldest->used >= begin_) evicted = *oldest;
  *oldest = {line, now(), 0, 0, 0, 0};
  return *oldest;
}

void SectoredCache::clear() { begin_ = now(); }

}  // namespace vgpu
