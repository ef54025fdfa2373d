// Asynchronous copies of a warp (cp.async) that are under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/vgpu/machine/lanes.h"

namespace vgpu {

struct Code;
struct Insn;
struct Warp;

/// A copy into shared memory may arrive at any time between its instruction and the wait for it. Here it arrives late,
/// so that a program which does not wait finds the old bytes: what was read lies here until a thread waits for it or
/// has it arrive at a barrier, its warp ends, or kMost later ones have begun.
class PendingCopies {
 public:
  /// One instruction of a warp.
  struct Copy {
    const Insn* insn = nullptr;
    const Code* code = nullptr;  ///< that it is part of
    Mask lanes = 0;              ///< whose copies have not arrived
    std::uint32_t number = 0;    ///< of the copy in its warp, from 1
    std::uint32_t bytes = 0;     ///< of one lane
    bool is_watched = false;     ///< the observer has been shown its store
    std::uint32_t to[kLanes];    ///< shared addresses
    std::uint32_t group[kLanes];
    alignas(64) std::byte data[kLanes][16];
  };

  /// Those of `warp`, which has some from now on.
  static PendingCopies& of(Warp& warp);

  bool are_under_way() const { return !order_.empty(); }
  /// None are under way, and no group has been closed.
  void clear();

  /// Room for a copy, numbered, with data of zeros. It is under way from begin() on; no other is asked for before.
  Copy& next();
  void begin(Warp& warp);

  // --- for handlers; the lanes are those that execute the instruction ---

  /// cp.async.commit_group
  void close_group(Mask lanes);
  /// cp.async.wait_group, at `wait`: what belongs to closed groups arrives, but for each lane's `latest` ones.
  void arrive_but_latest(Warp& warp, Mask lanes, std::uint64_t latest, const Insn* wait);
  /// cp.async.wait_all, at `wait`: everything arrives; and where nobody waits, `wait` being null.
  void arrive(Warp& warp, Mask lanes, const Insn* wait);

 private:
  /// A warp that never waits has no more copies under way than this.
  static constexpr std::size_t kMost = 512;

  void arrive_one(Warp& warp, Copy& copy, Mask lanes, const Insn* wait);
  void forget_arrived();

  std::vector<Copy> copies_;          ///< in no order, some of them free
  std::vector<std::uint32_t> order_;  ///< indices of those under way, as they began
  std::vector<std::uint32_t> free_;   ///< the other indices; next() gives the last one
  std::uint32_t numbered_ = 0;
  std::uint32_t closed_[kLanes] = {};  ///< groups, by lane
};

}  // namespace vgpu
