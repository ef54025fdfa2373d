// Throughput against size, one line per file.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lanewise {

struct ScalingLine {
  std::string name;                               ///< "7_look_back.cu"
  std::string style;                              ///< "own", "reference" or "peer"
  std::vector<std::pair<double, double>> points;  ///< size and rate, from small to large
};

struct ScalingLines {
  std::string title;
  std::string size_name;  ///< "n"
  std::string unit;       ///< of the rates
  std::vector<ScalingLine> lines;
  double roof = 0;  ///< in the unit; 0: unknown
  std::string roof_name;
};

/// An SVG file. Sizes are logarithmic if they span a factor of eight.
std::string scaling_lines_svg(const ScalingLines& figure);

}  // namespace lanewise
