// Compares boards in pairs of entries.
#include "grader/board/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace lanewise {
namespace {

// Who an entry is, from board to board.
using Identity = std::pair<std::string, std::string>;

struct Standing {
  const BoardEntry* entry = nullptr;
  const Place* place = nullptr;
};

std::map<Identity, Standing> standings_of(const Board& board) {
  std::map<Identity, Standing> standings;
  for (const Place& place : board.places) {
    const BoardEntry& entry = board.entries[place.entry];
    standings[{entry.id, entry.nickname}] = {&entry, &place};
  }
  return standings;
}

bool are_comparable(const Board& a, const Board& b) {
  const auto is_same_case = [](const BoardCase& x, const BoardCase& y) {
    return std::tie(x.lab, x.task, x.name) == std::tie(y.lab, y.task, y.name);
  };
  const auto key = [](const Board& board) {
    return std::tie(board.is_modelled, board.device, board.weights.time, board.weights.correctness,
                    board.weights.clarity);
  };
  return key(a) == key(b) && std::equal(a.cases.begin(), a.cases.end(), b.cases.begin(), b.cases.end(), is_same_case);
}

std::set<std::pair<std::string, std::vector<std::string>>> submissions_of(const Board& board) {
  std::set<std::pair<std::string, std::vector<std::string>>> submissions;
  for (const BoardEntry& entry : board.entries) submissions.emplace(entry.id, entry.contents);
  return submissions;
}

PastResult result_of(const Board& board, const Standing& then, const BoardEntry& now) {
  PastResult result;
  result.made = board.made;
  result.submitted = known_date(then.entry->submitted, board.made);
  if (then.place->rank == 0) return result;
  // A race finds what no verdict says.
  const bool is_disqualified = is_disqualifying(now.state) && then.entry->contents == now.contents;
  const auto is_unfit = [&now](const std::string& content) { return now.unfit.count(content) != 0; };
  const std::vector<std::string>& contents = then.entry->contents;
  result.is_withdrawn = is_disqualified || std::any_of(contents.begin(), contents.end(), is_unfit);
  if (result.is_withdrawn) return result;
  result.rank = then.place->rank;
  result.is_shared = then.place->is_shared;
  result.ratio = then.place->ratio;
  return result;
}

bool has_changed(const Standing& then, const Standing& now) {
  return are_apart(then.place->ratio, now.place->ratio) || then.entry->correctness != now.entry->correctness ||
         then.entry->clarity != now.entry->clarity;
}

bool is_ranked(const std::map<Identity, Standing>& standings, const Identity& who) {
  const auto found = standings.find(who);
  return found != standings.end() && found->second.place->rank > 0;
}

// A rank is one more than the number of those ahead, so that changes can be counted rival by rival.
std::optional<int> climb(const Identity& who, const std::map<Identity, Standing>& before,
                         const std::map<Identity, Standing>& after) {
  if (!is_ranked(before, who) || !is_ranked(after, who)) return std::nullopt;
  const Standing& then = before.at(who);
  const Standing& now = after.at(who);
  const bool has_own_changed = has_changed(then, now);
  int climbed = then.place->rank - now.place->rank;
  for (const auto& [rival, standing] : after) {
    if (!is_ranked(before, rival) || standing.place->rank == 0) continue;
    const Standing& earlier = before.at(rival);
    if (has_own_changed || has_changed(earlier, standing)) continue;
    climbed -= int{earlier.place->rank < then.place->rank} - int{standing.place->rank < now.place->rank};
  }
  return climbed;
}

}  // namespace

void compare_with(const std::vector<Board>& earlier, Board& board) {
  std::vector<const Board*> compared;
  board.left_out = 0;
  for (const Board& each : earlier) {
    if (!are_comparable(each, board)) {
      ++board.left_out;
      continue;
    }
    if (!compared.empty() && submissions_of(*compared.back()) == submissions_of(each)) compared.pop_back();
    compared.push_back(&each);
  }
  if (!compared.empty() && submissions_of(*compared.back()) == submissions_of(board)) compared.pop_back();

  board.dates.clear();
  for (BoardEntry& entry : board.entries) entry.history.clear();
  const std::map<Identity, Standing> now = standings_of(board);
  const auto add = [&board](const Board& from, const std::map<Identity, Standing>& standings) {
    for (BoardEntry& entry : board.entries)
      if (const auto found = standings.find({entry.id, entry.nickname}); found != standings.end())
        entry.history.push_back(result_of(from, found->second, entry));
  };
  for (const Board* const each : compared) {
    board.dates.push_back(each->made);
    add(*each, standings_of(*each));
  }
  add(board, now);
  const std::map<Identity, Standing> before =
      compared.empty() ? std::map<Identity, Standing>() : standings_of(*compared.back());
  for (BoardEntry& entry : board.entries) entry.climbed = climb({entry.id, entry.nickname}, before, now);
}

const PastResult* best_of(const std::vector<PastResult>& history, std::size_t count) {
  const PastResult* best = nullptr;
  for (std::size_t i = 0; i < count; ++i)
    if (history[i].rank > 0 && (best == nullptr || history[i].ratio.value < best->ratio.value)) best = &history[i];
  return best;
}

std::string progress_text(const std::vector<PastResult>& history, std::size_t which) {
  const PastResult& result = history[which];
  if (result.rank == 0) return "";
  const PastResult* const best = best_of(history, which);
  if (best == nullptr) return "first time";
  if (!are_apart(result.ratio, best->ratio)) return "no difference";
  const double change = result.ratio.value / best->ratio.value - 1;
  return fmt::format("{:.1f} % {} time", 100 * std::abs(change), change < 0 ? "less" : "more");
}

}  // namespace lanewise
