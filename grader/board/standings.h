// Ranks: a pure function of the times of all entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lanewise {

/// A time as a multiple of the reference's, measured in pairs: the median, the smallest and the third quartile. All
/// three are equal if nothing is random, as in modelled times.
struct PairedRatio {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// One entry on one case.
struct CaseTime {
  PairedRatio ratio;
  double milliseconds = 0;  ///< median, or the modelled time
};

/// Why an entry has a rank, or none; in the order in which entries without one are listed.
enum class EntryState : std::uint8_t {
  kFit,
  kUnderReview,
  kNotTimed,
  kUnclean,
  kWrong,
  kRefused,
  kIncomplete,
  kNotGraded
};

/// "right and clean", "under review", ...
const char* state_text(EntryState state);

struct BoardEntry {
  std::string id;    ///< Student::id; not shown on boards
  std::string name;  ///< as shown on boards
  EntryState state = EntryState::kFit;
  std::string reason;           ///< a sentence for every other state
  std::vector<CaseTime> times;  ///< one per case of the competition; only for kFit
  double correctness = 0;       ///< share of the points of all cases, 0 to 1
  double clarity = 0;           ///< share of the points that the instructor may give, 0 to 1
};

/// Weights of the final score; only their proportions matter.
struct Weights {
  double time = 1;
  double correctness = 0;
  double clarity = 0;

  bool is_time_alone() const { return !(correctness > 0) && !(clarity > 0); }
};

/// A line of the standings.
struct Place {
  std::size_t entry = 0;   ///< position among the entries
  int rank = 0;            ///< from 1; 0: none
  bool is_shared = false;  ///< somebody else has the same rank
  PairedRatio ratio;       ///< over all cases: geometric means; only for kFit
  double score = 0;        ///< out of 100; `time` counts as the fastest entry's ratio over this one's
  double score_low = 0;    ///< by the ends of the interval of `ratio`
  double score_high = 0;
};

/// Entries whose intervals are closer than this fraction cannot be told apart.
inline constexpr double kLeastGap = 0.005;

/// Places of all entries: those with a rank first, by score, then the others by state and name. Two entries share a
/// rank if the intervals of their scores are less than kLeastGap apart, or if a chain of such pairs connects them; the
/// rank after one shared by n entries is n higher. Entries of kFit all have the same number of times, at least one, all
/// above 0.
std::vector<Place> standings(const std::vector<BoardEntry>& entries, const Weights& weights);

/// exp of the mean of logarithms; all `values` are above 0. 0 if there are none.
double geometric_mean(const std::vector<double>& values);

}  // namespace lanewise
