// Floors in milliseconds, and ratios to the library size by size.
#include "grader/bench/how_close.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace lanewise {
namespace {

// A step that reaches less of the library's rate than this at some size does not choose well there.
constexpr double kBehind = 0.9;

double issue_rate(const MeasuredRoofs& roofs) { return roofs.ffma / 2; }

// "65,536"
std::string size_text(double size) {
  std::string digits = fmt::format("{:.0f}", size);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

}  // namespace

double floor_milliseconds(const FloorFile& floor, const MeasuredTime& time, const MeasuredRoofs* roofs) {
  if (floor.unit.empty() || roofs == nullptr) return 0;
  const bool is_about_arithmetic = is_arithmetic(time.bytes, time.flops);
  const double units = (is_about_arithmetic ? time.flops : time.bytes) / floor.work;
  const double rate = time.bytes > 0 ? bandwidth(*roofs, time.written / time.bytes) : 0;
  const double moving = rate > 0 ? units * floor.bytes / rate : 0;
  const double executing = issue_rate(*roofs) > 0 ? units * floor.instructions / issue_rate(*roofs) : 0;
  return 1e3 * std::max(moving, executing);
}

std::string floor_words(const FloorFile& floor, const MeasuredRoofs* roofs) {
  if (floor.unit.empty()) return "";
  std::vector<std::string> parts;
  if (floor.bytes > 0) parts.push_back(fmt::format("{:g} bytes moved", floor.bytes));
  if (floor.instructions > 0)
    parts.push_back(
        fmt::format("{:g} {} executed", floor.instructions, floor.instructions == 1 ? "instruction" : "instructions"));
  std::string text = fmt::format("Floor, for each {}: {}", floor.unit, fmt::join(parts, ", or "));
  if (floor.instructions > 0 && roofs != nullptr && issue_rate(*roofs) > 0)
    text += fmt::format(" (of which all lanes together start {:.1f} · 10¹² a second)", issue_rate(*roofs) / 1e12);
  if (parts.size() > 1) text += ", whichever takes longer";
  return text + ". " + floor.why;
}

std::string sizes_words(const PageTask& task) {
  if (task.scaling == nullptr) return "";
  std::string last;
  for (const PageStep& step : task.steps)
    if (!step.is_peer) last = step.file;
  std::map<double, double> own;
  std::map<double, double> library;
  const auto is_peer = [&task](const std::string& name) {
    return std::any_of(task.steps.begin(), task.steps.end(),
                       [&name](const PageStep& step) { return step.is_peer && step.file == name; });
  };
  for (const MeasuredTime& time : task.scaling->times) {
    if (!(time.size > 0) || !(time.milliseconds > 0)) continue;
    if (time.step == last) own[time.size] = time.milliseconds;
    if (!is_peer(time.step)) continue;
    const auto [best, is_first] = library.emplace(time.size, time.milliseconds);
    if (!is_first) best->second = std::min(best->second, time.milliseconds);
  }
  const std::string parameter = fmt::format("{}", fmt::join(task.file->scaling.parameters, " = "));
  std::vector<std::string> behind;
  double least = 0;
  double least_size = 0;
  for (const auto& [size, milliseconds] : own) {
    const auto peer = library.find(size);
    if (peer == library.end()) continue;
    const double ratio = peer->second / milliseconds;
    if (least == 0 || ratio < least) std::tie(least, least_size) = std::pair(ratio, size);
    if (ratio < kBehind) behind.push_back(fmt::format("{:.2f} at {} = {}", ratio, parameter, size_text(size)));
  }
  if (least == 0) return "";
  if (behind.empty())
    return fmt::format("At every size measured, `{}` reaches at least {:.2f} of the library's rate (at {} = {}).", last,
                       least, parameter, size_text(least_size));
  return fmt::format("`{}` reaches less than {:g} of the library's rate at some sizes: {}.", last, kBehind,
                     fmt::join(behind, ", "));
}

}  // namespace lanewise
