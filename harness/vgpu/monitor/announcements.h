// What blocks tell each other through memory while a launch runs, and how far on its way who tells it is.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/cost/warp_path.h"

namespace vgpu {

/// What was written to a location for others to find: by volatile, relaxed or releasing stores, or atomics that change
/// what is there.
struct Announcement {
  WarpPath first;   ///< when the block that did last first wrote there
  WarpPath latest;  ///< when it did last; of atomics, the furthest of this round
  WarpPath before;  ///< of atomics, the furthest of the round before
  std::uint64_t atomics = 0;
  std::uint32_t block = 0;     ///< that wrote there last
  std::uint32_t opens = 0;     ///< the first of this round
  bool is_counted = true;      ///< atomics come in rounds
  std::vector<bool> has_come;  ///< by block, in this round; empty until there is a second atomic
};

/// Atomics at one location may come in rounds of as many as there are blocks, one of each: at a barrier of the grid,
/// who has written in a round waits for all of that round, but not for those who are at the next one already.
class Announcements {
 public:
  void begin_launch(std::uint64_t blocks) {
    all_.clear();
    others_ = {};
    has_others_ = false;
    blocks_ = blocks;
  }
  bool empty() const { return all_.empty(); }

  void store(std::uint64_t address, std::uint32_t block, const WarpPath& path) {
    if (Announcement* const known = note(address, block, path)) known->latest = path;
  }
  /// Gives the round; -1 where there are none, or no room to keep them.
  std::int64_t add(std::uint64_t address, std::uint32_t block, const WarpPath& path) {
    Announcement* const known = note(address, block, path);
    if (known == nullptr) return -1;
    if (known->is_counted) count_in(*known, block);
    known->latest = longer(known->latest, path);
    const auto round = static_cast<std::int64_t>(known->atomics++ / blocks_);
    return known->is_counted ? round : -1;
  }
  /// Null if nobody wrote there; where there was no room, the furthest of all who may have.
  const Announcement* at(std::uint64_t address) const {
    const auto known = all_.find(address);
    if (known != all_.end()) return &known->second;
    return has_others_ ? &others_ : nullptr;
  }
  /// The furthest of a round, or of the one before the latest if that is later.
  const WarpPath& of_round(const Announcement& all, std::uint64_t round) const {
    return (all.atomics - 1) / blocks_ == round || !all.is_counted ? all.latest : all.before;
  }

 private:
  /// More than grids have blocks that wait for each other, and little enough to be kept: a kernel may write all of
  /// its results in this way.
  static constexpr std::size_t kMost = 1 << 18;

  /// More than any device runs at the same time, so that they cannot all wait for each other.
  static constexpr std::uint64_t kMostBlocks = 1 << 13;

  void count_in(Announcement& known, std::uint32_t block) const {
    const std::uint64_t of_round = known.atomics % blocks_;
    if (of_round == 0) {
      if (known.atomics != 0) known.before = known.latest;
      known.has_come.clear();
      known.opens = block;
      return;
    }
    if (known.has_come.empty()) {
      known.has_come.resize(blocks_);
      known.has_come[known.opens] = true;
    }
    known.is_counted = !known.has_come[block];
    if (known.is_counted)
      known.has_come[block] = true;
    else
      known.has_come = {};
  }

  Announcement* note(std::uint64_t address, std::uint32_t block, const WarpPath& path) {
    if (const auto found = all_.find(address); found != all_.end()) {
      Announcement& known = found->second;
      if (known.block != block) known.first = path, known.block = block;
      return &known;
    }
    if (all_.size() >= kMost) {
      has_others_ = true;
      others_.first = others_.latest = longer(others_.latest, path);
      return nullptr;
    }
    return &all_.emplace(address, Announcement{path, path, {}, 0, block, block, blocks_ <= kMostBlocks, {}})
                .first->second;
  }

  std::unordered_map<std::uint64_t, Announcement> all_;
  Announcement others_;
  bool has_others_ = false;
  std::uint64_t blocks_ = 1;
};

}  // namespace vgpu
