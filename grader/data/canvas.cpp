// Draws by distance: a pixel's coverage depends on how far its centre is inside.
#include "grader/data/canvas.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace lanewise {
namespace {

struct Box {
  int left, top, right, bottom;  // the last ones outside
};

double distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length = dx * dx + dy * dy;
  const double along = length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

Box around(double left, double top, double right, double bottom, const Image& image) {
  const auto within = [](double value, int most) { return static_cast<int>(std::clamp<double>(value, 0, most)); };
  return {within(std::floor(left), image.width), within(std::floor(top), image.height),
          within(std::ceil(right), image.width), within(std::ceil(bottom), image.height)};
}

}  // namespace

Canvas::Canvas(int width, int height, Colour background) : image_{width, height, 3, {}} {
  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  image_.pixels.reserve(3 * count);
  for (std::size_t i = 0; i < count; ++i)
    image_.pixels.insert(image_.pixels.end(), {background.red, background.green, background.blue});
}

void Canvas::blend(int x, int y, Colour colour, double opacity) {
  std::uint8_t* pixel = &image_.pixels[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) +
                                            static_cast<std::size_t>(x))];
  const auto mix = [opacity](std::uint8_t below, std::uint8_t above) {
    return static_cast<std::uint8_t>(std::lround(below + (above - below) * opacity));
  };
  pixel[0] = mix(pixel[0], colour.red);
  pixel[1] = mix(pixel[1], colour.green);
  pixel[2] = mix(pixel[2], colour.blue);
}

void Canvas::area(double left, double top, double right, double bottom, Colour colour) {
  const Box box = around(left, top, right, bottom, image_);
  for (int y = box.top; y < box.bottom; ++y)
    for (int x = box.left; x < box.right; ++x) {
      const double wide = std::min(right, x + 1.0) - std::max(left, static_cast<double>(x));
      const double high = std::min(bottom, y + 1.0) - std::max(top, static_cast<double>(y));
      blend(x, y, colour, std::max(0.0, wide) * std::max(0.0, high));
    }
}

void Canvas::dot(Point centre, double radius, Colour colour, double opacity) {
  strokes({{centre, centre}}, 2 * radius, colour, opacity);
}

void Canvas::line(const Polyline& points, double width, Colour colour, double opacity) {
  strokes({points}, width, colour, opacity);
}

// All lines at once, so that joints are not drawn twice.
void Canvas::strokes(const std::vector<Polyline>& lines, double width, Colour colour, double opacity) {
  constexpr double kFar = std::numeric_limits<double>::max();
  double left = kFar, top = kFar, right = -kFar, bottom = -kFar;
  for (const Polyline& line : lines)
    for (const Point& point : line) {
      left = std::min(left, point.x);
      right = std::max(right, point.x);
      top = std::min(top, point.y);
      bottom = std::max(bottom, point.y);
    }
  if (left > right) return;
  const double reach = width / 2 + 1;
  const Box box = around(left - reach, top - reach, right + reach, bottom + reach, image_);
  if (box.left >= box.right || box.top >= box.bottom) return;
  const auto columns = static_cast<std::size_t>(box.right - box.left);
  std::vector<float> nearest(columns * static_cast<std::size_t>(box.bottom - box.top), 1e9f);
  for (const Polyline& line : lines)
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      const Point a = line[i];
      const Point b = line[i + 1];
      const Box part = around(std::min(a.x, b.x) - reach, std::min(a.y, b.y) - reach, std::max(a.x, b.x) + reach,
                              std::max(a.y, b.y) + reach, image_);
      for (int y = part.top; y < part.bottom; ++y)
        for (int x = part.left; x < part.right; ++x) {
          float& least =
              nearest[static_cast<std::size_t>(y - box.top) * columns + static_cast<std::size_t>(x - box.left)];
          least = std::min(least, static_cast<float>(distance({x + 0.5, y + 0.5}, a, b)));
        }
    }
  for (int y = box.top; y < box.bottom; ++y)
    for (int x = box.left; x < box.right; ++x) {
      const double away =
          nearest[static_cast<std::size_t>(y - box.top) * columns + static_cast<std::size_t>(x - box.left)];
      const double cover = std::clamp(width / 2 + 0.5 - away, 0.0, 1.0);
      if (cover > 0) blend(x, y, colour, cover * opacity);
    }
}

void Canvas::text(std::string_view text, Point at, double height, Align align, Colour colour, double weight) {
  const double width = text_width(text, height);
  const double left = align == Align::kLeft ? at.x : align == Align::kCentre ? at.x - width / 2 : at.x - width;
  std::vector<Polyline> lines = text_strokes(text, height);
  for (Polyline& line : lines)
    for (Point& point : line) point = {left + point.x, at.y - point.y};
  strokes(lines, height * weight, colour, 1);
}

void Canvas::text_upwards(std::string_view text, Point at, double height, Align align, Colour colour, double weight) {
  const double width = text_width(text, height);
  const double from = align == Align::kLeft ? at.y : align == Align::kCentre ? at.y + width / 2 : at.y + width;
  std::vector<Polyline> lines = text_strokes(text, height);
  for (Polyline& line : lines)
    for (Point& point : line) point = {at.x - point.y, from - point.x};
  strokes(lines, height * weight, colour, 1);
}

}  // namespace lanewise
