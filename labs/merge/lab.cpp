// The lab merge as the harness sees it: two sorted arrays become one.
#include "harness/lab/lab.h"

#include "labs/merge/arrays.h"
#include "labs/merge/misconceptions.h"

namespace lanewise::labs {

Lab merge() {
  Task task;
  task.name = "merge_sorted";
  task.make = &merge_lab::make;
  task.oracle = [](const Problem& problem) { return std::vector<Array>{merge_lab::merged(problem)}; };
  task.judge = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got) {
    return judge_exact(expected, got);
  };
  // Every key is read once and written once. A merge compares; it computes nothing that would count as an operation,
  // so one comparison an output is all there is.
  task.work = [](const Problem& problem) {
    const merge_lab::Inputs in = merge_lab::inputs_of(problem);
    const auto outputs = static_cast<double>(in.m + in.n);
    return Work{2 * outputs * sizeof(std::int32_t), outputs};
  };
  task.misconceptions = merge_lab::merge_mistakes();
  return {"merge", {std::move(task)}};
}

}  // namespace lanewise::labs
