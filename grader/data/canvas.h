// A picture to draw on: smooth lines, dots, areas and text.
#pragma once

#include <cstdint>
#include <string_view>

#include "datasets/image.h"
#include "grader/data/stroke_font.h"

namespace lanewise {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

enum class Align : std::uint8_t { kLeft, kCentre, kRight };

/// x grows to the right and y downwards, from the upper left corner. Anything outside is not drawn.
class Canvas {
 public:
  Canvas(int width, int height, Colour background);

  void area(double left, double top, double right, double bottom, Colour colour);
  void dot(Point centre, double radius, Colour colour, double opacity = 1);
  void line(const Polyline& points, double width, Colour colour, double opacity = 1);
  /// `at` is on the baseline: the text's left end, middle or right end. Capitals have the height `height`.
  void text(std::string_view text, Point at, double height, Align align, Colour colour, double weight = 0.13);
  /// The same, rotated to read upwards.
  void text_upwards(std::string_view text, Point at, double height, Align align, Colour colour, double weight = 0.13);

  const Image& image() const { return image_; }

 private:
  void blend(int x, int y, Colour colour, double opacity);
  void strokes(const std::vector<Polyline>& lines, double width, Colour colour, double opacity);

  Image image_;
};

}  // namespace lanewise
