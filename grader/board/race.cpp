// Group after group, case after case; then the final.
#include "grader/board/race.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/lab/measured.h"

namespace lanewise {
namespace {

class Race {
 public:
  Race(const std::vector<RaceTrack>& tracks, const RaceOptions& options, Board& board)
      : tracks_(tracks), options_(options), board_(board) {}

  std::optional<Failure> run();

 private:
  std::optional<Failure> race_group(const std::vector<std::size_t>& entries, const std::string& title);
  std::optional<Failure> race_at(std::size_t track, const std::vector<std::size_t>& entries, const std::string& title);
  void take(std::size_t track, std::size_t entry, const EntryTimes& times);
  void take_marks(std::size_t track, const TimingRequest& request, const TimingResult& result);
  bool has_mark(std::size_t track, MarkKind kind, const std::string& name) const;
  std::vector<std::size_t> best() const;

  const std::vector<RaceTrack>& tracks_;
  const RaceOptions& options_;
  Board& board_;
  std::uint64_t groups_ = 0;  // that have begun
};

MarkKind kind_of(TimedRole role) {
  return role == TimedRole::kBaseline    ? MarkKind::kNaive
         : role == TimedRole::kReference ? MarkKind::kReference
                                         : MarkKind::kPeer;
}

bool Race::has_mark(std::size_t track, MarkKind kind, const std::string& name) const {
  const std::vector<BoardMark>& marks = board_.cases[track].marks;
  return std::any_of(marks.begin(), marks.end(), [&](const BoardMark& mark) {
    return mark.kind == kind && (kind != MarkKind::kStep || mark.name == name);
  });
}

void Race::take_marks(std::size_t track, const TimingRequest& request, const TimingResult& result) {
  const RaceTrack& of = tracks_[track];
  BoardCase& each = board_.cases[track];
  each.sizes = result.sizes;
  for (std::size_t i = 0; i < of.rivals.size(); ++i) {
    const EntryTimes& times = result.entries[i];
    if (!times.trouble.empty() || !(times.ratio.milliseconds > 0)) continue;
    each.marks.push_back({kind_of(request.entries[i].role), request.entries[i].name, times.ratio.milliseconds});
    if (request.entries[i].role == TimedRole::kReference) each.reference_milliseconds = times.time.milliseconds;
  }
  if (of.measured_on == result.device)
    for (const BoardMark& mark : of.measured)
      if (!has_mark(track, mark.kind, mark.name)) each.marks.push_back(mark);
  const bool is_flops = is_arithmetic(result.work.bytes, result.work.flops);
  const double rate = !is_flops ? result.copy_rate : of.measured_on == result.device ? of.flops_roof : 0;
  const double work = is_flops ? result.work.flops : result.work.bytes;
  if (rate > 0 && work > 0 && each.reference_milliseconds > 0)
    each.marks.push_back(
        {MarkKind::kRoof, is_flops ? "arithmetic" : "copy", work / rate * 1e3 / each.reference_milliseconds});
  sort_marks(each.marks);
}

void Race::take(std::size_t track, std::size_t number, const EntryTimes& times) {
  BoardEntry& entry = board_.entries[number];
  const std::string where = fmt::format("{}, {}: ", board_.cases[track].task, board_.cases[track].name);
  const measure::Quartiles& ratio = times.ratio_quartiles;
  if (!times.trouble.empty() || !(ratio.least > 0)) {
    entry.state = EntryState::kNotTimed;
    entry.reason = where + (times.trouble.empty() ? "none of its samples can be compared" : times.trouble);
  } else if (!times.review.empty()) {
    entry.state = EntryState::kUnderReview;
    entry.reason = where + times.review;
  } else {
    entry.times.resize(tracks_.size());
    entry.times[track] = {{ratio.median, ratio.least, ratio.third}, times.time.milliseconds};
  }
}

std::optional<Failure> Race::race_at(std::size_t track, const std::vector<std::size_t>& entries,
                                     const std::string& title) {
  const RaceTrack& of = tracks_[track];
  const bool is_first = board_.cases[track].marks.empty();
  TimingRequest request = of.timing;
  for (const TimedEntry& rival : of.rivals)
    if (is_first || rival.role == TimedRole::kReference) request.entries.push_back(rival);
  const std::size_t rivals = request.entries.size();
  std::vector<std::size_t> raced;
  for (const std::size_t number : entries) {
    if (board_.entries[number].state != EntryState::kFit) continue;
    raced.push_back(number);
    request.entries.push_back(of.racers[number]);
    request.entries.back().role =
        TimedRole::kPeer;  // all alike: none of them alone decides when there are enough samples
  }
  if (raced.empty()) return std::nullopt;
  request.seed += groups_;  // one group's inputs reveal nothing about the next one's
  const std::string where = fmt::format("{} · {}, {}", title, board_.cases[track].task, board_.cases[track].name);
  if (options_.progress) {
    options_.progress(where);
    request.progress = [&](const std::string& text) { options_.progress(where + " · " + text); };
  }
  const auto result = options_.timer(request);
  if (!result) return Failure{fmt::format("{}: nothing could be timed: {}", where, result.sentence())};
  for (std::size_t i = 0; i < rivals; ++i)
    if (request.entries[i].role == TimedRole::kReference && !result->entries[i].trouble.empty())
      return Failure{fmt::format("{}: the reference could not be timed: {}", where, result->entries[i].trouble)};
  board_.device = result->device;
  board_.driver = result->driver_version;
  board_.clocks = result->clocks;
  if (is_first) take_marks(track, request, *result);
  for (std::size_t i = 0; i < raced.size(); ++i) take(track, raced[i], result->entries[rivals + i]);
  return std::nullopt;
}

std::optional<Failure> Race::race_group(const std::vector<std::size_t>& entries, const std::string& title) {
  ++groups_;
  for (std::size_t track = 0; track < tracks_.size(); ++track)
    if (auto failure = race_at(track, entries, title)) return failure;
  return std::nullopt;
}

std::vector<std::size_t> Race::best() const {
  std::vector<std::size_t> best;
  for (const Place& place : standings(board_.entries, board_.weights))
    if (place.rank > 0 && best.size() < options_.finalists.value_or(options_.entries_a_group))
      best.push_back(place.entry);
  return best;
}

std::optional<Failure> Race::run() {
  std::vector<std::size_t> fit;
  for (std::size_t i = 0; i < board_.entries.size(); ++i)
    if (board_.entries[i].state == EntryState::kFit) fit.push_back(i);
  const std::size_t size = options_.entries_a_group;
  const std::size_t groups = (fit.size() + size - 1) / size;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::vector<std::size_t> entries(
        fit.begin() + static_cast<std::ptrdiff_t>(group * size),
        fit.begin() + static_cast<std::ptrdiff_t>(std::min(fit.size(), (group + 1) * size)));
    if (auto failure = race_group(entries, fmt::format("group {} of {}", group + 1, groups))) return failure;
  }
  return groups > 1 ? race_group(best(), "the final") : std::nullopt;
}

}  // namespace

std::optional<Failure> race(const std::vector<RaceTrack>& tracks, const RaceOptions& options, Board& board) {
  return Race(tracks, options, board).run();
}

}  // namespace lanewise
