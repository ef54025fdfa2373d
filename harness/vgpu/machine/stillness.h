// Launches that can never end: every thread waits for others, or goes round a loop that only reads what nobody changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/vgpu/machine/lanes.h"

namespace vgpu {

class Block;
class Launch;
struct Frame;
struct Insn;

/// Where a block's threads stand at the end of its turns. A turn is quiet if all of them only wait or go round loops
/// that write nothing (but for atomics, which Launch hears of). If every turn of every block has been quiet, and no
/// atomic has changed anything, since the threads of each block stood where they stand now with all that decides how
/// they go on as it is now, then they do so for ever, whatever the schedule: each goes its way alone, with memory that
/// stands still.
class Stillness {
 public:
  /// A block begins.
  void begin();
  /// At the end of a turn: whether it was quiet, if the one before it was looked at, too.
  bool was_quiet(Launch& launch, const Block& block);
  /// After a quiet turn: whether the threads stand as they once did since launch-wide change number `changes`.
  bool has_returned(Launch& launch, const Block& block, std::uint64_t changes);
  /// Something else happened in the turn.
  void forget() { places_.clear(); }
  /// The launch-wide change that has_returned() was last true for; 0: none.
  std::uint64_t still_since() const { return still_since_; }

 private:
  /// Of a lane: the loop that it goes round, or where it waits.
  struct Place {
    const Insn* at = nullptr;
    const Frame* frame = nullptr;
    std::uint64_t call = 0;  ///< Frame::number
    bool is_in_loop = false;

    bool operator==(const Place& other) const {
      return at == other.at && frame == other.frame && call == other.call && is_in_loop == other.is_in_loop;
    }
  };

  bool find_places(Launch& launch, const Block& block, std::vector<Place>& places) const;
  static void take_values(Launch& launch, const Block& block, std::vector<std::byte>& values);

  std::vector<Place> places_, places_now_;  ///< empty: not known
  std::uint64_t openings_ = 0;              ///< of the block's barriers, at the last look
  std::vector<std::byte> values_, values_now_;
  std::uint64_t noted_for_ = 0;  ///< the change that values_ were noted after
  std::uint64_t turns_ = 0, wait_ = 1;
  std::uint64_t still_since_ = 0;
  std::uint32_t rests_ = 0, rest_ = 1;
};

}  // namespace vgpu
