// Lays out the bars; the colours are the page's.
#include "harness/report/speed_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "harness/lab/time_text.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

// In units of the view box, which is as wide as the page's text.
constexpr double kWidth = 720;
constexpr double kLeft = 150;   // names end here
constexpr double kRight = 570;  // times follow the bars
constexpr double kTop = 34;     // the lines' names are above
constexpr double kRow = 30;
constexpr double kBar = 18;
constexpr std::size_t kMostTicks = 6;

struct Bar {
  std::string name;
  TimeEstimate time;
  bool is_own = false;
};

struct Mark {
  std::string name;
  double milliseconds = 0;
  const char* look = "";
};

class Picture {
 public:
  explicit Picture(const SpeedVerdict& speed);
  std::string render();

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  double x_of(double milliseconds) const {
    const double at = std::log(milliseconds / least_) / std::log(most_ / least_);
    return kLeft + (kRight - kLeft) * std::clamp(at, 0.0, 1.0);
  }
  double bottom() const { return kTop + kRow * static_cast<double>(bars_.size()); }
  std::string words() const;
  void ticks();
  void bar(std::size_t row);
  void mark(const Mark& mark, std::size_t row);

  bool is_modelled_;
  std::vector<Bar> bars_;
  std::vector<Mark> marks_;
  double least_ = 0;
  double most_ = 0;
  std::string out_;
};

Picture::Picture(const SpeedVerdict& speed) : is_modelled_(speed.is_modelled) {
  const auto exactly = [](double milliseconds) { return TimeEstimate{milliseconds, milliseconds, milliseconds}; };
  if (speed.baseline > 0) bars_.push_back({"naive step", exactly(speed.baseline)});
  if (speed.reference > 0) bars_.push_back({"reference", exactly(speed.reference)});
  bars_.push_back({"yours", speed.time, true});
  if (speed.peer_ratio > 0) bars_.push_back({"library", exactly(speed.time.milliseconds / speed.peer_ratio)});
  if (speed.roof_fraction > 0)
    marks_.push_back({speed.roof + " roof", speed.time.milliseconds * speed.roof_fraction, "roof"});
  if (speed.next_points > 0)
    marks_.push_back({fmt::format("{:g} points", speed.next_points), speed.next_milliseconds, "next"});
  least_ = most_ = speed.time.milliseconds;
  for (const Bar& each : bars_) {
    least_ = std::min(least_, each.time.milliseconds);
    most_ = std::max(most_, each.time.milliseconds);
  }
  for (const Mark& each : marks_) least_ = std::min(least_, each.milliseconds);
  // A logarithmic scale has no zero: leave some room below the shortest time, so that it too has a bar.
  least_ /= 1.6;
  most_ *= 1.05;
}

// The picture in words, for screen readers.
std::string Picture::words() const {
  std::string text;
  for (const Bar& each : bars_)
    text += fmt::format("{}{}{}: {}", text.empty() ? "" : ", ", is_modelled_ ? "modelled time of " : "time of ",
                        each.name, time_text(each.time));
  for (const Mark& each : marks_) text += fmt::format(", {}: {}", each.name, time_text(each.milliseconds));
  return text;
}

// At 1, 2 and 5 times powers of ten, or only at the powers if that is too many.
void Picture::ticks() {
  std::vector<double> all;
  for (const auto& factors : {std::vector<double>{1, 2, 5}, std::vector<double>{1}}) {
    all.clear();
    for (double power = std::pow(10, std::floor(std::log10(least_))); power <= most_; power *= 10)
      for (const double factor : factors)
        if (factor * power >= least_ && factor * power <= most_) all.push_back(factor * power);
    if (all.size() <= kMostTicks) break;
  }
  for (const double at : all) {
    add("<line class=\"tick\" x1=\"{0:.1f}\" y1=\"{1:.0f}\" x2=\"{0:.1f}\" y2=\"{2:.0f}\"/>", x_of(at), kTop, bottom());
    const bool is_micro = at < 0.09995;
    add("<text class=\"dim\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.0f}\">{:g} {}</text>\n", x_of(at),
        bottom() + 16, is_micro ? std::round(at * 1e5) / 100 : at, is_micro ? "µs" : "ms");
  }
}

void Picture::bar(std::size_t row) {
  const Bar& each = bars_[row];
  const double y = kTop + kRow * static_cast<double>(row) + (kRow - kBar) / 2;
  const double x = x_of(each.time.milliseconds);
  add("<text text-anchor=\"end\" x=\"{:.0f}\" y=\"{:.1f}\">{}</text>", kLeft - 10, y + kBar / 2 + 4.5,
      html_text(each.name));
  add("<rect class=\"bar{}\" x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" rx=\"2\"/>",
      each.is_own ? " own" : "", kLeft, y, x - kLeft, kBar);
  double end = x;
  if (each.time.high > each.time.low) {
    end = x_of(each.time.high);
    add("<line class=\"whisker\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", x_of(each.time.low),
        y + kBar / 2, end, y + kBar / 2);
  }
  add("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", end + 8, y + kBar / 2 + 4.5, time_text(each.time));
}

void Picture::mark(const Mark& mark, std::size_t row) {
  const double x = x_of(mark.milliseconds);
  // Names of lines that are close together are stacked.
  const double y = 12 + 14 * static_cast<double>(row);
  add("<line class=\"{0}\" x1=\"{1:.1f}\" y1=\"{2:.0f}\" x2=\"{1:.1f}\" y2=\"{3:.0f}\"/>", mark.look, x, y + 2,
      bottom());
  add("<text class=\"dim\" x=\"{:.1f}\" y=\"{:.0f}\">{} ({})</text>\n", x + 5, y, html_text(mark.name),
      time_text(mark.milliseconds));
}

std::string Picture::render() {
  add("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n", kWidth, bottom() + 42,
      html_text(words()));
  ticks();
  for (std::size_t row = 0; row < bars_.size(); ++row) bar(row);
  for (std::size_t row = 0; row < marks_.size(); ++row) mark(marks_[row], row);
  add("<text class=\"dim\" x=\"{:.0f}\" y=\"{:.0f}\">{}, logarithmic scale: shorter is better</text>\n</svg>", kLeft,
      bottom() + 36, is_modelled_ ? "modelled time" : "time");
  return std::move(out_);
}

}  // namespace

std::string speed_picture(const SpeedVerdict& speed) { return Picture(speed).render(); }

}  // namespace lanewise
