// Names are at the ends of their lines, so that no legend is needed.
#include "grader/plots/scaling_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "grader/plots/axis.h"
#include "grader/plots/svg.h"

namespace lanewise {
namespace {

constexpr double kLinesWidth = 820;
constexpr double kLinesHeight = 360;
constexpr double kLinesLeft = 76;
constexpr double kLinesRight = 600;
constexpr double kLinesTop = 64;
constexpr double kLinesBottom = 300;
constexpr double kNameHeight = 17;
constexpr double kLinesLogarithmicFrom = 8;

struct EndName {
  double y = 0;
  std::string words;
  std::string style;
};

// From top to bottom, none on another.
void place_names(Svg& svg, std::vector<EndName> names) {
  std::sort(names.begin(), names.end(), [](const EndName& a, const EndName& b) { return a.y < b.y; });
  double least = kLinesTop;
  for (EndName& each : names) {
    each.y = std::max(each.y, least);
    least = each.y + kNameHeight;
  }
  for (const EndName& each : names)
    svg.text(kLinesRight + 12, each.y + 4, each.words, Svg::Anchor::kStart, "small " + each.style);
}

}  // namespace

std::string scaling_lines_svg(const ScalingLines& figure) {
  std::set<double> sizes;
  double high = figure.roof;
  for (const ScalingLine& line : figure.lines) {
    for (const auto& [size, rate] : line.points) {
      sizes.insert(size);
      high = std::max(high, rate);
    }
  }
  Svg svg(kLinesWidth, kLinesHeight, figure.title,
          fmt::format("Lines of throughput in {} against {}, one for each of {} files.", figure.unit, figure.size_name,
                      figure.lines.size()));
  svg.text(16, 26, figure.title, Svg::Anchor::kStart, "title");
  if (sizes.empty() || !(high > 0)) return svg.finish();

  const bool is_logarithmic = *sizes.rbegin() >= kLinesLogarithmicFrom * *sizes.begin();
  const auto place = [&](double size) { return is_logarithmic ? std::log2(size) : size; };
  const double first = place(*sizes.begin());
  const double span = std::max(1e-9, place(*sizes.rbegin()) - first);
  const auto x_of = [&](double size) {
    return kLinesLeft + 12 + (place(size) - first) / span * (kLinesRight - kLinesLeft - 24);
  };
  const Axis rates = Axis::linear(high, kLinesBottom, kLinesTop);
  for (const double tick : rates.ticks()) {
    svg.line(kLinesLeft, rates.at(tick), kLinesRight, rates.at(tick), "grid");
    svg.text(kLinesLeft - 8, rates.at(tick) + 4, tick_text(tick), Svg::Anchor::kEnd, "small");
  }
  double last = -1e9;
  for (const double size : sizes) {
    const double x = x_of(size);
    svg.line(x, kLinesBottom, x, kLinesBottom + 4, "axis");
    if (x - last < 34) continue;
    last = x;
    svg.text(x, kLinesBottom + 19, size_text(size), Svg::Anchor::kMiddle, "small");
  }
  svg.line(kLinesLeft, kLinesBottom, kLinesRight, kLinesBottom, "axis");
  svg.text((kLinesLeft + kLinesRight) / 2, kLinesBottom + 42, figure.size_name, Svg::Anchor::kMiddle, "small");
  svg.text(16, kLinesTop - 16, figure.unit, Svg::Anchor::kStart, "small");

  std::vector<EndName> names;
  if (figure.roof > 0) {
    svg.line(kLinesLeft, rates.at(figure.roof), kLinesRight, rates.at(figure.roof), "roof");
    names.push_back({rates.at(figure.roof), "roof: " + figure.roof_name, "roof"});
  }
  for (const ScalingLine& line : figure.lines) {
    if (line.points.empty()) continue;
    std::vector<std::pair<double, double>> places;
    for (const auto& [size, rate] : line.points) places.emplace_back(x_of(size), rates.at(rate));
    svg.polyline(places, line.style);
    for (std::size_t i = 0; i < places.size(); ++i)
      svg.dot(places[i].first, places[i].second, 3.5, line.style,
              fmt::format("{}: {} {} at {}", line.name, tick_text(std::round(line.points[i].second * 100) / 100),
                          figure.unit, size_text(line.points[i].first)));
    names.push_back({places.back().second, line.name, line.style});
  }
  place_names(svg, std::move(names));
  return svg.finish();
}

}  // namespace lanewise
