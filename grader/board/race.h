// Times entries against each other on a GPU: in groups that share the reference, the best of them once more together.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/board/board.h"
#include "harness/runner/timing.h"

namespace lanewise {

/// One case of the board, and what is timed at it.
struct RaceTrack {
  TimingRequest timing;            ///< but for its entries
  std::vector<TimedEntry> rivals;  ///< the reference, and what else is to be a mark
  std::vector<TimedEntry> racers;  ///< as many as the board has entries; those of entries that are not fit mean nothing
  std::vector<BoardMark> measured;  ///< marks from earlier measurements, each used where nothing is timed now
  std::string measured_on;          ///< the device of these
  double flops_roof = 0;            ///< operations a second that this device reaches; 0: not known
};

struct RaceOptions {
  /// Each has a process with the case's arrays on the device, beside the reference's, and in the first group two more.
  std::size_t entries_a_group = 6;
  std::function<Expected<TimingResult>(const TimingRequest&)> timer = time_entries;
  std::function<void(const std::string&)> progress;
};

/// Gives the board's fit entries their times, and its cases, one a track, their marks; and tells device, driver and
/// clocks. Entries that break, are not right while they are timed or come under review are no longer fit. Where there
/// are several groups, the best of a first standing, as many as a group holds, are timed together again and have these
/// times. A failure says why nothing can be compared, such as a reference that was not timed.
std::optional<Failure> race(const std::vector<RaceTrack>& tracks, const RaceOptions& options, Board& board);

}  // namespace lanewise
