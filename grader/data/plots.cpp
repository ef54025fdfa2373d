// Frames, axes and their contents.
#include "grader/data/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "grader/plots/axis.h"
#include "grader/plots/svg.h"
#include "harness/lab/number_text.h"

namespace lanewise {
namespace {

// The part of the picture in which data are drawn.
struct Frame {
  double left = 84, top = 98, right = 820, bottom = 514;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

// The drawing with all but the data: those are drawn later, so on top.
class Plot {
 public:
  Plot(const Frame& frame, const std::string& title, const std::string& below, const std::string& description)
      : svg(std::max(frame.right + 40, 480.0), frame.bottom + 90, title, description), frame_(frame) {
    svg.text(frame.left, 34, title, Svg::Anchor::kStart, "title");
    svg.text(frame.left, 56, below, Svg::Anchor::kStart, "small");
  }

  void names(const std::string& x, const std::string& y) {
    svg.text((frame_.left + frame_.right) / 2, frame_.bottom + 44, x, Svg::Anchor::kMiddle, "small");
    svg.text(16, frame_.top - 16, y, Svg::Anchor::kStart, "small");
    svg.line(frame_.left, frame_.bottom, frame_.right, frame_.bottom, "axis");
    svg.line(frame_.left, frame_.top, frame_.left, frame_.bottom, "axis");
  }
  void mark_x(double x, const std::string& label, bool has_line = false) {
    if (has_line) svg.line(x, frame_.top, x, frame_.bottom, "grid");
    svg.text(x, frame_.bottom + 20, label, Svg::Anchor::kMiddle, "small");
  }
  void mark_y(double y, const std::string& label, bool has_line = false) {
    if (has_line) svg.line(frame_.left, y, frame_.right, y, "grid");
    svg.text(frame_.left - 8, y + 4, label, Svg::Anchor::kEnd, "small");
  }

  Svg svg;

 private:
  Frame frame_;
};

Expected<std::string> plot_degrees(const Graph& graph, const std::string& title) {
  const auto degrees = row_lengths(graph.neighbours);
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::int64_t degree : degrees) ++counts[degree];
  const std::int64_t isolated = counts.count(0) != 0 ? counts.at(0) : 0;
  counts.erase(0);
  if (counts.empty()) return Failure{"no vertex of the graph has an edge: there are no degrees to plot"};
  std::int64_t most = 0;
  for (const auto& [degree, count] : counts) most = std::max(most, count);
  const auto edges = static_cast<std::int64_t>(graph.neighbours.columns.size()) / 2;

  const Frame frame;
  Plot plot(frame, title,
            fmt::format("{} vertices, {} edges, highest degree {}{}", with_commas(graph.neighbours.rows),
                        with_commas(edges), with_commas(degrees.back()),
                        isolated > 0 ? fmt::format(", {} vertices without an edge", with_commas(isolated)) : ""),
            "How many vertices of a graph have which degree; both axes are logarithmic.");
  const Axis x = Axis::logarithmic(1, static_cast<double>(counts.rbegin()->first), frame.left, frame.right);
  const Axis y = Axis::logarithmic(1, static_cast<double>(most), frame.bottom, frame.top);
  for (const double tick : x.ticks()) plot.mark_x(x.at(tick), tick_text(tick), true);
  for (const double tick : y.ticks()) plot.mark_y(y.at(tick), tick_text(tick), true);
  plot.names("degree", "vertices of that degree");
  for (const auto& [degree, count] : counts)
    plot.svg.dot(x.at(static_cast<double>(degree)), y.at(static_cast<double>(count)), counts.size() > 300 ? 2.2 : 3.4,
                 "own", fmt::format("degree {}: {}", with_commas(degree), with_commas(count)));
  const double mean = 2 * static_cast<double>(edges) / static_cast<double>(degrees.size());
  if (mean >= 1) {
    plot.svg.line(x.at(mean), frame.top, x.at(mean), frame.bottom, "peer");
    plot.svg.text(x.at(mean) + 7, frame.top + 16, fmt::format("mean {:.3g}", mean), Svg::Anchor::kStart, "small peer");
  }
  return plot.svg.finish();
}

// How many entries of the matrix lie in each cell of a grid over it, row by row.
std::vector<std::int64_t> entries_by_cell(const Csr& csr, std::int64_t across, std::int64_t down) {
  std::vector<std::int64_t> cells(static_cast<std::size_t>(across * down));
  for (std::int64_t row = 0; row < csr.rows; ++row)
    for (std::int32_t i = csr.row_offsets[static_cast<std::size_t>(row)];
         i < csr.row_offsets[static_cast<std::size_t>(row) + 1]; ++i)
      ++cells[static_cast<std::size_t>(row * down / csr.rows * across +
                                       csr.columns[static_cast<std::size_t>(i)] * across / csr.cols)];
  return cells;
}

Expected<std::string> plot_places(const Matrix& matrix, const std::string& title) {
  const Csr& csr = matrix.rows;
  if (csr.rows == 0 || csr.cols == 0) return Failure{"the matrix has no positions to plot"};
  constexpr double kSide = 640;
  const auto longer = static_cast<double>(std::max(csr.rows, csr.cols));
  // A long matrix still gets a visibly wide strip.
  Frame frame;
  frame.right = frame.left + std::max(kSide * static_cast<double>(csr.cols) / longer, 60.0);
  frame.bottom = frame.top + std::max(kSide * static_cast<double>(csr.rows) / longer, 60.0);
  Plot plot(
      frame, title,
      fmt::format("{} x {}, {} entries", with_commas(csr.rows), with_commas(csr.cols), with_commas(csr.columns.size())),
      "Where the entries of a matrix are, darker where there are more.");
  const auto mark = [](double extent, double size, const auto& at) {
    const Axis axis = Axis::linear(size < 300 ? 3 * extent : extent, 0, 1);
    for (const double tick : axis.ticks())
      if (tick < extent) at((tick + 0.5) / extent * size, tick_text(tick));
  };
  mark(static_cast<double>(csr.cols), frame.width(),
       [&](double at, const std::string& label) { plot.mark_x(frame.left + at, label); });
  mark(static_cast<double>(csr.rows), frame.height(),
       [&](double at, const std::string& label) { plot.mark_y(frame.top + at, label); });
  plot.names("column", "row");

  // Cells of at least two pixels, and no more than there are rows or columns; those of a shade are one shape.
  const auto across = std::min(csr.cols, static_cast<std::int64_t>(frame.width() / 2));
  const auto down = std::min(csr.rows, static_cast<std::int64_t>(frame.height() / 2));
  const std::vector<std::int64_t> cells = entries_by_cell(csr, across, down);
  const std::int64_t most = *std::max_element(cells.begin(), cells.end());
  constexpr int kShades = 8;
  const auto shade_of = [most](std::int64_t count) {
    const double part = most <= 1 ? 1 : std::log(static_cast<double>(count)) / std::log(static_cast<double>(most));
    return std::min(kShades - 1, static_cast<int>(part * kShades));
  };
  const auto opacity_of = [](int shade) { return 0.3 + 0.7 * (shade + 1) / kShades; };
  std::array<std::vector<Svg::Box>, kShades> shapes;
  const double wide = frame.width() / static_cast<double>(across), high = frame.height() / static_cast<double>(down);
  for (std::int64_t y = 0; y < down; ++y)
    for (std::int64_t x = 0; x < across;) {
      const std::int64_t* const cell = &cells[static_cast<std::size_t>(y * across + x)];
      const int shade = *cell == 0 ? -1 : shade_of(*cell);
      std::int64_t length = 1;  // of the cells side by side that have it
      while (x + length < across && (cell[length] == 0 ? -1 : shade_of(cell[length])) == shade) ++length;
      if (shade >= 0)
        shapes[static_cast<std::size_t>(shade)].push_back({frame.left + wide * static_cast<double>(x),
                                                           frame.top + high * static_cast<double>(y),
                                                           wide * static_cast<double>(length), high});
      x += length;
    }
  for (int shade = 0; shade < kShades; ++shade)
    plot.svg.boxes(shapes[static_cast<std::size_t>(shade)], "own", opacity_of(shade));

  if (most > 1) {  // what the shades mean
    const double top = frame.bottom + 58, left = frame.left + 150;
    plot.svg.text(frame.left, top + 12, "entries per cell: 1", Svg::Anchor::kStart, "small");
    for (int shade = 0; shade < kShades; ++shade)
      plot.svg.boxes({{left + 18 * shade, top, 18, 14}}, "own", opacity_of(shade));
    plot.svg.text(left + 18 * kShades + 8, top + 12, with_commas(most), Svg::Anchor::kStart, "small");
  }
  return plot.svg.finish();
}

Expected<std::string> plot_values(const NpyArray& array, const std::string& title) {
  std::vector<double> numbers = numbers_of(array);
  numbers.erase(std::remove_if(numbers.begin(), numbers.end(), [](double x) { return !std::isfinite(x); }),
                numbers.end());
  if (numbers.empty()) return Failure{"the array has no numbers to plot"};
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  // Keys of 32 bits are shown in their whole range, and known by their digits.
  const bool is_keys = array.type == NpyType::kUint32 && *most >= 0x10000000;
  const double low = is_keys ? 0 : *least;
  const double range = is_keys ? 0x1p32 : *most > low ? *most - low : 1;
  constexpr std::size_t kBars = 100;
  std::vector<std::int64_t> bars(kBars);
  for (const double number : numbers)
    ++bars[std::min(kBars - 1, static_cast<std::size_t>((number - low) / range * kBars))];
  const auto highest = static_cast<double>(*std::max_element(bars.begin(), bars.end()));
  // A few bars that dwarf all others leave nothing to be seen of those on an axis that starts at 0.
  std::vector<std::int64_t> sorted = bars;
  std::sort(sorted.begin(), sorted.end());
  const std::int64_t median = sorted[kBars / 2];
  const bool is_logarithmic = median > 0 && highest > 20 * static_cast<double>(median);

  const Frame frame;
  Plot plot(frame, title,
            fmt::format("{} elements, {}, {} bars{}", with_commas(numbers.size()), npy_name_of(array.type), kBars,
                        is_logarithmic ? ", logarithmic" : ""),
            "A histogram of an array's values.");
  const Axis y = is_logarithmic ? Axis::logarithmic(0.5, highest, frame.bottom, frame.top)
                                : Axis::linear(highest, frame.bottom, frame.top);
  for (const double tick : y.ticks()) plot.mark_y(y.at(tick), tick_text(tick), true);
  std::vector<Svg::Box> shapes;
  for (std::size_t i = 0; i < kBars; ++i) {
    if (bars[i] == 0) continue;
    const double top = y.at(static_cast<double>(bars[i])), width = frame.width() / kBars;
    shapes.push_back({frame.left + width * static_cast<double>(i) + 0.5, top, width - 1, frame.bottom - top});
  }
  plot.svg.boxes(shapes, "own");
  constexpr int kMarks = 4;
  for (int i = 0; i <= kMarks; ++i) {
    const double value = low + range * i / kMarks;
    plot.mark_x(frame.left + frame.width() * i / kMarks,
                is_keys ? fmt::format("0x{:08x}", static_cast<std::uint32_t>(std::min(value, 0x1p32 - 1)))
                        : fmt::format("{:.4g}", value));
  }
  plot.names("value", "elements");
  return plot.svg.finish();
}

}  // namespace

Expected<std::string> plot_of(const DataContents& contents, const std::string& title) {
  if (const auto* graph = std::get_if<Graph>(&contents)) return plot_degrees(*graph, title);
  if (const auto* matrix = std::get_if<Matrix>(&contents)) return plot_places(*matrix, title);
  if (const auto* array = std::get_if<NpyArray>(&contents)) return plot_values(*array, title);
  return Failure{"it is already a picture"};
}

}  // namespace lanewise
