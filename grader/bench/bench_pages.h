// Brings solutions/README.md, solutions/MODEL.md and their figures up to date with measured and modelled times.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/bench/ladder_steps.h"

namespace lanewise {

struct BenchPagesRequest {
  std::vector<LabSelection> labs;                ///< every lab, whichever was measured
  std::filesystem::path solutions;               ///< holds measured.toml and modelled.toml of each lab, and roofs.toml
  bool check = false;                            ///< write nothing; a stale file is an error
  std::function<void(const std::string&)> note;  ///< called with a sentence for each problem
};

/// Returns an exit code of `lanewise` (grader/exit_codes.h). Prints which pages were written. Removes figures that no
/// page shows any more.
int make_pages(const BenchPagesRequest& request);

}  // namespace lanewise
