// Pictures of data sets: degrees of a graph, places of a matrix, values of an array.
#pragma once

#include <string>

#include "grader/data/description.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// A graph: how many vertices have which degree, both axes logarithmic. A matrix: where its entries are (a spy plot;
/// darker where more share a cell of two pixels or more). An array: a histogram. A picture is one already, and an array
/// of nothing has none: a failure. `title` stands above it.
Expected<Image> plot_of(const DataContents& contents, const std::string& title);

}  // namespace lanewise
