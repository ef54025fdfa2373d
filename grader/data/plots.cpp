// Frames, axes and their contents.
#include "grader/data/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "grader/data/canvas.h"
#include "harness/lab/number_text.h"

namespace lanewise {
namespace {

constexpr Colour kPaper = {255, 255, 255};
constexpr Colour kInk = {30, 41, 59};
constexpr Colour kFaded = {100, 116, 139};
constexpr Colour kGrid = {226, 232, 240};
constexpr Colour kData = {37, 99, 235};
constexpr Colour kLine = {234, 88, 12};

// A name that is too long for the picture is truncated.
std::string shortened(const std::string& text, double height, double width) {
  if (text_width(text, height) <= width) return text;
  std::string cut = text;
  while (!cut.empty() && text_width(cut + "...", height) > width) cut.pop_back();
  return cut + "...";
}

// The part of the picture in which data are drawn.
struct Frame {
  double left, top, right, bottom;
};

class Plot {
 public:
  Plot(int width, int height, Frame frame) : canvas_(width, height, kPaper), frame_(frame) {}

  void heading(const std::string& title, const std::string& below) {
    const double room = canvas_.image().width - frame_.left - 30;
    canvas_.text(shortened(title, 22, room), {frame_.left, 46}, 22, Align::kLeft, kInk, 0.14);
    canvas_.text(shortened(below, 14, room), {frame_.left, 78}, 14, Align::kLeft, kFaded);
  }
  void axis_names(const std::string& x, const std::string& y) {
    canvas_.text(x, {(frame_.left + frame_.right) / 2, frame_.bottom + 66}, 15, Align::kCentre, kInk);
    canvas_.text_upwards(y, {40, (frame_.top + frame_.bottom) / 2}, 15, Align::kCentre, kInk);
  }
  void mark_x(double x, const std::string& label, bool has_line) {
    if (has_line) canvas_.line({{x, frame_.top}, {x, frame_.bottom}}, 1.2, kGrid);
    canvas_.text(label, {x, frame_.bottom + 30}, 13, Align::kCentre, kFaded);
  }
  void mark_y(double y, const std::string& label, bool has_line) {
    if (has_line) canvas_.line({{frame_.left, y}, {frame_.right, y}}, 1.2, kGrid);
    canvas_.text(label, {frame_.left - 14, y + 6}, 13, Align::kRight, kFaded);
  }
  void border() {
    canvas_.line({{frame_.left, frame_.top},
                  {frame_.right, frame_.top},
                  {frame_.right, frame_.bottom},
                  {frame_.left, frame_.bottom},
                  {frame_.left, frame_.top}},
                 1.6, kFaded);
  }

  Canvas& canvas() { return canvas_; }
  const Frame& frame() const { return frame_; }
  double at_x(double part) const { return frame_.left + part * (frame_.right - frame_.left); }
  double at_y(double part) const { return frame_.bottom - part * (frame_.bottom - frame_.top); }

 private:
  Canvas canvas_;
  Frame frame_;
};

// 1, 10, 100, 1k, ...
std::string power_text(int exponent) {
  const char* const thousands[] = {"", "k", "M", "G", "T"};
  std::string text = "1";
  text.append(static_cast<std::size_t>(exponent % 3), '0');
  return text + thousands[std::min(exponent / 3, 4)];
}

// 1, 2 or 5 times a power of ten, so that about five steps fill the range.
double step_for(double range) {
  const double rough = range / 5;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

std::string tick_text(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e9 || size < 1e-3) return fmt::format("{:.3g}", value);
  return size == std::floor(size) ? with_commas(static_cast<std::int64_t>(value)) : fmt::format("{:.4g}", value);
}

// A logarithmic axis from 1 to `most`, at least to 10.
class PowersOfTen {
 public:
  explicit PowersOfTen(double most) : decades_(std::max(1.0, std::log10(most))) {}
  int whole_decades() const { return static_cast<int>(decades_ + 1e-9); }
  // With a margin, so that the least and the largest do not lie on the border.
  double part(double value) const { return (std::log10(value) + 0.12) / (decades_ + 0.24); }

 private:
  double decades_;
};

Expected<Image> plot_degrees(const Graph& graph, const std::string& title) {
  const auto degrees = row_lengths(graph.neighbours);
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::int64_t degree : degrees) ++counts[degree];
  const std::int64_t isolated = counts.count(0) != 0 ? counts.at(0) : 0;
  counts.erase(0);
  if (counts.empty()) return Failure{"no vertex of the graph has an edge: there are no degrees to plot"};
  std::int64_t most = 0;
  for (const auto& [degree, count] : counts) most = std::max(most, count);

  Plot plot(1120, 800, {130, 110, 1080, 700});
  const PowersOfTen x(static_cast<double>(counts.rbegin()->first));
  const PowersOfTen y(static_cast<double>(most));
  for (int i = 0; i <= x.whole_decades(); ++i) plot.mark_x(plot.at_x(x.part(std::pow(10.0, i))), power_text(i), true);
  for (int i = 0; i <= y.whole_decades(); ++i) plot.mark_y(plot.at_y(y.part(std::pow(10.0, i))), power_text(i), true);
  const double radius = counts.size() > 300 ? 3.2 : 4.6;
  for (const auto& [degree, count] : counts)
    plot.canvas().dot({plot.at_x(x.part(static_cast<double>(degree))), plot.at_y(y.part(static_cast<double>(count)))},
                      radius, kData, 0.55);
  const auto edges = static_cast<std::int64_t>(graph.neighbours.columns.size()) / 2;
  const double mean = 2 * static_cast<double>(edges) / static_cast<double>(degrees.size());
  if (mean >= 1) {
    const double at = plot.at_x(x.part(mean));
    plot.canvas().line({{at, plot.frame().top}, {at, plot.frame().bottom}}, 2, kLine, 0.8);
    plot.canvas().text(fmt::format("mean {:.3g}", mean), {at + 9, plot.frame().top + 24}, 13, Align::kLeft, kLine);
  }
  plot.border();
  plot.heading(title, fmt::format("{} vertices, {} edges, highest degree {}{}", with_commas(graph.neighbours.rows),
                                  with_commas(edges), with_commas(degrees.back()),
                                  isolated > 0 ? fmt::format(", {} vertices without an edge", with_commas(isolated))
                                               : std::string()));
  plot.axis_names("degree", "vertices of that degree");
  return plot.canvas().image();
}

// From light to dark as `part` goes from 0 to 1.
Colour shade(double part) {
  const Colour light = {147, 197, 253};
  const Colour dark = {23, 37, 84};
  const auto mix = [part](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(from + (to - from) * part));
  };
  return {mix(light.red, dark.red), mix(light.green, dark.green), mix(light.blue, dark.blue)};
}

Expected<Image> plot_places(const Matrix& matrix, const std::string& title) {
  const Csr& csr = matrix.rows;
  if (csr.rows == 0 || csr.cols == 0) return Failure{"the matrix has no positions to plot"};
  constexpr double kSide = 760;
  const auto longer = static_cast<double>(std::max(csr.rows, csr.cols));
  // A long matrix still gets a visibly wide strip.
  const double width = std::max(kSide * static_cast<double>(csr.cols) / longer, 60.0);
  const double height = std::max(kSide * static_cast<double>(csr.rows) / longer, 60.0);
  const Frame frame = {140, 120, 140 + width, 120 + height};
  Plot plot(std::max(static_cast<int>(frame.right) + 60, 700), static_cast<int>(frame.bottom) + 170, frame);

  // Cells of at least two pixels, and no more than there are rows or columns.
  const auto across = std::min(csr.cols, static_cast<std::int64_t>(width / 2));
  const auto down = std::min(csr.rows, static_cast<std::int64_t>(height / 2));
  std::vector<std::int64_t> cells(static_cast<std::size_t>(across * down));
  for (std::int64_t row = 0; row < csr.rows; ++row)
    for (std::int32_t i = csr.row_offsets[static_cast<std::size_t>(row)];
         i < csr.row_offsets[static_cast<std::size_t>(row) + 1]; ++i)
      ++cells[static_cast<std::size_t>(row * down / csr.rows * across +
                                       csr.columns[static_cast<std::size_t>(i)] * across / csr.cols)];
  const std::int64_t most = std::max<std::int64_t>(1, *std::max_element(cells.begin(), cells.end()));
  const auto part_of = [most](std::int64_t count) {
    return most == 1 ? 0.6 : std::log(static_cast<double>(count)) / std::log(static_cast<double>(most));
  };
  for (std::int64_t y = 0; y < down; ++y)
    for (std::int64_t x = 0; x < across; ++x) {
      const std::int64_t count = cells[static_cast<std::size_t>(y * across + x)];
      if (count == 0) continue;
      const auto cell = [](double begin, double size, std::int64_t i, std::int64_t n) {
        return begin + size * static_cast<double>(i) / static_cast<double>(n);
      };
      plot.canvas().area(cell(frame.left, width, x, across), cell(frame.top, height, y, down),
                         cell(frame.left, width, x + 1, across), cell(frame.top, height, y + 1, down),
                         shade(part_of(count)));
    }
  const auto marks = [&](double extent, double size, const auto& mark) {
    const double step = std::max(1.0, step_for(extent) * (size < 300 ? 5 : 1));
    for (double value = 0; value < extent; value += step) mark((value + 0.5) / extent * size, tick_text(value));
  };
  marks(static_cast<double>(csr.cols), width,
        [&](double at, const std::string& label) { plot.mark_x(frame.left + at, label, false); });
  marks(static_cast<double>(csr.rows), height,
        [&](double at, const std::string& label) { plot.mark_y(frame.top + at, label, false); });
  plot.border();
  plot.heading(title, fmt::format("{} x {}, {} entries", with_commas(csr.rows), with_commas(csr.cols),
                                  with_commas(csr.columns.size())));
  plot.axis_names("column", "row");

  if (most > 1) {  // what the shades mean
    const double top = frame.bottom + 106;
    plot.canvas().text("entries per cell", {frame.left, top + 13}, 13, Align::kLeft, kFaded);
    const double left = frame.left + 150;
    constexpr int kSteps = 60;
    for (int i = 0; i < kSteps; ++i)
      plot.canvas().area(left + 3 * i, top, left + 3 * i + 3, top + 16, shade(static_cast<double>(i) / (kSteps - 1)));
    plot.canvas().text("1", {left - 10, top + 13}, 13, Align::kRight, kFaded);
    plot.canvas().text(with_commas(most), {left + 3 * kSteps + 10, top + 13}, 13, Align::kLeft, kFaded);
  }
  return plot.canvas().image();
}

Expected<Image> plot_values(const NpyArray& array, const std::string& title) {
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

  Plot plot(1120, 800, {130, 110, 1050, 700});
  const PowersOfTen powers(highest);
  const double top = highest * 1.06;
  if (is_logarithmic) {
    for (int i = 0; i <= powers.whole_decades(); ++i)
      plot.mark_y(plot.at_y(powers.part(std::pow(10.0, i))), power_text(i), true);
  } else {
    const double step = std::max(1.0, step_for(top));
    for (double value = 0; value <= top; value += step) plot.mark_y(plot.at_y(value / top), tick_text(value), true);
  }
  for (std::size_t i = 0; i < kBars; ++i) {
    if (bars[i] == 0) continue;
    const auto count = static_cast<double>(bars[i]);
    const double part = is_logarithmic ? powers.part(count) : count / top;
    const double left = plot.at_x(static_cast<double>(i) / kBars);
    plot.canvas().area(left + 0.6, plot.at_y(part), left + (plot.frame().right - plot.frame().left) / kBars - 0.6,
                       plot.frame().bottom, kData);
  }
  constexpr int kMarks = 4;
  for (int i = 0; i <= kMarks; ++i) {
    const double value = low + range * i / kMarks;
    plot.mark_x(plot.at_x(static_cast<double>(i) / kMarks),
                is_keys ? fmt::format("0x{:08x}", static_cast<std::uint32_t>(std::min(value, 0x1p32 - 1)))
                        : fmt::format("{:.4g}", value),
                false);
  }
  plot.border();
  plot.heading(title, fmt::format("{} elements, {}, {} bars{}", with_commas(numbers.size()), npy_name_of(array.type),
                                  kBars, is_logarithmic ? ", logarithmic" : ""));
  plot.axis_names("value", "elements");
  return plot.canvas().image();
}

}  // namespace

Expected<Image> plot_of(const DataContents& contents, const std::string& title) {
  if (const auto* graph = std::get_if<Graph>(&contents)) return plot_degrees(*graph, title);
  if (const auto* matrix = std::get_if<Matrix>(&contents)) return plot_places(*matrix, title);
  if (const auto* array = std::get_if<NpyArray>(&contents)) return plot_values(*array, title);
  return Failure{"it is already a picture"};
}

}  // namespace lanewise
