// Writes a comparison as Markdown.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/vgpu/fidelity/comparison.h"

namespace vgpu::fidelity {

using ProgramRows = std::pair<std::string, std::vector<Row>>;  ///< a program's name and its kernels

/// Programs "image.blur.1_naive" and "image.blur.2_shared_tile" become one, "image.blur", with kernels "1_naive: ...".
/// They have to follow each other.
std::vector<ProgramRows> by_task(const std::vector<ProgramRows>& programs);

/// For each metric in how many kernels it was equal, within the bar and beyond it.
std::string summary_of(const std::vector<ProgramRows>& programs);

/// A table a program, with the columns in which something was counted or measured.
std::string tables_of(const std::vector<ProgramRows>& programs);

/// "768" where both say so, "768 / 770 (0.997)" where not; bold beyond the bar.
std::string cell_text(const Cell& cell);

}  // namespace vgpu::fidelity
