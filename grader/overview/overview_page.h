// A whole class as one web page for the instructor: self-contained, light and dark, suitable for print and file://.
#pragma once

#include <cstddef>
#include <string>

#include "grader/class/graded_class.h"
#include "grader/overview/similarity.h"

namespace lanewise {

/// The most rows that a list on the page has, and the most pairs that have a page of their own.
inline constexpr std::size_t kRowsOnPage = 200;
/// Beside the page: everything that was set aside, if the page does not list it all.
inline constexpr const char* kSetAsideFile = "set-aside.txt";

/// The page links to students/<id>/index.html and to what pair_file names, both beside it. Text from students is
/// escaped; lists that could be endless are cut, and say by how much.
std::string overview_page(const GradedClass& graded, const Similarity& similarity);

/// The path of a pair's page, relative to the overview: "similar/01.html" for position 0.
std::string pair_file(std::size_t position);

}  // namespace lanewise
