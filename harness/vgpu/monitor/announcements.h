// What blocks tell each other through memory while a launch runs, and how far on its way who tells it is.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "harness/vgpu/cost/warp_path.h"

namespace vgpu {

/// What was written to a location for others to find: by volatile, relaxed or releasing stores, or atomics of a single
/// lane. Histograms' atomics, which nobody waits for, are of many lanes.
struct Announcement {
  WarpPath first;   ///< of the first that wrote there
  WarpPath latest;  ///< of the one that did last; of atomics, the furthest of this round
  WarpPath before;  ///< of atomics, the furthest of the round before
  std::uint64_t atomics = 0;
};

/// Atomics at one location come in rounds of as many as there are blocks: at a barrier of the grid, who has written in
/// a round waits for all of that round, but not for those who are at the next one already.
class Announcements {
 public:
  void begin_launch(std::uint64_t blocks) {
    all_.clear();
    blocks_ = blocks;
  }
  bool empty() const { return all_.empty(); }

  void store(std::uint64_t address, const WarpPath& path) {
    const auto [known, is_new] = all_.try_emplace(address, Announcement{path, path, {}, 0});
    if (!is_new) known->second.latest = path;
  }
  /// Gives the round.
  std::uint64_t add(std::uint64_t address, const WarpPath& path) {
    const auto [known, is_new] = all_.try_emplace(address, Announcement{path, path, {}, 0});
    Announcement& all = known->second;
    if (all.atomics != 0 && all.atomics % blocks_ == 0) all.before = all.latest;
    all.latest = longer(all.latest, path);
    return all.atomics++ / blocks_;
  }
  /// Null if nobody wrote there.
  const Announcement* at(std::uint64_t address) const {
    const auto known = all_.find(address);
    return known == all_.end() ? nullptr : &known->second;
  }
  /// The furthest of a round, or of the one before the latest if that is later.
  const WarpPath& of_round(const Announcement& all, std::uint64_t round) const {
    return (all.atomics - 1) / blocks_ == round ? all.latest : all.before;
  }

 private:
  std::unordered_map<std::uint64_t, Announcement> all_;
  std::uint64_t blocks_ = 1;
};

}  // namespace vgpu
