// Lays the columns out; colours are the page's.
#include "grader/overview/histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

// In units of the view box, which is as wide as the page's text.
constexpr double kWidth = 720;
constexpr double kLeft = 10;
constexpr double kRight = 710;
constexpr double kTop = 40;  // the lines' names stand above, and the counts of the highest columns
constexpr double kBottom = 180;
constexpr double kGap = 3;  // between columns

// What the picture says, for people who cannot see it.
std::string words_for(const Histogram& histogram) {
  std::string text =
      fmt::format("{} students: mean {} of {}, median {}",
                  std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::size_t{0}),
                  points_text(histogram.mean), points_text(histogram.max_points), points_text(histogram.median));
  const double step = histogram.max_points / static_cast<double>(histogram.counts.size());
  for (std::size_t i = 0; i < histogram.counts.size(); ++i)
    if (histogram.counts[i] > 0)
      text += fmt::format("; {} from {} to {}", histogram.counts[i], points_text(step * static_cast<double>(i)),
                          points_text(step * static_cast<double>(i + 1)));
  return text;
}

}  // namespace

std::string histogram_picture(const Histogram& histogram) {
  const auto bins = static_cast<double>(histogram.counts.size());
  const double column = (kRight - kLeft) / bins;
  const auto most = static_cast<double>(
      std::max<std::size_t>(1, *std::max_element(histogram.counts.begin(), histogram.counts.end())));
  std::string out;
  const auto add = [&out](const auto& format, const auto&... arguments) {
    fmt::format_to(std::back_inserter(out), format, arguments...);
  };
  add(FMT_STRING("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n"), kWidth, kBottom + 24,
      html_text(words_for(histogram)));
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const std::size_t count = histogram.counts[i];
    const double x = kLeft + column * static_cast<double>(i);
    const double height = (kBottom - kTop) * static_cast<double>(count) / most;
    if (count == 0) continue;
    add(FMT_STRING("<rect class=\"column\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\"/>"),
        x + kGap / 2, kBottom - height, column - kGap, height);
    add(FMT_STRING("<text text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n"), x + column / 2,
        kBottom - height - 5, count);
  }
  add(FMT_STRING("<line class=\"axis\" x1=\"{0:.0f}\" y1=\"{2:.0f}\" x2=\"{1:.0f}\" y2=\"{2:.0f}\"/>\n"), kLeft, kRight,
      kBottom);
  for (std::size_t i = 0; i <= histogram.counts.size(); ++i) {
    const double share = static_cast<double>(i) / bins;
    const char* const anchor = i == 0 ? "start" : i == histogram.counts.size() ? "end" : "middle";
    add(FMT_STRING("<text class=\"dim\" text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.0f}\">{}</text>\n"), anchor,
        kLeft + (kRight - kLeft) * share, kBottom + 18, points_text(histogram.max_points * share));
  }
  const auto mark = [&](const char* name, double points, double y) {
    const double share = histogram.max_points > 0 ? std::clamp(points / histogram.max_points, 0.0, 1.0) : 0;
    const double x = kLeft + (kRight - kLeft) * share;
    const bool is_left = share > 0.8;  // no room on the right
    add(FMT_STRING("<line class=\"{0}\" x1=\"{1:.1f}\" y1=\"{2:.0f}\" x2=\"{1:.1f}\" y2=\"{3:.0f}\"/>"), name, x, y - 8,
        kBottom);
    add(FMT_STRING("<text class=\"dim\" text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.0f}\">{} {}</text>\n"),
        is_left ? "end" : "start", x + (is_left ? -5 : 5), y, name, points_text(points));
  };
  mark("mean", histogram.mean, 10);
  mark("median", histogram.median, 23);
  return out + "</svg>";
}

}  // namespace lanewise
