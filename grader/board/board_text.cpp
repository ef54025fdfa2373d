// One line per entry; the axis is logarithmic, as on the page.
#include "grader/board/board_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/exports/counted.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

constexpr std::size_t kWidestName = 22;
constexpr std::size_t kWidestId = 16;
constexpr std::size_t kChange = 6;
constexpr std::size_t kDate = 16;          // "2026-11-22 19:40"
constexpr std::size_t kLeastDrawing = 20;  // columns; with fewer, nothing is drawn
constexpr std::size_t kMostDrawing = 60;

std::string padded(const std::string& text, std::size_t columns) {
  const std::string line = safe_line(text);
  const std::size_t has = columns_of(line);
  return has > columns ? first_columns(line, columns - 1) + "…" : line + std::string(columns - has, ' ');
}

char letter_of(MarkKind kind) {
  switch (kind) {
    case MarkKind::kNaive:
      return 'N';
    case MarkKind::kStep:
      return 's';
    case MarkKind::kReference:
      return 'R';
    case MarkKind::kPeer:
      return 'L';
    case MarkKind::kRoof:
      return '^';
    case MarkKind::kGhost:
      return 'G';
  }
  return ' ';
}

class BoardText {
 public:
  BoardText(const Board& board, const TextStyle& style) : board_(board), style_(style) {}
  std::string render();

 private:
  void line(const std::string& text) { out_ += (style_.utf8 ? text : ascii_text(text)) + "\n"; }
  void set_columns();
  std::size_t column_of(double ratio) const;
  std::string marks_drawn() const;
  std::string drawn(const PairedRatio& ratio) const;
  void marks_in_words();
  void dates();

  const Board& board_;
  const TextStyle& style_;
  std::size_t name_ = 4;
  std::size_t id_ = 2;
  std::size_t ratio_ = 12;
  std::size_t drawing_ = 0;
  double least_ = 1;
  double most_ = 1;
  std::string out_;
};

void BoardText::set_columns() {
  const auto take = [this](double ratio) {
    least_ = std::min(least_, ratio);
    most_ = std::max(most_, ratio);
  };
  for (const BoardMark& mark : board_.marks) take(mark.ratio);
  for (const Place& place : board_.places) {
    const BoardEntry& entry = board_.entries[place.entry];
    name_ = std::clamp(columns_of(safe_line(entry.name)), name_, kWidestName);
    id_ = std::clamp(columns_of(safe_line(entry.id)), id_, kWidestId);
    if (place.rank == 0) continue;
    ratio_ = std::max(ratio_, ratio_with_interval(place.ratio).size());
    take(place.ratio.low);
    take(place.ratio.high);
  }
  most_ = std::max(most_, 1.01 * least_);
  const std::size_t taken = 2 + 10 + 2 + (board_.since() != 0 ? kChange + 2 : 0) + name_ + 2 + id_ + 2 + ratio_ + 2;
  const std::size_t left = style_.width > taken ? style_.width - taken : 0;
  drawing_ = left >= kLeastDrawing ? std::min(left, kMostDrawing) : 0;
}

std::size_t BoardText::column_of(double ratio) const {
  const double share = std::log(ratio / least_) / std::log(most_ / least_);
  return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(drawing_ - 1)));
}

// Later kinds stand before earlier ones where two share a column.
std::string BoardText::marks_drawn() const {
  std::string drawing(drawing_, ' ');
  for (const MarkKind kind :
       {MarkKind::kStep, MarkKind::kNaive, MarkKind::kRoof, MarkKind::kGhost, MarkKind::kPeer, MarkKind::kReference})
    for (const BoardMark& mark : board_.marks)
      if (mark.kind == kind) drawing[column_of(mark.ratio)] = letter_of(kind);
  return drawing;
}

std::string BoardText::drawn(const PairedRatio& ratio) const {
  const std::size_t low = column_of(ratio.low);
  const std::size_t high = column_of(ratio.high);
  const std::size_t median = column_of(ratio.value);
  std::string drawing;
  for (std::size_t i = 0; i <= high; ++i)
    drawing += i == median ? "●" : i < low ? " " : i == low ? "[" : i == high ? "]" : "-";
  return drawing;
}

void BoardText::marks_in_words() {
  for (const BoardMark& mark : board_.marks)
    line(fmt::format("  {}  {}{}{} {:.3f}", letter_of(mark.kind), mark_text(mark.kind), mark.name.empty() ? "" : ", ",
                     safe_line(mark.name), mark.ratio));
}

// As many of the earlier boards as fit, the newest last.
void BoardText::dates() {
  const auto minute = [](std::int64_t moment) { return submitted_text(moment).substr(0, kDate); };
  const std::size_t left = style_.width - std::min(style_.width, 2 + name_ + 2 + kDate);
  const std::size_t shown = std::min(board_.dates.size(), left / (2 + kDate));
  const std::vector<std::int64_t> dates(board_.dates.end() - static_cast<std::ptrdiff_t>(shown), board_.dates.end());
  line("");
  if (shown > 0) line("  Time ÷ reference and rank on earlier boards:");
  std::string heading = fmt::format("  {}  {}", padded("name", name_), padded("submitted (UTC)", kDate));
  for (const std::int64_t date : dates) heading += "  " + minute(date);
  line(heading);
  for (const Place& place : board_.places) {
    const BoardEntry& entry = board_.entries[place.entry];
    const std::int64_t submitted = known_date(entry.submitted, board_.made);
    std::string text = fmt::format("  {}  {}", padded(entry.name, name_),
                                   padded(submitted == 0 ? "unknown" : minute(submitted), kDate));
    for (const std::int64_t date : dates) {
      const auto then = std::find_if(entry.history.begin(), entry.history.end(),
                                     [date](const PastResult& each) { return each.made == date; });
      const bool is_there = then != entry.history.end();
      text += "  " + padded(is_there && then->rank > 0       ? fmt::format("{:.3f} ({})", then->ratio.value, then->rank)
                            : is_there && then->is_withdrawn ? "withdrawn"
                                                             : "–",
                            kDate);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    line(text);
  }
}

std::string BoardText::render() {
  set_columns();
  line(safe_line(board_.title));
  line(fmt::format("{} · time as a multiple of the reference's", how_timed(board_)));
  line(fmt::format("made {}{}", submitted_text(board_.made), dates_text(board_, " · ")));
  for (const std::string& each : wrap_line(what_changes_mean(board_), style_.width)) line(each);
  line("");
  const bool has_changes = board_.since() != 0;
  line(fmt::format("  {:<10}  {}{}  {}  {:<{}}  {}", "rank", has_changes ? "change  " : "", padded("name", name_),
                   padded("id", id_), "÷ reference", ratio_, drawing_ > 0 ? marks_drawn() : ""));
  for (const Place& place : board_.places) {
    const BoardEntry& entry = board_.entries[place.entry];
    const std::string start = fmt::format("  {}  {}{}  {}  ", padded(rank_text(place), 10),
                                          has_changes ? padded(change_text(entry), kChange) + "  " : "",
                                          padded(entry.name, name_), padded(entry.id, id_));
    if (place.rank == 0) {
      line(start + fmt::format("{}: {}", state_text(entry.state), safe_line(entry.reason)));
      continue;
    }
    std::string text = start + padded(ratio_with_interval(place.ratio), ratio_);
    if (drawing_ > 0) text += "  " + drawn(place.ratio);
    if (!board_.weights.is_time_alone()) text += fmt::format("  score {:.1f}", place.score);
    line(text);
  }
  line("");
  marks_in_words();
  dates();
  return std::move(out_);
}

}  // namespace

std::string board_text(const Board& board, const TextStyle& style) { return BoardText(board, style).render(); }

}  // namespace lanewise
