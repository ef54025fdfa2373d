// Brings solutions/README.md, solutions/MODEL.md and their figures up to date with what was measured and modelled.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/ladder_steps.h"

namespace lanewise {

struct BenchPagesRequest {
  std::vector<LabSelection> labs;                ///< every lab, whichever was measured
  std::filesystem::path solutions;               ///< holds measured.toml and modelled.toml of each lab, and roofs.toml
  bool check = false;                            ///< write nothing; what would be written otherwise is an error
  std::function<void(const std::string&)> note;  ///< told what went wrong, a sentence each
};

/// An exit code of `lanewise` (grader/exit_codes.h). Prints which pages were written. Figures that no page shows any
/// more are removed.
int make_pages(const BenchPagesRequest& request);

}  // namespace lanewise
