// The lab scan as the harness sees it: one task.
#include "harness/lab/lab.h"

#include "labs/scan/mistakes.h"
#include "labs/scan/numbers.h"

namespace lanewise::labs {

Lab scan() {
  Task task;
  task.name = "inclusive_scan";
  task.make = scan_lab::make;
  task.oracle = [](const Problem& problem) { return std::vector<Array>{scan_lab::prefix_sums(problem)}; };
  task.judge = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got) {
    return judge_exact(expected, got);
  };
  // Each number is read once and each sum written once; one addition an element.
  task.work = [](const Problem& problem) {
    const auto n = static_cast<double>(integer_scalar(problem, "n"));
    return Work{2 * n * sizeof(std::int32_t), n};
  };
  task.misconceptions = scan_lab::mistakes();
  return {"scan", {std::move(task)}};
}

}  // namespace lanewise::labs
