// Names on the left, bars, and what was measured on the right.
#include "grader/plots/ladder_bars.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/plots/axis.h"
#include "grader/plots/svg.h"

namespace lanewise {
namespace {

constexpr double kBarsWidth = 820;
constexpr double kBarsBegin = 210;  // of the bars
constexpr double kBarsEnd = 590;
constexpr double kBarsTop = 74;
constexpr double kBarsRow = 28;
constexpr double kBarsBarHeight = 18;
constexpr double kBarsLogarithmicFrom = 30;

// Above the bars; to the left of its line where there is no room to the right.
void mark(Svg& svg, double x, double y, double bottom, const std::string& words, const std::string& style) {
  svg.line(x, y - 10, x, bottom, style);
  const bool is_left = x > (kBarsBegin + kBarsEnd) / 2;
  svg.text(x + (is_left ? -5 : 5), y, words, is_left ? Svg::Anchor::kEnd : Svg::Anchor::kStart, "small " + style);
}

}  // namespace

std::string ladder_bars_svg(const LadderBars& figure) {
  double low = figure.roof > 0 ? figure.roof : 1e300;
  double high = figure.roof;
  double peer = 0;
  for (const LadderBar& bar : figure.bars) {
    low = std::min(low, bar.rate);
    high = std::max(high, bar.rate);
    if (bar.is_peer) peer = std::max(peer, bar.rate);
  }
  const bool is_logarithmic = high > kBarsLogarithmicFrom * low;
  const Axis axis = is_logarithmic ? Axis::logarithmic(low / 2, high, kBarsBegin, kBarsEnd)
                                   : Axis::linear(high, kBarsBegin, kBarsEnd);
  const double bottom = kBarsTop + kBarsRow * static_cast<double>(figure.bars.size()) + 4;
  Svg svg(kBarsWidth, bottom + 48, figure.title,
          fmt::format("Bars that show the rate of each of {} files, in {}.", figure.bars.size(), figure.unit));
  svg.text(16, 26, figure.title, Svg::Anchor::kStart, "title");
  for (const double tick : axis.ticks()) {
    svg.line(axis.at(tick), kBarsTop - 4, axis.at(tick), bottom, "grid");
    svg.text(axis.at(tick), bottom + 17, tick_text(tick), Svg::Anchor::kMiddle, "small");
  }
  svg.text((kBarsBegin + kBarsEnd) / 2, bottom + 36, figure.unit + (is_logarithmic ? ", logarithmic" : ""),
           Svg::Anchor::kMiddle, "small");
  double y = kBarsTop;
  for (const LadderBar& bar : figure.bars) {
    const double middle = y + kBarsRow / 2;
    svg.text(kBarsBegin - 10, middle + 5, bar.name, Svg::Anchor::kEnd);
    svg.rect(kBarsBegin, middle - kBarsBarHeight / 2, std::max(1.0, axis.at(bar.rate) - kBarsBegin), kBarsBarHeight,
             bar.is_peer ? "peer" : "own");
    svg.text(kBarsEnd + 14, middle + 5, bar.label, Svg::Anchor::kStart, "small");
    y += kBarsRow;
  }
  svg.line(kBarsBegin, kBarsTop - 4, kBarsBegin, bottom, "axis");
  // The peer is hardly ever above the roof, so neither line crosses the other's label.
  if (peer > 0) mark(svg, axis.at(peer), 64, bottom, "peer", "peer");
  if (figure.roof > 0) mark(svg, axis.at(figure.roof), 48, bottom, "roof: " + figure.roof_name, "roof");
  return svg.finish();
}

}  // namespace lanewise
