// Marks of several cases together, and the words that table and page share.
#include "grader/board/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "grader/exports/counted.h"

namespace lanewise {
namespace {

// Steps of different ladders have nothing in common but their parts: naive step, reference, library, roof.
bool is_same(const BoardMark& a, const BoardMark& b) {
  const bool has_own_name = a.kind == MarkKind::kStep || a.kind == MarkKind::kGhost;
  return a.kind == b.kind && (!has_own_name || a.name == b.name);
}

// Without a rank on the last board; perhaps it had one before.
const char* newcomer(const BoardEntry& entry) {
  const auto is_earlier = [](const PastResult& each) { return each.rank > 0; };
  return std::count_if(entry.history.begin(), entry.history.end(), is_earlier) > 1 ? "back" : "new";
}

}  // namespace

const char* mark_text(MarkKind kind) {
  switch (kind) {
    case MarkKind::kNaive:
      return "naive step";
    case MarkKind::kStep:
      return "ladder step";
    case MarkKind::kReference:
      return "reference step";
    case MarkKind::kPeer:
      return "library";
    case MarkKind::kRoof:
      return "roof";
    case MarkKind::kGhost:
      return "earlier winner";
  }
  return "";
}

void sort_marks(std::vector<BoardMark>& marks) {
  std::sort(marks.begin(), marks.end(), [](const BoardMark& a, const BoardMark& b) {
    return std::tie(b.ratio, a.kind, a.name) < std::tie(a.ratio, b.kind, b.name);
  });
}

std::vector<BoardMark> marks_over_all(const std::vector<BoardCase>& cases) {
  std::vector<BoardMark> marks;
  if (cases.empty()) return marks;
  for (const BoardMark& first : cases.front().marks) {
    std::vector<double> ratios;
    bool has_one_name = true;
    for (const BoardCase& each : cases) {
      const auto found = std::find_if(each.marks.begin(), each.marks.end(),
                                      [&first](const BoardMark& mark) { return is_same(first, mark); });
      if (found == each.marks.end()) break;
      has_one_name = has_one_name && found->name == first.name;
      ratios.push_back(found->ratio);
    }
    if (ratios.size() == cases.size())
      marks.push_back({first.kind, has_one_name ? first.name : "", geometric_mean(ratios)});
  }
  sort_marks(marks);
  return marks;
}

std::string rank_text(const Place& place) {
  if (place.rank == 0) return "–";
  return fmt::format("{}{}", place.rank, place.is_shared ? ", shared" : "");
}

std::string ratio_with_interval(const PairedRatio& ratio) {
  const std::string value = fmt::format("{:.3f}", ratio.value);
  const std::string low = fmt::format("{:.3f}", ratio.low);
  const std::string high = fmt::format("{:.3f}", ratio.high);
  return low == value && high == value ? value : fmt::format("{} [{}, {}]", value, low, high);
}

std::string change_text(const BoardEntry& entry) {
  if (entry.state != EntryState::kFit) return "–";
  if (!entry.climbed) return newcomer(entry);
  return *entry.climbed == 0 ? "=" : fmt::format("{}{}", *entry.climbed > 0 ? "▲" : "▼", std::abs(*entry.climbed));
}

std::string change_in_words(const BoardEntry& entry) {
  if (entry.state != EntryState::kFit) return "";
  if (!entry.climbed) return newcomer(entry);
  return *entry.climbed == 0 ? "unchanged"
                             : fmt::format("{} {}", *entry.climbed > 0 ? "up" : "down", std::abs(*entry.climbed));
}

std::int64_t known_date(std::int64_t submitted, std::int64_t made) {
  return submitted > 0 && submitted <= made ? submitted : 0;
}

std::string submission_date_text(std::int64_t submitted, std::int64_t made) {
  if (submitted <= 0) return "unknown";
  return submitted > made ? "unknown: the file's date is in the future" : submitted_text(submitted);
}

std::string dates_text(const Board& board, const char* separator) {
  std::string text;
  if (board.made < board.opens) text += fmt::format("{}opens {}", separator, submitted_text(board.opens));
  if (board.ends != 0)
    text += fmt::format("{}{} {}", separator, board.made < board.ends ? "ends" : "ended", submitted_text(board.ends));
  return text;
}

std::string freeze_text(const Board& board) {
  if (board.frozen == 0) return "";
  return fmt::format("Frozen since {}. {} The standings will be revealed{}.", submitted_text(board.frozen),
                     board.made == 0 ? "There was no board before that."
                                     : "This is the last board before that; it shows no later submissions.",
                     board.reveal == 0 ? "" : " after " + submitted_text(board.reveal));
}

std::string what_changes_mean(const Board& board) {
  std::string sentence = board.since() == 0
                             ? "There is no earlier board of other submissions to compare ranks with."
                             : fmt::format("Changes of rank are since the board of {}.", submitted_text(board.since()));
  if (board.left_out > 0)
    sentence +=
        fmt::format(" {} of another device, with other cases or with other weights {} left out.",
                    board.left_out == 1 ? "One earlier board" : fmt::format("{} earlier boards", board.left_out),
                    board.left_out == 1 ? "is" : "are");
  return sentence;
}

std::string how_timed(const Board& board) {
  return board.is_modelled
             ? fmt::format("modelled on the {} profile of the virtual GPU; nothing was measured", board.device)
             : "measured on " + board.device;
}

}  // namespace lanewise
