// Which blocks have read something, where several have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/monitor/access_record.h"

namespace vgpu {

/// Numbers for sets of blocks, so that a record of their reads can name the set. A set is another one and one block
/// more, so blocks that read many things in the same order make as many sets as there are blocks.
class ReaderSets {
 public:
  /// Sets of more blocks, or with more reads of one block after another's, are not kept.
  static constexpr std::uint32_t kMostReads = 2048;

  ReaderSets() { clear(); }

  void clear() {
    known_.clear();
    numbers_.clear();
    sets_.assign(1, {});
  }

  /// Whether `test(block, epoch)` holds of all that is in the set: each block with the latest epoch in which it has
  /// read, and maybe with earlier ones. False for 0, of which nothing is known.
  template <class Test>
  bool all_of(std::uint32_t number, const Test& test) const {
    if (number == 0) return false;
    for (; number != 0; number = sets_[number].rest)
      if (!test(sets_[number].block, sets_[number].epoch)) return false;
    return true;
  }

  /// All that two records of reads stand for; 0 if these are more than can be kept.
  std::uint32_t joined(const AccessRecord& a, const AccessRecord& b) {
    const bool a_is_set = a.by() == AccessRecord::By::kGrid, b_is_set = b.by() == AccessRecord::By::kGrid;
    if ((a_is_set && a.readers() == 0) || (b_is_set && b.readers() == 0)) return 0;
    if (a_is_set && b_is_set) return with_all(a.readers(), b.readers());
    if (b_is_set) return with(b.readers(), a.block(), a.epoch());
    return with(a_is_set ? a.readers() : with(0, a.block(), a.epoch()), b.block(), b.epoch());
  }

 private:
  struct Set {
    std::uint32_t rest = 0;  ///< number of the set without this block
    std::uint32_t block = 0;
    Epoch epoch = 0;
    std::uint32_t reads = 0;
    std::uint32_t highest = 0;    ///< of the blocks
    std::uint32_t asked_for = 0;  ///< number of a set that is this one and a block more, the latest that was wanted
    std::uint64_t has = 0;        ///< a bit of each, by their numbers modulo 64

    bool operator==(const Set& other) const {
      return rest == other.rest && block == other.block && epoch == other.epoch;
    }
  };
  struct Hash {
    std::size_t operator()(const Set& set) const {
      const std::uint64_t who = std::uint64_t{set.block} << 17 | set.epoch;
      return static_cast<std::size_t>((who * 0x9E3779B97F4A7C15u ^ set.rest) * 0xC2B2AE3D27D4EB4Fu >> 20);
    }
  };

  std::uint32_t with(std::uint32_t number, std::uint32_t block, Epoch epoch) {
    // Words that the same blocks have read so far are mostly read by the same one next.
    const std::uint32_t guess = sets_[number].asked_for;
    if (guess != 0 && sets_[guess].block == block && sets_[guess].epoch == epoch) return guess;
    const Epoch latest = latest_of(number, block);
    if (latest != 0 && latest >= epoch) return number;
    Set set{number, block, epoch, sets_[number].reads + 1};
    if (set.reads > kMostReads) return 0;
    set.highest = std::max(block, sets_[number].highest);
    set.has = sets_[number].has | std::uint64_t{1} << block % 64;
    const auto [known, is_new] = numbers_.try_emplace(set, static_cast<std::uint32_t>(sets_.size()));
    if (is_new && sets_.size() > AccessRecord::kReaderSets) {
      numbers_.erase(known);
      return 0;
    }
    if (is_new) sets_.push_back(set);
    return sets_[number].asked_for = known->second;
  }

  std::uint32_t with_all(std::uint32_t number, std::uint32_t others) {
    for (; others != 0 && others != number; others = sets_[others].rest) {
      number = with(number, sets_[others].block, sets_[others].epoch);
      if (number == 0) return 0;
    }
    return number;
  }

  /// The latest epoch in which the block has read, of those in the set; 0: none. What came into it last is the latest.
  /// Who waits for a word reads it again and again, so answers are kept.
  Epoch latest_of(std::uint32_t number, std::uint32_t block) {
    constexpr int kFewSteps = 4;
    const auto place_of = [&](std::uint32_t set) -> Known& {
      return known_[(set * 0x9E3779B1u ^ block * 0x85EBCA77u) >> (32 - kKnownBits)];
    };
    Epoch latest = 0;
    int steps = 0;
    for (std::uint32_t n = number; n != 0; n = sets_[n].rest, ++steps) {
      const Set& set = sets_[n];
      if (block > set.highest || (set.has >> block % 64 & 1) == 0) break;
      const bool is_known = !known_.empty() && place_of(n).set == n && place_of(n).block == block;
      if (!is_known && set.block != block) continue;
      latest = is_known ? place_of(n).latest : set.epoch;
      break;
    }
    if (steps < kFewSteps) return latest;
    if (known_.empty()) known_.resize(std::size_t{1} << kKnownBits);
    place_of(number) = {number, block, latest};
    return latest;
  }

  struct Known {
    std::uint32_t set = 0, block = 0;
    Epoch latest = 0;
  };
  static constexpr int kKnownBits = 13;
  std::vector<Known> known_;  ///< by a hash of set and block; empty until there is need of it
  std::unordered_map<Set, std::uint32_t, Hash> numbers_;
  std::vector<Set> sets_;  ///< by number
};

}  // namespace vgpu
