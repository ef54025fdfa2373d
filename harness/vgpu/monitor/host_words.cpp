#include "harness/vgpu/monitor/host_words.h"

#include <algorithm>

#include "harness/vgpu/machine/address_space.h"

namespace vgpu {

void HostWords::launch_begins(const AddressSpace& memory) {
  ranges_.clear();
  touched_.clear();
  words_ = begin_ = end_ = 0;
  for (const AddressSpace::Range& range : memory.shared_with_host())
    ranges_.push_back({range.begin, range.begin + range.bytes});
  if (ranges_.empty()) return;
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  begin_ = ranges_.front().begin;
  for (const Range& range : ranges_) end_ = std::max(end_, range.end);
}

void HostWords::look(const MemoryAccess& access) {
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.address(__builtin_ctz(rest));
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                        [](std::uint64_t at, const Range& range) { return at < range.begin; });
    if (after == ranges_.begin() || address >= (after - 1)->end) continue;
    const std::uint64_t end = std::min(address + access.bytes, (after - 1)->end);
    for (std::uint64_t word = address / kWordBytes; word * kWordBytes < end; ++word) {
      auto touched = touched_[word / kWordsOfPage][word % kWordsOfPage];
      if (!touched) ++words_;
      touched = true;
    }
  }
}

}  // namespace vgpu
