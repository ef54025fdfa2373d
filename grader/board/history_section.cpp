// <details> need no script and can be opened from the keyboard.
#include "grader/board/history_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/board/history.h"
#include "grader/board/table_region.h"
#include "grader/exports/counted.h"
#include "harness/report/safe_text.h"

namespace lanewise {

namespace {

// In units of the view box.
constexpr double kStepsWidth = 144;
constexpr double kStepsHeight = 28;
constexpr double kStepsMargin = 4;

class Scale {
 public:
  Scale(double low, double high, double begin, double end) : low_(low), high_(high), begin_(begin), end_(end) {}
  double at(double value) const {
    const double share = high_ > low_ ? std::clamp((value - low_) / (high_ - low_), 0.0, 1.0) : 0.5;
    return begin_ + share * (end_ - begin_);
  }

 private:
  double low_;
  double high_;
  double begin_;
  double end_;
};

// A line for the best so far, and a dot for each board. All entries share the axis of dates; slow is at the top.
std::string step_picture(const Board& board, const std::vector<PastResult>& history) {
  double least = 0;
  double most = 0;
  bool is_first = true;
  for (const PastResult& each : history) {
    if (each.rank == 0) continue;
    const double value = std::log(each.ratio.value);
    least = is_first ? value : std::min(least, value);
    most = is_first ? value : std::max(most, value);
    is_first = false;
  }
  const auto first = static_cast<double>(board.dates.front());
  const Scale dates(first, static_cast<double>(board.made), kStepsMargin, kStepsWidth - kStepsMargin);
  const Scale times(least, most, kStepsHeight - kStepsMargin, kStepsMargin);
  std::string path;
  std::string dots;
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (history[i].rank == 0) continue;
    const double x = dates.at(static_cast<double>(history[i].made));
    const double best = times.at(std::log(best_of(history, i + 1)->ratio.value));
    path += path.empty() ? fmt::format("M{:.1f} {:.1f}", x, best) : fmt::format("H{:.1f}V{:.1f}", x, best);
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\"/>", x, times.at(std::log(history[i].ratio.value)));
  }
  if (!path.empty()) path += fmt::format("H{:.1f}", kStepsWidth - kStepsMargin);
  return fmt::format("<svg class=\"steps\" viewBox=\"0 0 {:g} {:g}\" aria-hidden=\"true\"><path d=\"{}\"/>{}</svg>",
                     kStepsWidth, kStepsHeight, path, dots);
}

std::string table_of(const std::string& name, const std::vector<PastResult>& history) {
  std::string rows;
  for (std::size_t i = history.size(); i-- > 0;) {
    const PastResult& each = history[i];
    rows += fmt::format("<tr data-key=\"{}\"><td class=\"date\">{}</td><td class=\"date\">{}</td>", each.made,
                        submitted_text(each.made), each.submitted == 0 ? "unknown" : submitted_text(each.submitted));
    if (each.rank == 0)
      rows += fmt::format("<td>–</td><td></td><td>{}</td></tr>\n",
                          each.is_withdrawn ? "withdrawn: not right and clean after all" : "without a rank");
    else
      rows += fmt::format("<td>{}{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n", each.rank,
                          each.is_shared ? ", shared" : "", ratio_with_interval(each.ratio), progress_text(history, i));
  }
  return begin_table("", "History of " + name, Sorting::kNone) +
         "<thead><tr><th scope=\"col\">board of</th><th scope=\"col\">submitted</th><th scope=\"col\">rank</th><th "
         "class=\"number\" scope=\"col\">time ÷ reference</th><th scope=\"col\">against the best "
         "before</th></tr></thead>\n<tbody>\n" +
         rows + kTableEnd;
}

std::string times_in_words(const std::vector<PastResult>& history) {
  const auto first = std::find_if(history.begin(), history.end(), [](const PastResult& each) { return each.rank > 0; });
  const PastResult* const best = best_of(history, history.size());
  if (best == nullptr || first == history.end()) return "no time that counts";
  return best == &*first ? fmt::format("best {:.3f}", best->ratio.value)
                         : fmt::format("first {:.3f}, best {:.3f}", first->ratio.value, best->ratio.value);
}

}  // namespace

std::string history_section(const Board& board) {
  if (board.dates.empty()) return "";
  std::string out =
      "<section id=\"history\">\n<h2><span>History</span></h2>\n<p class=\"dim\">The line is an entry's best time so "
      "far, from " +
      submitted_text(board.dates.front()) + " to " + submitted_text(board.made) +
      "; the dots are its times on each board; higher means slower.</p>\n";
  for (const Place& place : board.places) {
    const BoardEntry& entry = board.entries[place.entry];
    const bool was_ranked = std::any_of(entry.history.begin(), entry.history.end(),
                                        [](const PastResult& each) { return each.rank > 0 || each.is_withdrawn; });
    if (!was_ranked) continue;
    out += fmt::format(
        "<details data-key=\"entry {0}\"><summary><span class=\"name\">{0}</span>{1}<span class=\"times "
        "dim\">{2}</span></summary>\n{3}</details>\n",
        html_text(safe_line(entry.name)), step_picture(board, entry.history), times_in_words(entry.history),
        table_of(entry.name, entry.history));
  }
  return out + "</section>\n";
}

}  // namespace lanewise
