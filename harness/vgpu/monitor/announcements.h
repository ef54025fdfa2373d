// What blocks tell each other through memory while a launch runs, and how far on its way who tells it is.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "harness/vgpu/cost/warp_path.h"

namespace vgpu {

/// What was written to a location for others to find: by volatile, relaxed or releasing stores, or atomics that change
/// what is there.
struct Announcement {
  WarpPath first;   ///< when the block that did last first wrote there
  WarpPath latest;  ///< when it did last; of atomics, the furthest of this round
  WarpPath before;  ///< of atomics, the furthest of the round before
  std::uint64_t atomics = 0;
  std::uint32_t block = 0;  ///< that wrote there last
};

/// Atomics at one location come in rounds of as many as there are blocks: at a barrier of the grid, who has written in
/// a round waits for all of that round, but not for those who are at the next one already.
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
  /// Gives the round; -1 where there is no room to keep it.
  std::int64_t add(std::uint64_t address, std::uint32_t block, const WarpPath& path) {
    Announcement* const known = note(address, block, path);
    if (known == nullptr) return -1;
    if (known->atomics != 0 && known->atomics % blocks_ == 0) known->before = known->latest;
    known->latest = longer(known->latest, path);
    return static_cast<std::int64_t>(known->atomics++ / blocks_);
  }
  /// Null if nobody wrote there; where there was no room, the furthest of all who may have.
  const Announcement* at(std::uint64_t address) const {
    const auto known = all_.find(address);
    if (known != all_.end()) return &known->second;
    return has_others_ ? &others_ : nullptr;
  }
  /// The furthest of a round, or of the one before the latest if that is later.
  const WarpPath& of_round(const Announcement& all, std::uint64_t round) const {
    return (all.atomics - 1) / blocks_ == round ? all.latest : all.before;
  }

 private:
  /// More than grids have blocks that wait for each other, and little enough to be kept: a kernel may write all of
  /// its results in this way.
  static constexpr std::size_t kMost = 1 << 18;

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
    return &all_.emplace(address, Announcement{path, path, {}, 0, block}).first->second;
  }

  std::unordered_map<std::uint64_t, Announcement> all_;
  Announcement others_;
  bool has_others_ = false;
  std::uint64_t blocks_ = 1;
};

}  // namespace vgpu
