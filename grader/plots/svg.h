// Drawings as SVG text: shapes and words by class, so that one style sheet serves light and dark pages.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lanewise {

/// `text` escaped for use between tags or in an attribute.
std::string xml_text(const std::string& text);

/// A drawing; coordinates are in pixels, from the top left corner.
///
/// Classes of shapes: "paper", "grid", "axis", "own", "peer", "reference", "roof", "band". Of text: "title", "small",
/// and those of the shapes it belongs to; none for plain text.
class Svg {
 public:
  enum class Anchor { kStart, kMiddle, kEnd };

  /// `title` names the figure, `description` says in a sentence what it shows, for people who cannot see it.
  Svg(double width, double height, const std::string& title, const std::string& description);

  void rect(double x, double y, double width, double height, const std::string& style);
  struct Box {
    double x = 0, y = 0, width = 0, height = 0;
  };
  /// Many at once, as one shape; nothing if there are none.
  void boxes(const std::vector<Box>& boxes, const std::string& style, double opacity = 1);
  void line(double x1, double y1, double x2, double y2, const std::string& style);
  void polyline(const std::vector<std::pair<double, double>>& points, const std::string& style);
  /// `tip` is shown on hovering; may be empty.
  void dot(double x, double y, double radius, const std::string& style, const std::string& tip = "");
  /// (x, y) is on the baseline.
  void text(double x, double y, const std::string& words, Anchor anchor = Anchor::kStart,
            const std::string& style = "");

  /// The whole file.
  std::string finish() const;

 private:
  std::string body_;
};

}  // namespace lanewise
