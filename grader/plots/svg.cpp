// Numbers with one decimal at most, so that files do not change with the last bits of a sum.
#include "grader/plots/svg.h"

#include <fmt/format.h>

#include <cmath>

namespace lanewise {
namespace {

// Blue and orange stay apart for people who see few colours.
constexpr const char* kStyle = R"(  <style>
    text { font: 13px Helvetica, Arial, sans-serif; fill: #1f2933 }
    .title { font-size: 15px; font-weight: bold }
    .small { font-size: 12px }
    .paper { fill: #ffffff }
    line, polyline { fill: none; stroke-width: 1 }
    .grid { stroke: #e1e6eb }
    .axis { stroke: #7b8794 }
    .own { fill: #2f6fb2 } .reference { fill: #6b7c93 } .peer { fill: #c2571a } .roof { fill: #7b8794 }
    .band { stroke: #7b8794; stroke-dasharray: 3 4 }
    line.own, polyline.own { fill: none; stroke: #2f6fb2; stroke-width: 2 }
    line.reference, polyline.reference { fill: none; stroke: #6b7c93; stroke-width: 2; stroke-dasharray: 7 4 }
    line.peer, polyline.peer { fill: none; stroke: #c2571a; stroke-width: 2 }
    line.roof { stroke: #7b8794; stroke-width: 1.5; stroke-dasharray: 6 4 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e4e7eb }
      .paper { fill: #14181d }
      .grid { stroke: #2b3440 }
      .axis, .band, line.roof { stroke: #8b98a8 }
      .own { fill: #6aa9e9 } .reference { fill: #9fb3c8 } .peer { fill: #f0935b } .roof { fill: #9fb3c8 }
      line.own, polyline.own { stroke: #6aa9e9 }
      line.reference, polyline.reference { stroke: #9fb3c8 }
      line.peer, polyline.peer { stroke: #f0935b }
    }
  </style>
)";

std::string number(double value) {
  const double rounded = std::round(value * 10) / 10;
  return fmt::format("{:g}", rounded == 0 ? 0.0 : rounded);
}

std::string class_of(const std::string& style) { return style.empty() ? "" : fmt::format(" class=\"{}\"", style); }

}  // namespace

std::string xml_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result;
}

Svg::Svg(double width, double height, const std::string& title, const std::string& description) {
  body_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-labelledby=\"title desc\">\n  <title id=\"title\">{2}</title>\n  <desc id=\"desc\">{3}</desc>\n",
      number(width), number(height), xml_text(title), xml_text(description));
  body_ += kStyle;
  body_ +=
      fmt::format("  <rect width=\"{}\" height=\"{}\" rx=\"8\" class=\"paper\"/>\n", number(width), number(height));
}

void Svg::rect(double x, double y, double width, double height, const std::string& style) {
  body_ += fmt::format("  <rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}/>\n", number(x), number(y),
                       number(width), number(height), class_of(style));
}

void Svg::boxes(const std::vector<Box>& boxes, const std::string& style, double opacity) {
  if (boxes.empty()) return;
  std::string path;
  for (const Box& box : boxes)
    path += fmt::format("M{} {}h{}v{}h-{}z", number(box.x), number(box.y), number(box.width), number(box.height),
                        number(box.width));
  body_ += fmt::format("  <path d=\"{}\" fill-opacity=\"{:.2g}\"{}/>\n", path, opacity, class_of(style));
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& style) {
  body_ += fmt::format("  <line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", number(x1), number(y1), number(x2),
                       number(y2), class_of(style));
}

void Svg::polyline(const std::vector<std::pair<double, double>>& points, const std::string& style) {
  std::string places;
  for (const auto& [x, y] : points) places += (places.empty() ? "" : " ") + number(x) + "," + number(y);
  body_ += fmt::format("  <polyline points=\"{}\"{}/>\n", places, class_of(style));
}

void Svg::dot(double x, double y, double radius, const std::string& style, const std::string& tip) {
  const std::string shape =
      fmt::format("  <circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}", number(x), number(y), number(radius), class_of(style));
  body_ += shape + (tip.empty() ? "/>\n" : fmt::format("><title>{}</title></circle>\n", xml_text(tip)));
}

void Svg::text(double x, double y, const std::string& words, Anchor anchor, const std::string& style) {
  const char* const place = anchor == Anchor::kStart    ? ""
                            : anchor == Anchor::kMiddle ? " text-anchor=\"middle\""
                                                        : " text-anchor=\"end\"";
  body_ += fmt::format("  <text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", number(x), number(y), place, class_of(style),
                       xml_text(words));
}

std::string Svg::finish() const { return body_ + "</svg>\n"; }

}  // namespace lanewise
