// Modelled times against measured ones, a dot each.
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

/// An SVG file with both axes logarithmic, and lines where both are equal and where they differ by a factor of two. The
/// dots farthest outside have their names beside them.
std::string model_scatter_svg(const std::string& title, const std::vector<ScatterDot>& dots);

}  // namespace lanewise
