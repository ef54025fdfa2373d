// A sweep's result as a table for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "harness/vgpu/sweep/sweep.h"

namespace vgpu::sweep {

struct Totals {
  std::size_t mutants = 0;  ///< that compile
  std::size_t found = 0, equivalent = 0, missed = 0, survived = 0;
  std::size_t silent = 0;  ///< found by checkers although the output was right

  /// Of the mutants that change behaviour.
  double percent_found() const;
};

Totals totals_of(const std::vector<SweptSource>& sources);

/// One row per source and a row of sums: mutants by operator, what found them, what is left. Aligned, and Markdown.
std::string table_of(const std::vector<SweptSource>& sources);

/// Below the table: the share that was found, each survivor with its place, and each problem.
std::string remarks_on(const std::vector<SweptSource>& sources);

/// Every mutant with its outcome.
std::string as_json(const std::vector<SweptSource>& sources);

}  // namespace vgpu::sweep
