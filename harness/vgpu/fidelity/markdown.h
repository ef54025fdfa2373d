// Writes a comparison as Markdown.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/vgpu/fidelity/comparison.h"

namespace vgpu::fidelity {

using ProgramRows = std::pair<std::string, std::vector<Row>>;  ///< a program's name and its kernels

/// For each metric in how many kernels it was equal, within the bar and beyond it.
std::string summary_of(const std::vector<ProgramRows>& programs);

/// A table a program, with the columns in which something was counted or measured.
std::string tables_of(const std::vector<ProgramRows>& programs);

/// "1,234,567"; "31.25" for what is no whole number.
std::string number_text(double value);

/// "768" where both say so, "768 / 770 (0.997)" where not; bold beyond the bar.
std::string cell_text(const Cell& cell);

}  // namespace vgpu::fidelity
