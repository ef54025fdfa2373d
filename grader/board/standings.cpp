// Geometric means, scores, then ranks from the best down.
#include "grader/board/standings.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace lanewise {
namespace {

double mean_over_cases(const BoardEntry& entry, double PairedRatio::*part) {
  std::vector<double> values;
  values.reserve(entry.times.size());
  for (const CaseTime& time : entry.times) values.push_back(time.ratio.*part);
  return geometric_mean(values);
}

double score_of(const BoardEntry& entry, const Weights& weights, double fastest, double ratio) {
  const double sum = weights.time + weights.correctness + weights.clarity;
  return 100 *
         (weights.time * fastest / ratio + weights.correctness * entry.correctness + weights.clarity * entry.clarity) /
         sum;
}

// Of places that are sorted from the best down.
void give_ranks(std::vector<Place>& ranked) {
  double least_score = 0;  // of those who have the current rank
  std::size_t first = 0;   // of them
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const bool is_apart = i == 0 || ranked[i].score_high * (1 + kLeastGap) <= least_score;
    if (is_apart) first = i;
    least_score = is_apart ? ranked[i].score_low : std::min(least_score, ranked[i].score_low);
    ranked[i].rank = static_cast<int>(first) + 1;
    ranked[first].is_shared = ranked[i].is_shared = first != i;
  }
}

}  // namespace

const char* state_text(EntryState state) {
  switch (state) {
    case EntryState::kFit:
      return "right and clean";
    case EntryState::kUnderReview:
      return "under review";
    case EntryState::kNotTimed:
      return "not timed";
    case EntryState::kUnclean:
      return "not clean";
    case EntryState::kWrong:
      return "wrong";
    case EntryState::kRefused:
      return "refused";
    case EntryState::kIncomplete:
      return "not complete";
    case EntryState::kNotGraded:
      return "not graded";
  }
  return "";
}

bool is_disqualifying(EntryState state) {
  return state == EntryState::kUnderReview || state == EntryState::kUnclean || state == EntryState::kWrong ||
         state == EntryState::kRefused;
}

bool are_apart(const PairedRatio& a, const PairedRatio& b) {
  return a.high * (1 + kLeastGap) <= b.low || b.high * (1 + kLeastGap) <= a.low;
}

double geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::vector<Place> standings(const std::vector<BoardEntry>& entries, const Weights& weights) {
  std::vector<Place> ranked;
  std::vector<Place> others;
  double fastest = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Place place;
    place.entry = i;
    if (entries[i].state != EntryState::kFit) {
      others.push_back(place);
      continue;
    }
    place.ratio = {mean_over_cases(entries[i], &PairedRatio::value), mean_over_cases(entries[i], &PairedRatio::low),
                   mean_over_cases(entries[i], &PairedRatio::high)};
    fastest = ranked.empty() ? place.ratio.value : std::min(fastest, place.ratio.value);
    ranked.push_back(place);
  }
  for (Place& place : ranked) {
    const BoardEntry& entry = entries[place.entry];
    place.score = score_of(entry, weights, fastest, place.ratio.value);
    place.score_low = score_of(entry, weights, fastest, place.ratio.high);
    place.score_high = score_of(entry, weights, fastest, place.ratio.low);
  }
  // A chain of intervals is found whole only from the highest upper end down.
  std::sort(ranked.begin(), ranked.end(), [&entries](const Place& a, const Place& b) {
    return std::tie(b.score_high, entries[a.entry].name) < std::tie(a.score_high, entries[b.entry].name);
  });
  give_ranks(ranked);
  std::sort(ranked.begin(), ranked.end(), [&entries](const Place& a, const Place& b) {
    return std::tie(a.rank, b.score, entries[a.entry].name) < std::tie(b.rank, a.score, entries[b.entry].name);
  });
  std::sort(others.begin(), others.end(), [&entries](const Place& a, const Place& b) {
    return std::tie(entries[a.entry].state, entries[a.entry].name) <
           std::tie(entries[b.entry].state, entries[b.entry].name);
  });
  ranked.insert(ranked.end(), others.begin(), others.end());
  return ranked;
}

}  // namespace lanewise
