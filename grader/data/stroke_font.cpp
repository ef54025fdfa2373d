// A font drawn for this file: polylines on a grid in which capitals are 12 and small letters 8 high.
#include "grader/data/stroke_font.h"

#include <charconv>
#include <map>

namespace lanewise {
namespace {

constexpr double kCapitalHeight = 12;
constexpr double kGap = 2.6;  // between letters

// "x,y x,y ..." joined by straight lines; after '~' by a smooth curve, after 'o' by a closed one. Strokes are separated
// by '|'.
struct Drawn {
  char letter;
  double width;
  std::string_view strokes;
};

constexpr Drawn kFont[] = {
    {'0', 8, "o4,12 1.3,10.3 .4,6 1.3,1.7 4,0 6.7,1.7 7.6,6 6.7,10.3"},
    {'1', 5, "1,9.4 3.6,12 3.6,0"},
    {'2', 8, "~.8,9.2 2,11.4 4.2,12 6.6,11 7,8.6 5.6,5.8|5.6,5.8 .6,0 7.5,0"},
    {'3', 8, "~.8,10.2 2.2,11.6 4.2,12 6.4,11 6.6,8.4 5,6.7 3.2,6.4|~3.2,6.4 5.4,6 7.2,4.4 7,1.8 4.6,0 2.2,.2 .5,1.8"},
    {'4', 8, "5.7,0 5.7,12 .4,3.4 7.8,3.4"},
    {'5', 8, "6.8,12 1.7,12 1.1,6.4|~1.1,6.4 3.6,7.4 6.2,6.7 7.4,3.9 6.4,1.1 3.8,0 1.6,.4 .4,1.8"},
    {'6', 8, "~6.6,11.3 4.6,12 2,10.3 .8,7 .7,4|o4,7.3 1.5,6 .7,3.6 1.6,1 4,0 6.5,1 7.4,3.6 6.5,6.2"},
    {'7', 8, ".5,12 7.4,12 3,0"},
    {'8', 8,
     "o4,12 1.7,11.1 1.1,9.1 2.2,7.2 4,6.6 5.8,7.2 6.9,9.1 6.3,11.1|o4,6.6 1.5,5.5 .5,3.2 1.5,.9 4,0 6.5,.9 "
     "7.5,3.2 6.5,5.5"},
    {'9', 8, "o4,4.7 6.5,6 7.3,8.4 6.4,11 4,12 1.5,11 .6,8.4 1.5,5.8|~7.3,8.2 7.2,5 6,1.7 3.4,0 1.4,.7"},
    {'a', 7.4, "o3.8,8 1.3,6.9 .4,4 1.3,1.1 3.8,0 6,1.2 6.8,4 6,6.8|6.8,8 6.8,0"},
    {'b', 7.6, ".8,12 .8,0|o3.8,8 1.6,6.8 .8,4 1.6,1.2 3.8,0 6.3,1.1 7.2,4 6.3,6.9"},
    {'c', 6.8, "~6.6,6.5 4.2,8 1.5,7 .4,4 1.5,1 4.2,0 6.6,1.5"},
    {'d', 7.4, "o3.8,8 1.3,6.9 .4,4 1.3,1.1 3.8,0 6,1.2 6.8,4 6,6.8|6.8,12 6.8,0"},
    {'e', 7.4, ".5,4.2 7,4.2|~7,4.2 6.3,7 3.8,8 1.4,7 .4,4.1 1.5,1 4.1,0 6.6,1.4"},
    {'f', 4.6, "~4.8,11.7 3.4,12 2.4,11 2.1,9|2.1,9 2.1,0|.2,8 4.4,8"},
    {'g', 7.4, "o3.8,8 1.3,6.9 .4,4 1.3,1.1 3.8,0 6,1.2 6.8,4 6,6.8|6.8,8 6.8,-1|~6.8,-1 6,-3.3 3.6,-4 1,-3.2"},
    {'h', 7.2, ".8,12 .8,0|~.8,5 2,7.2 4.2,8 5.9,7.2 6.4,5|6.4,5 6.4,0"},
    {'i', 2, "1,8 1,0|1,10.9 1,11.3"},
    {'j', 2.6, "1.8,8 1.8,-2|~1.8,-2 1.2,-3.6 -.4,-4|1.8,10.9 1.8,11.3"},
    {'k', 6.4, ".8,12 .8,0|6,8 .8,2.8|2.9,4.9 6.4,0"},
    {'l', 2, "1,12 1,0"},
    {'m', 11.2,
     ".8,8 .8,0|~.8,5 1.8,7.2 3.6,8 5.1,7.2 5.6,5|5.6,5 5.6,0|~5.6,5 6.6,7.2 8.4,8 9.9,7.2 10.4,5|10.4,5 "
     "10.4,0"},
    {'n', 7.2, ".8,8 .8,0|~.8,5 2,7.2 4.2,8 5.9,7.2 6.4,5|6.4,5 6.4,0"},
    {'o', 7.8, "o3.9,8 1.4,6.9 .4,4 1.4,1.1 3.9,0 6.4,1.1 7.4,4 6.4,6.9"},
    {'p', 7.6, ".8,8 .8,-4|o3.8,8 1.6,6.8 .8,4 1.6,1.2 3.8,0 6.3,1.1 7.2,4 6.3,6.9"},
    {'q', 7.4, "o3.8,8 1.3,6.9 .4,4 1.3,1.1 3.8,0 6,1.2 6.8,4 6,6.8|6.8,8 6.8,-4"},
    {'r', 4.6, ".8,8 .8,0|~.8,4.6 1.6,7 3.2,8 4.6,7.9"},
    {'s', 6.4, "~5.9,6.7 4.7,7.7 3.2,8 1.4,7.4 .9,5.8 1.8,4.7 3.3,4.1 5,3.4 5.9,2.2 5.2,.6 3.2,0 1.5,.3 .4,1.4"},
    {'t', 4.8, "2.1,11 2.1,2.4|~2.1,2.4 2.7,.5 4.6,.1|.2,8 4.5,8"},
    {'u', 7.2, ".8,8 .8,3|~.8,3 1.3,.8 3,0 5.2,.8 6.4,3|6.4,8 6.4,0"},
    {'v', 6.8, ".4,8 3.4,0 6.4,8"},
    {'w', 10, ".4,8 2.7,0 5,7.2 7.3,0 9.6,8"},
    {'x', 6.6, ".5,8 6.1,0|6.1,8 .5,0"},
    {'y', 6.8, ".4,8 3.4,.4|6.5,8 3.2,-1.6|~3.2,-1.6 2.2,-3.6 .4,-4"},
    {'z', 6.6, ".7,8 6,8 .6,0 6.2,0"},
    {'A', 8.6, "0,0 4.3,12 8.6,0|1.5,4 7.1,4"},
    {'B', 8,
     "1,0 1,12 4.2,12|~4.2,12 6.5,11.3 7.1,9.2 6.4,7.2 4.2,6.4|1,6.4 4.2,6.4|~4.2,6.4 6.8,5.6 7.7,3.2 6.9,.9 "
     "4.3,0|4.3,0 1,0"},
    {'C', 8.6, "~8.2,9.8 6.7,11.5 4.6,12 1.7,10.5 .6,6 1.7,1.5 4.6,0 6.7,.5 8.2,2.2"},
    {'D', 8.8, "1,0 1,12 3.8,12|~3.8,12 6.9,10.5 8.2,6 6.9,1.5 3.8,0|3.8,0 1,0"},
    {'E', 7.4, "7,12 1,12 1,0 7,0|1,6.4 6,6.4"},
    {'F', 7, "7,12 1,12 1,0|1,6.2 6,6.2"},
    {'G', 9, "~8.2,9.8 6.7,11.5 4.6,12 1.7,10.5 .6,6 1.7,1.5 4.6,0 6.9,.6 8.4,2.4|8.4,2.4 8.4,5.6 5,5.6"},
    {'H', 9, "1,12 1,0|8,12 8,0|1,6.4 8,6.4"},
    {'I', 2, "1,12 1,0"},
    {'J', 6, "5,12 5,3|~5,3 4.4,.8 2.7,0 .5,1.3"},
    {'K', 8, "1,12 1,0|7.4,12 1,5|3.3,7.4 7.8,0"},
    {'L', 7, "1,12 1,0 6.8,0"},
    {'M', 10, "1,0 1,12 5,3.4 9,12 9,0"},
    {'N', 9, "1,0 1,12 8,0 8,12"},
    {'O', 9.4, "o4.7,12 1.7,10.4 .5,6 1.7,1.6 4.7,0 7.7,1.6 8.9,6 7.7,10.4"},
    {'P', 7.6, "1,0 1,12 4.2,12|~4.2,12 6.6,11.1 7.4,8.9 6.6,6.7 4.2,5.8|4.2,5.8 1,5.8"},
    {'Q', 9.4, "o4.7,12 1.7,10.4 .5,6 1.7,1.6 4.7,0 7.7,1.6 8.9,6 7.7,10.4|5.6,3 9,-.8"},
    {'R', 8, "1,0 1,12 4.2,12|~4.2,12 6.6,11.1 7.4,8.9 6.6,6.7 4.2,5.8|4.2,5.8 1,5.8|4.2,5.8 7.8,0"},
    {'S', 8, "~7.2,10.2 5.9,11.6 4,12 1.8,11.2 1,9.2 1.8,7.4 4,6.3 6.4,5.1 7.3,3 6.4,.9 4,0 2,.4 .5,2"},
    {'T', 8, "0,12 8,12|4,12 4,0"},
    {'U', 8.8, "1,12 1,4|~1,4 1.9,1.1 4.4,0 6.9,1.1 7.8,4|7.8,4 7.8,12"},
    {'V', 8.6, "0,12 4.3,0 8.6,12"},
    {'W', 12, "0,12 3,0 6,10.6 9,0 12,12"},
    {'X', 8, ".3,12 7.7,0|7.7,12 .3,0"},
    {'Y', 8.4, "0,12 4.2,6 8.4,12|4.2,6 4.2,0"},
    {'Z', 8, ".6,12 7.4,12 .4,0 7.6,0"},
    {' ', 3.4, ""},
    {'.', 1.6, ".8,.2 .8,.6"},
    {',', 1.8, "1.1,.6 1,-.2 .3,-1.8"},
    {':', 1.6, ".8,.2 .8,.6|.8,6.4 .8,6.8"},
    {';', 1.8, "1.1,.6 1,-.2 .3,-1.8|1.1,6.4 1.1,6.8"},
    {'\'', 1.4, ".7,12 .7,9"},
    {'(', 3.4, "~3,13 1.2,9.6 .7,5.6 1.2,1.6 3,-2"},
    {')', 3.4, "~.4,13 2.2,9.6 2.7,5.6 2.2,1.6 .4,-2"},
    {'[', 3.4, "3,13 .9,13 .9,-2 3,-2"},
    {']', 3.4, ".4,13 2.5,13 2.5,-2 .4,-2"},
    {'-', 4.6, ".5,4.6 4.1,4.6"},
    {'_', 7, "0,-1.6 7,-1.6"},
    {'+', 7.4, ".5,5 6.9,5|3.7,8.2 3.7,1.8"},
    {'=', 7.4, ".5,6.4 6.9,6.4|.5,3.4 6.9,3.4"},
    {'<', 7, "6.6,8.4 .6,5 6.6,1.6"},
    {'>', 7, ".4,8.4 6.4,5 .4,1.6"},
    {'*', 6, "3,11.6 3,6.4|.8,10.4 5.2,7.6|5.2,10.4 .8,7.6"},
    {'/', 6, "0,-1 6,13"},
    {'%', 10,
     "8.6,12 1.4,0|o2.6,12 .9,11 .4,9.2 .9,7.4 2.6,6.4 4.3,7.4 4.8,9.2 4.3,11|o7.4,5.6 5.7,4.6 5.2,2.8 5.7,1 "
     "7.4,0 9.1,1 9.6,2.8 9.1,4.6"},
};

constexpr Drawn kUnknown = {'\0', 7, ".5,0 .5,12 6.5,12 6.5,0 .5,0"};

const Drawn& drawn(char letter) {
  for (const Drawn& each : kFont)
    if (each.letter == letter) return each;
  return kUnknown;
}

double number(const char*& at, const char* end) {
  double value = 0;
  at = std::from_chars(at, end, value).ptr;
  return value;
}

Polyline points_of(std::string_view text) {
  Polyline points;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    Point point;
    point.x = number(at, end);
    ++at;  // the comma
    point.y = number(at, end);
    ++at;  // the blank
    points.push_back(point);
  }
  return points;
}

// A curve through the points. Source: E. Catmull, R. Rom, "A class of local interpolating splines", 1974.
Polyline smooth(const Polyline& points, bool is_closed) {
  constexpr int kSteps = 8;
  const auto count = static_cast<std::ptrdiff_t>(points.size());
  const auto point = [&](std::ptrdiff_t i) {
    if (is_closed) return points[static_cast<std::size_t>((i + count) % count)];
    return points[static_cast<std::size_t>(i < 0 ? 0 : i >= count ? count - 1 : i)];
  };
  Polyline curve;
  for (std::ptrdiff_t i = 0; i + (is_closed ? 0 : 1) < count; ++i) {
    const Point a = point(i - 1), b = point(i), c = point(i + 1), d = point(i + 2);
    for (int step = 0; step < kSteps; ++step) {
      const double t = static_cast<double>(step) / kSteps;
      const auto blend = [t](double p, double q, double r, double s) {
        return 0.5 * (2 * q + (r - p) * t + (2 * p - 5 * q + 4 * r - s) * t * t + (3 * q - p - 3 * r + s) * t * t * t);
      };
      curve.push_back({blend(a.x, b.x, c.x, d.x), blend(a.y, b.y, c.y, d.y)});
    }
  }
  curve.push_back(is_closed ? points.front() : points.back());
  return curve;
}

}  // namespace

std::vector<Polyline> text_strokes(std::string_view text, double height) {
  const double scale = height / kCapitalHeight;
  std::vector<Polyline> strokes;
  double left = 0;
  for (const char letter : text) {
    const Drawn& glyph = drawn(letter);
    for (std::string_view rest = glyph.strokes; !rest.empty();) {
      const std::size_t bar = rest.find('|');
      std::string_view stroke = rest.substr(0, bar);
      rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 1);
      const bool is_closed = stroke.front() == 'o';
      const bool is_smooth = is_closed || stroke.front() == '~';
      if (is_smooth) stroke.remove_prefix(1);
      Polyline line = points_of(stroke);
      if (is_smooth) line = smooth(line, is_closed);
      for (Point& point : line) point = {(point.x + left) * scale, point.y * scale};
      strokes.push_back(std::move(line));
    }
    left += glyph.width + kGap;
  }
  return strokes;
}

double text_width(std::string_view text, double height) {
  double width = 0;
  for (const char letter : text) width += drawn(letter).width + kGap;
  return text.empty() ? 0 : (width - kGap) * height / kCapitalHeight;
}

}  // namespace lanewise
