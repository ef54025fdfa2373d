// Equal scales on both axes: the diagonal is where the model is right.
#include "grader/plots/model_scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/plots/axis.h"
#include "grader/plots/svg.h"

namespace lanewise {
namespace {

constexpr double kScatterWidth = 760;
constexpr double kScatterHeight = 624;
constexpr double kScatterLeft = 86;
constexpr double kScatterRight = 586;
constexpr double kScatterTop = 66;
constexpr double kScatterBottom = 566;
constexpr double kFactor = 2;
constexpr std::size_t kMostNames = 8;

double distance(const ScatterDot& dot) { return std::abs(std::log(dot.modelled / dot.measured)); }

/// Where a name is written.
struct NamePlace {
  double left, right, baseline;
};

/// Beside the dot, or above or below that, where no other name is: on the right, if there is room before the edge.
NamePlace place_name(double x, double y, const std::string& name, const std::vector<NamePlace>& taken) {
  constexpr double kLetter = 6.4, kLine = 14, kGap = 8, kDown = 4;  // of the class "small", with some room to spare
  const double width = kLetter * static_cast<double>(name.size());
  const double left = x + kGap + width <= kScatterWidth ? x + kGap : x - kGap - width;
  NamePlace place{left, left + width, y + kDown};
  for (int n = 1; n <= 2 * static_cast<int>(kMostNames); ++n) {
    const bool is_free = std::none_of(taken.begin(), taken.end(), [&](const NamePlace& other) {
      return place.left < other.right && other.left < place.right && std::abs(place.baseline - other.baseline) < kLine;
    });
    if (is_free) break;
    const int lines = (n % 2 == 1 ? -1 : 1) * ((n + 1) / 2);
    place.baseline = y + kDown + kLine * lines;
  }
  return place;
}

// Where modelled = factor x measured, cut off at the frame.
void draw_factor(Svg& svg, const Axis& x, const Axis& y, double low, double high, double factor,
                 const std::string& style) {
  const double begin = std::max(low, low / factor);
  const double end = std::min(high, high / factor);
  svg.line(x.at(begin), y.at(begin * factor), x.at(end), y.at(end * factor), style);
}

}  // namespace

std::string model_scatter_svg(const std::string& title, const std::vector<ScatterDot>& dots) {
  Svg svg(kScatterWidth, kScatterHeight, title,
          fmt::format("{} dots: the time that the virtual GPU's model gives against the time measured.", dots.size()));
  svg.text(16, 26, title, Svg::Anchor::kStart, "title");
  if (dots.empty()) return svg.finish();
  double low = dots.front().measured;
  double high = low;
  for (const ScatterDot& dot : dots) {
    low = std::min({low, dot.measured, dot.modelled});
    high = std::max({high, dot.measured, dot.modelled});
  }
  const Axis x = Axis::logarithmic(low, high, kScatterLeft, kScatterRight);
  const Axis y = Axis::logarithmic(low, high, kScatterBottom, kScatterTop);
  low = x.ticks().front();
  high = x.ticks().back();
  for (const double tick : x.ticks()) {
    svg.line(x.at(tick), kScatterTop, x.at(tick), kScatterBottom, "grid");
    svg.line(kScatterLeft, y.at(tick), kScatterRight, y.at(tick), "grid");
    svg.text(x.at(tick), kScatterBottom + 18, tick_text(tick), Svg::Anchor::kMiddle, "small");
    svg.text(kScatterLeft - 8, y.at(tick) + 4, tick_text(tick), Svg::Anchor::kEnd, "small");
  }
  svg.text((kScatterLeft + kScatterRight) / 2, kScatterBottom + 42, "measured, µs", Svg::Anchor::kMiddle, "small");
  svg.text(16, kScatterTop - 16, "modelled, µs", Svg::Anchor::kStart, "small");
  draw_factor(svg, x, y, low, high, 1, "axis");
  for (const double factor : {kFactor, 1 / kFactor}) draw_factor(svg, x, y, low, high, factor, "band");
  std::vector<const ScatterDot*> far;
  for (const ScatterDot& dot : dots) {
    svg.dot(x.at(dot.measured), y.at(dot.modelled), 4, dot.is_peer ? "peer" : "own",
            fmt::format("{}: modelled {:.1f} µs, measured {:.1f} µs", dot.name, dot.modelled, dot.measured));
    if (distance(dot) > std::log(kFactor)) far.push_back(&dot);
  }
  std::stable_sort(far.begin(), far.end(),
                   [](const ScatterDot* a, const ScatterDot* b) { return distance(*a) > distance(*b); });
  if (far.size() > kMostNames) far.resize(kMostNames);
  std::vector<NamePlace> taken;
  for (const ScatterDot* dot : far) {
    taken.push_back(place_name(x.at(dot->measured), y.at(dot->modelled), dot->name, taken));
    svg.text(taken.back().left, taken.back().baseline, dot->name, Svg::Anchor::kStart, "small");
  }
  return svg.finish();
}

}  // namespace lanewise
