// Modelled times against measured ones, one dot each.
#pragma once

#include <string>
#include <vector>

namespace lanewise {

struct ScatterDot {
  std::string name;     ///< "inclusive_scan · 7_look_back.cu"
  double measured = 0;  ///< microseconds
  double modelled = 0;
  bool is_peer = false;
};

/// An SVG file with two logarithmic axes, and lines where both times are equal and where they differ by a factor of
/// two. The farthest outliers are labelled.
std::string model_scatter_svg(const std::string& title, const std::vector<ScatterDot>& dots);

}  // namespace lanewise
