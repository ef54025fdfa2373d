// The current state of a competition: what JSON, table and page show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "grader/board/standings.h"

namespace lanewise {

/// Incremented whenever a field of standings.json changes meaning.
inline constexpr int kBoardSchemaVersion = 1;

enum class MarkKind : std::uint8_t { kNaive, kStep, kReference, kPeer, kRoof, kGhost };

/// "naive step", "ladder step", "reference step", "library", "roof", "earlier winner"
const char* mark_text(MarkKind kind);

/// A reference mark that entries are compared with.
struct BoardMark {
  MarkKind kind = MarkKind::kStep;
  std::string name;  ///< file name; a roof's kind: "bandwidth"; "last year". Empty if it stands for several tasks
  double ratio = 0;  ///< its time as a multiple of the reference's
};

struct BoardCase {
  std::string lab;
  std::string task;
  std::string name;
  std::string sizes;                  ///< its scalars; may be empty
  double reference_milliseconds = 0;  ///< of the reference; 0: unknown
  std::vector<BoardMark> marks;       ///< from slow to fast
};

struct Board {
  std::string title;
  std::int64_t made = 0;     ///< seconds since 1970 in UTC
  std::int64_t opens = 0;    ///< the competition; 0: unknown
  std::int64_t ends = 0;     ///< the competition; 0: unknown
  std::int64_t frozen = 0;   ///< nothing newer than this is shown; 0: the board is not frozen
  std::int64_t reveal = 0;   ///< the end of the freeze; 0: unknown
  bool is_modelled = false;  ///< times are from the virtual GPU's model of the device
  std::string device;        ///< "NVIDIA H200", "h200" of a modelled time
  std::string compiler;      ///< "nvcc 13.0.88"
  std::string driver;        ///< may be empty
  std::string clocks;        ///< the device's clocks during the race; may be empty
  Weights weights;
  std::vector<BoardCase> cases;
  std::vector<BoardMark> marks;     ///< over all cases: geometric means of the marks that every case has
  std::vector<BoardEntry> entries;  ///< their times are in the order of `cases`
  std::vector<Place> places;
  std::vector<std::int64_t> dates;  ///< of the earlier boards in its entries' histories, the oldest first
  std::size_t left_out = 0;         ///< earlier boards whose times or ranks mean something else

  /// When the board was made that changes of rank refer to; 0: there is none.
  std::int64_t since() const { return dates.empty() ? 0 : dates.back(); }
};

/// Marks of all cases together, from slow to fast.
std::vector<BoardMark> marks_over_all(const std::vector<BoardCase>& cases);

/// Sorts from slow to fast; equal marks by kind and name.
void sort_marks(std::vector<BoardMark>& marks);

/// "2, shared", "3"; "–" without a rank.
std::string rank_text(const Place& place);

/// "1.23 [1.20, 1.26]"; without the interval if rounding hides it.
std::string ratio_with_interval(const PairedRatio& ratio);

/// "▲2", "▼1", "=", "new", "back" if it had a rank earlier than on the last board, "–" without a rank; in words:
/// "up 2", "down 1", "unchanged", "new", "back", "".
std::string change_text(const BoardEntry& entry);
std::string change_in_words(const BoardEntry& entry);

/// `submitted`, or 0 if it is unknown, before 1970, or later than the board that was made of it.
std::int64_t known_date(std::int64_t submitted, std::int64_t made);

/// "2026-11-22 19:40 UTC", or that the date is unknown, and why.
std::string submission_date_text(std::int64_t submitted, std::int64_t made);

/// "opens 2026-11-30 07:00 UTC" before that, "ends 2026-12-18 22:59 UTC" or "ended ...", each behind `separator`; empty
/// if neither is known.
std::string dates_text(const Board& board, const char* separator);

/// Since when and until when the board is frozen, and what that means; empty if it is not frozen.
std::string freeze_text(const Board& board);

/// A sentence or two: which board changes of rank refer to, or that there is none.
std::string what_changes_mean(const Board& board);

/// "modelled on h200, nothing was measured", "measured on NVIDIA H200".
std::string how_timed(const Board& board);

}  // namespace lanewise
