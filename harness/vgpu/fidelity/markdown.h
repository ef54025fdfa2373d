// Writes a comparison as Markdown.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/vgpu/fidelity/comparison.h"

namespace vgpu::fidelity {

using ProgramRows = std::pair<std::string, std::vector<Row>>;  ///< a program's name and its kernels

/// Programs "image.blur.1_naive" and "image.blur.2_shared_tile" become one, "image.blur", with kernels "1_naive: ...".
/// They must be consecutive.
std::vector<ProgramRows> by_task(const std::vector<ProgramRows>& programs);

/// For each metric, in how many kernels it was equal, within the tolerance and beyond it.
std::string summary_of(const std::vector<ProgramRows>& programs);

/// One table per program, with the columns in which something was counted or measured.
std::string tables_of(const std::vector<ProgramRows>& programs);

/// "768" if both agree, otherwise "768 / 770 (0.997)"; bold beyond the tolerance.
std::string cell_text(const Cell& cell);

}  // namespace vgpu::fidelity
