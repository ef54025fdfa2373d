// Ranks: a pure function of the times of all entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
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

/// Whether the state says something against what was submitted, rather than that it could not be judged.
bool is_disqualifying(EntryState state);

/// An entry's result on one board.
struct PastResult {
  std::int64_t made = 0;       ///< when that board was made
  std::int64_t submitted = 0;  ///< as BoardEntry::submitted
  int rank = 0;                ///< 0: none
  bool is_shared = false;
  PairedRatio ratio;          ///< only with a rank
  bool is_withdrawn = false;  ///< what had this rank has since been found not to be right and clean
};

struct BoardEntry {
  std::string id;                     ///< Student::id; not shown on boards
  std::string name;                   ///< as shown on boards
  std::string nickname;               ///< as chosen, without a number; empty: anonymous
  std::vector<std::string> contents;  ///< hashes of what counts, one per task; fewer if something is missing
  std::set<std::string> unfit;        ///< hashes of everything submitted that is known not to be right and clean
  std::int64_t submitted = 0;         ///< the last of `contents`; seconds since 1970 in UTC; 0: unknown
  std::string not_counted;            ///< which submissions the competition's dates or limits leave out; empty: none
  EntryState state = EntryState::kFit;
  std::string reason;               ///< a sentence for every other state
  std::vector<CaseTime> times;      ///< one per case of the competition; only for kFit
  double correctness = 0;           ///< share of the points of all cases, 0 to 1
  double clarity = 0;               ///< share of the points that the instructor may give, 0 to 1
  std::vector<PastResult> history;  ///< the newest last, which is this board's; filled in by compare_with()
  std::optional<int> climbed;       ///< ranks gained since Board::since(); nothing: new, or without a rank
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

/// Whether two times differ by more than noise: their intervals are at least kLeastGap apart.
bool are_apart(const PairedRatio& a, const PairedRatio& b);

/// Places of all entries: those with a rank first, by score, then the others by state and name. Two entries share a
/// rank if the intervals of their scores are less than kLeastGap apart, or if a chain of such pairs connects them; the
/// rank after one shared by n entries is n higher. Entries of kFit all have the same number of times, at least one, all
/// above 0.
std::vector<Place> standings(const std::vector<BoardEntry>& entries, const Weights& weights);

/// exp of the mean of logarithms; all `values` are above 0. 0 if there are none.
double geometric_mean(const std::vector<double>& values);

}  // namespace lanewise
