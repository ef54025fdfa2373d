// Names on the left, intervals, numbers on the right; marks are lines from top to bottom, with their names above.
#include "grader/board/interval_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "grader/plots/axis.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

// In units of the view box, which is as wide as the page's text.
constexpr double kWidth = 920;
constexpr double kLeft = 190;
constexpr double kRight = 740;
constexpr double kRow = 26;
constexpr double kLane = 15;       // of marks' names
constexpr double kColumn = 6.4;    // of their letters, rather more than they take
constexpr double kLeastWidth = 3;  // so that an interval of no width is seen
constexpr std::size_t kLongestName = 24;

struct NamedLine {
  const BoardMark* mark = nullptr;
  std::string words;
  double x = 0;
  double begin = 0;  // of the words
  std::size_t lane = 0;
};

std::string cut(const std::string& text) {
  const std::string line = safe_line(text);
  return columns_of(line) <= kLongestName ? line : first_columns(line, kLongestName - 1) + "…";
}

// Each name goes into the lowest lane in which nothing is in its way.
std::vector<NamedLine> lay_out(const std::vector<BoardMark>& marks, const Axis& axis) {
  std::vector<NamedLine> lines;
  for (const BoardMark& mark : marks) {
    NamedLine line;
    line.mark = &mark;
    line.words = mark.kind == MarkKind::kStep || mark.kind == MarkKind::kGhost ? cut(mark.name) : mark_text(mark.kind);
    line.x = axis.at(mark.ratio);
    const double width = kColumn * static_cast<double>(columns_of(line.words));
    line.begin = std::clamp(line.x - width / 2, 0.0, kWidth - width);
    const auto is_in_the_way = [&](const NamedLine& other) {
      const double end = other.begin + kColumn * static_cast<double>(columns_of(other.words));
      return other.lane == line.lane && line.begin < end + kColumn && other.begin < line.begin + width + kColumn;
    };
    while (std::any_of(lines.begin(), lines.end(), is_in_the_way)) ++line.lane;
    lines.push_back(std::move(line));
  }
  return lines;
}

const char* look_of(MarkKind kind) {
  switch (kind) {
    case MarkKind::kNaive:
      return "naive";
    case MarkKind::kStep:
      return "step";
    case MarkKind::kReference:
      return "reference";
    case MarkKind::kPeer:
      return "peer";
    case MarkKind::kRoof:
      return "roof";
    case MarkKind::kGhost:
      return "ghost";
  }
  return "";
}

}  // namespace

std::string interval_picture(const std::string& title, const std::vector<IntervalRow>& rows,
                             const std::vector<BoardMark>& marks) {
  double least = 1;
  double most = 1;
  const auto take = [&](double ratio) {
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  };
  for (const IntervalRow& row : rows) {
    take(row.ratio.low);
    take(row.ratio.high);
  }
  for (const BoardMark& mark : marks) take(mark.ratio);
  const Axis axis = Axis::logarithmic(least, most, kLeft, kRight);
  const std::vector<NamedLine> lines = lay_out(marks, axis);
  std::size_t lanes = 1;
  for (const NamedLine& line : lines) lanes = std::max(lanes, line.lane + 1);
  const double top = 8 + kLane * static_cast<double>(lanes);
  const double bottom = top + kRow * static_cast<double>(rows.size()) + 4;

  std::string out;
  const auto add = [&out](const auto& format, const auto&... arguments) {
    fmt::format_to(std::back_inserter(out), format, arguments...);
  };
  add(FMT_STRING("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n"), kWidth, bottom + 38,
      html_text(
          fmt::format("{}: {} intervals on one axis; the table has the same numbers", safe_line(title), rows.size())));
  for (const double tick : axis.ticks()) {
    add(FMT_STRING("<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>"), axis.at(tick),
        top, bottom);
    add(FMT_STRING("<text class=\"dim\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n"), axis.at(tick),
        bottom + 15, tick_text(tick));
  }
  add(FMT_STRING("<text class=\"dim\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">time as a multiple of the "
                 "reference's, logarithmic; faster is to the left</text>\n"),
      (kLeft + kRight) / 2, bottom + 32);
  for (const NamedLine& line : lines) {
    const double y = top - 4 - kLane * static_cast<double>(line.lane);
    add(FMT_STRING("<g class=\"mark-{}\"><title>{} {}: {:.3f}</title><line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" "
                   "y2=\"{:.1f}\"/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n"),
        look_of(line.mark->kind), mark_text(line.mark->kind), html_text(safe_line(line.mark->name)), line.mark->ratio,
        line.x, y + 2, line.x, bottom, line.begin, y, html_text(line.words));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const IntervalRow& row = rows[i];
    const double middle = top + kRow * (static_cast<double>(i) + 0.5);
    const double begin = axis.at(row.ratio.low);
    const double width = std::max(kLeastWidth, axis.at(row.ratio.high) - begin);
    add(FMT_STRING("<text text-anchor=\"end\" x=\"{:.0f}\" y=\"{:.1f}\">{}</text>"), kLeft - 12, middle + 4,
        html_text(cut(row.name)));
    add(FMT_STRING("<rect class=\"interval\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"10\" rx=\"2\"/>"),
        begin, middle - 5, width);
    add(FMT_STRING("<circle class=\"median\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>"), axis.at(row.ratio.value), middle);
    add(FMT_STRING("<text x=\"{:.0f}\" y=\"{:.1f}\">{}</text>\n"), kRight + 12, middle + 4, html_text(row.label));
  }
  return out + "</svg>";
}

}  // namespace lanewise
