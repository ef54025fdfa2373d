// Letters as pen strokes, for pictures that need no font.
#pragma once

#include <string_view>
#include <vector>

namespace lanewise {

struct Point {
  double x = 0;
  double y = 0;
};

using Polyline = std::vector<Point>;

/// The strokes of ASCII text whose first letter begins at (0, 0) on the baseline; y grows upwards and capital letters
/// are `height` high. Characters that the font lacks are drawn as a box.
std::vector<Polyline> text_strokes(std::string_view text, double height);

/// The width of the text.
double text_width(std::string_view text, double height);

}  // namespace lanewise
