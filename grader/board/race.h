// Times entries against each other on a GPU: in groups that share the reference, then the best of them together.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/board/board.h"
#include "harness/runner/timing/timing.h"

namespace lanewise {

/// One case of the board, and what is timed on it.
struct RaceTrack {
  TimingRequest timing;             ///< except its entries
  std::vector<TimedEntry> rivals;   ///< the reference, and other marks
  std::vector<TimedEntry> racers;   ///< as many as the board has entries; meaningless for entries that are not fit
  std::vector<BoardMark> measured;  ///< marks from earlier measurements, each used if it is not timed now
  std::string measured_on;          ///< the device of these
  double flops_roof = 0;            ///< operations per second that this device reaches; 0: unknown
};

struct RaceOptions {
  /// Each has a process with the case's arrays on the device, in addition to the reference's and, in the first group,
  /// two more.
  std::size_t entries_a_group = 6;
  std::optional<std::size_t> finalists{};  ///< if not given, as many as a group holds
  std::function<Expected<TimingResult>(const TimingRequest&)> timer = time_entries;
  std::function<void(const std::string&)> progress;
};

/// Gives the board's fit entries their times, and its cases, one per track, their marks; also fills in device, driver
/// and clocks. Entries that break, are wrong while being timed or come under review are no longer fit. If there are
/// several groups, the best of the first standings (`finalists`) are timed together again and get those times. A
/// failure says why nothing can be compared, such as a reference that was not timed.
std::optional<Failure> race(const std::vector<RaceTrack>& tracks, const RaceOptions& options, Board& board);

}  // namespace lanewise
