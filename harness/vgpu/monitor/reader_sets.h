// Which blocks have read something, where several have.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "harness/vgpu/monitor/access_record.h"

namespace vgpu {

/// Numbers for sets of a few blocks, so that a record of their reads can name the set.
class ReaderSets {
 public:
  /// Blocks in ascending order, each with the latest epoch in which it has read.
  using Readers = std::vector<std::pair<std::uint32_t, Epoch>>;

  static constexpr std::size_t kMostBlocks = 4;

  ReaderSets() { clear(); }

  void clear() {
    numbers_.clear();
    sets_.assign(1, &kNobody);
  }

  /// Empty for 0.
  const Readers& of(std::uint32_t number) const { return *sets_[number]; }

  /// All that two records of reads stand for; 0 if these are more blocks, or this is one more set, than can be kept.
  std::uint32_t joined(const AccessRecord& a, const AccessRecord& b) {
    Readers all;
    if (!add(a, all) || !add(b, all)) return 0;
    const auto [known, is_new] = numbers_.try_emplace(std::move(all), static_cast<std::uint32_t>(sets_.size()));
    if (is_new && sets_.size() > AccessRecord::kReaderSets) {
      numbers_.erase(known);
      return 0;
    }
    if (is_new) sets_.push_back(&known->first);
    return known->second;
  }

 private:
  bool add(const AccessRecord& reads, Readers& to) const {
    if (reads.by() != AccessRecord::By::kGrid) return add(reads.block(), reads.epoch(), to);
    for (const auto& [block, epoch] : of(reads.readers()))
      if (!add(block, epoch, to)) return false;
    return reads.readers() != 0;
  }

  static bool add(std::uint32_t block, Epoch epoch, Readers& to) {
    auto at = to.begin();
    while (at != to.end() && at->first < block) ++at;
    if (at != to.end() && at->first == block)
      at->second = std::max(at->second, epoch);
    else
      to.insert(at, {block, epoch});
    return to.size() <= kMostBlocks;
  }

  static inline const Readers kNobody;
  std::map<Readers, std::uint32_t> numbers_;
  std::vector<const Readers*> sets_;  ///< by number; they lie in numbers_
};

}  // namespace vgpu
