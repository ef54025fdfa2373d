// The counters of `lanewise bench`: every step on the virtual GPU, written as tables into solutions/*/README.md, and
// its modelled times into solutions/*/modelled.toml.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/bench/ladder_steps.h"
#include "harness/report/progress.h"

namespace lanewise {

struct BenchTablesRequest {
  const std::vector<LabSelection>* labs = nullptr;
  const std::vector<Ladder>* ladders = nullptr;
  const Workplace* workplace = nullptr;  ///< on the virtual GPU
  unsigned jobs = 1;                     ///< steps run at a time
  bool check = false;                    ///< write nothing; a stale file is an error
  Progress* progress = nullptr;
  std::function<void(const std::string&)> note;  ///< called with a sentence for each problem
};

/// Returns an exit code of `lanewise` (grader/exit_codes.h).
int make_tables(const BenchTablesRequest& request);

}  // namespace lanewise
