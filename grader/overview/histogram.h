// A distribution of points as a picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lanewise {

struct Histogram {
  std::vector<std::size_t> counts;  ///< of equal steps from 0 to max_points; not empty
  double max_points = 0;
  double mean = 0;
  double median = 0;
};

/// An SVG element to stand in a page whose style has kOverviewStyle: a column a step with its count above, and lines
/// for mean and median.
std::string histogram_picture(const Histogram& histogram);

}  // namespace lanewise
