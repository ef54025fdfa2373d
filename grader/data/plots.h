// Pictures of data sets: degrees of a graph, positions of a matrix's entries, values of an array.
#pragma once

#include <string>

#include "grader/data/description.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// An SVG file. A graph: how many vertices have which degree, both axes logarithmic. A matrix: where its entries are (a
/// spy plot; darker where more share a cell of two pixels or more). An array: a histogram. Fails for a picture, and for
/// an empty array. `title` stands above it.
Expected<std::string> plot_of(const DataContents& contents, const std::string& title);

}  // namespace lanewise
