// The course map of labs/README.md: where each lab stands in the course, as its lab.toml says.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/lab_file.h"

namespace lanewise {

/// A Markdown table, one row a lab, in the order of the course.
std::string course_map(std::vector<LabFile> labs);

}  // namespace lanewise
