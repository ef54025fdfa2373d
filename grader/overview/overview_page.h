// A whole class as one web page for the instructor: self-contained, light and dark, fit for print and for file://.
#pragma once

#include <cstddef>
#include <string>

#include "grader/graded_class.h"
#include "grader/overview/similarity.h"

namespace lanewise {

/// Rows that a list on the page has at most.
inline constexpr std::size_t kRowsOnPage = 200;
/// Beside the page: all that was set aside, where that is more.
inline constexpr const char* kSetAsideFile = "set-aside.txt";

/// The page links to students/<id>/index.html and to what pair_file names, both beside it. What came from students is
/// escaped; lists that could be without end are cut, and say by how much.
std::string overview_page(const GradedClass& graded, const Similarity& similarity);

/// Where the page of a pair lies, seen from the overview: "similar/01.html" for position 0.
std::string pair_file(std::size_t position);

}  // namespace lanewise
