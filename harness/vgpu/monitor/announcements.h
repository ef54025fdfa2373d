// What warps tell each other through memory while a launch runs, and how far on its way who tells it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/vgpu/cost/warp_path.h"
#include "harness/vgpu/monitor/word_table.h"

namespace vgpu {

/// How far a warp is on its way.
struct Progress {
  WarpPath own;      ///< what it has executed, and waited for within its block
  WarpPath reached;  ///< other blocks that it has waited for included
  WarpPath longest;  ///< the longest `own` of all whom it has waited for, with those before them in their places
};

/// What was written to a word of global memory for others to find: by volatile, relaxed or releasing stores, or atomics
/// that change what is there. Who finds it finds it no earlier than that; machine and model agree on the order of all
/// who write and look, for who writes gives way first to those who may be looking.
struct Announcement {
  Progress by;
  std::uint32_t block = 0;
};

class Announcements {
 public:
  void begin_launch() {
    all_.clear();
    others_ = {};
    has_others_ = false;
  }
  bool empty() const { return all_.empty(); }

  /// `adds`: to what is there, which all that did before are part of. Else it is gone.
  void tell(std::uint64_t address, const Announcement& news, bool adds) {
    if (Announcement* const known = all_.find(address)) {
      keep(*known, news, adds);
    } else if (all_.size() < kMost) {
      all_[address] = news;
    } else {
      keep(others_, news, has_others_);
      has_others_ = true;
    }
  }
  /// Null if nobody wrote there; where there was no room, the furthest of all who may have.
  const Announcement* at(std::uint64_t address) const {
    if (const Announcement* const known = all_.find(address)) return known;
    return has_others_ ? &others_ : nullptr;
  }

 private:
  /// More than grids have blocks that wait for each other, and little enough to be kept: a kernel may write all of
  /// its results in this way.
  static constexpr std::size_t kMost = 1 << 18;

  static void keep(Announcement& known, const Announcement& news, bool adds) {
    if (!adds || &longer(known.by.reached, news.by.reached) != &known.by.reached) known = news;
  }

  WordTable<Announcement> all_;
  Announcement others_;
  bool has_others_ = false;
};

/// The same in a block's shared memory, where it is kept shorter, for programs write more often there: lengths of
/// paths, see WarpPath::length.
class SharedAnnouncements {
 public:
  static constexpr std::uint32_t kNobody = ~0u, kCopies = kNobody - 1;  ///< no warp; a unit beside them
  struct Word {
    std::int64_t own = 0, reached = 0;
    std::uint32_t warp = kNobody;

    void be_no_earlier_than(const Word& other) {
      own = std::max(own, other.own), reached = std::max(reached, other.reached), warp = other.warp;
    }
  };

  void begin_block() { words_.clear(); }
  bool empty() const { return words_.empty(); }
  void tell(std::uint64_t address, const Word& news, bool adds) {
    const std::size_t index = address / kWordBytes;
    if (index >= words_.size()) words_.resize(index + 1);
    Word& known = words_[index];
    if (!adds || known.warp == kNobody || known.reached <= news.reached) known = news;
  }
  /// Null if no other warp than this one wrote there.
  const Word* at(std::uint64_t address, std::uint32_t reader) const {
    const std::size_t index = address / kWordBytes;
    if (index >= words_.size() || words_[index].warp == kNobody || words_[index].warp == reader) return nullptr;
    return &words_[index];
  }

 private:
  static constexpr std::size_t kWordBytes = 4;
  std::vector<Word> words_;
};

}  // namespace vgpu
