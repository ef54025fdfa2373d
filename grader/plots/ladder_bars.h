// A ladder as bars: how fast every step is, beside the peer and the roof.
#pragma once

#include <string>
#include <vector>

namespace lanewise {

struct LadderBar {
  std::string name;   ///< "1_naive.cu"
  double rate = 0;    ///< in the figure's unit
  std::string label;  ///< "0.734 ms · 2,926 GB/s"
  bool is_peer = false;
};

struct LadderBars {
  std::string title;  ///< "inclusive_scan · race · NVIDIA H200"
  std::string unit;   ///< "GB/s"
  std::vector<LadderBar> bars;
  double roof = 0;        ///< in the unit; 0: unknown
  std::string roof_name;  ///< "copy"
};

/// An SVG file. Logarithmic if the fastest is more than thirty times as fast as the slowest.
std::string ladder_bars_svg(const LadderBars& figure);

}  // namespace lanewise
