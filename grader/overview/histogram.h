// A distribution of points as a picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lanewise {

struct Histogram {
  std::vector<std::size_t> counts;  ///< in equal bins from 0 to max_points; not empty
  double max_points = 0;
  double mean = 0;
  double median = 0;
};

/// An SVG element for a page with kOverviewStyle: a column per bin with its count above, and lines for mean and median.
std::string histogram_picture(const Histogram& histogram);

}  // namespace lanewise
