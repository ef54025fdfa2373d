// A whole class on the terminal: a line per lab, then what could not be graded.
#pragma once

#include <filesystem>
#include <string>

#include "grader/class/graded_class.h"
#include "grader/overview/similarity.h"
#include "harness/report/text_style.h"

namespace lanewise {

/// Lines no longer than `style.width` where possible. Text from students is escaped. `pages` is the folder that the
/// overview was written to; empty: none.
std::string class_summary(const GradedClass& graded, const TextStyle& style, const std::filesystem::path& pages = {},
                          const Similarity& similarity = {});

}  // namespace lanewise
