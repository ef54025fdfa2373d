// The lab nbody as the harness sees it: the acceleration of bodies by all others.
#include "harness/lab/lab.h"

#include "labs/nbody/bodies.h"
#include "labs/nbody/judge.h"
#include "labs/nbody/mistakes.h"

namespace lanewise::labs {

Lab nbody() {
  using namespace nbody_lab;
  Task task;
  task.name = "accelerations";
  task.make = &make;
  task.oracle = [](const Problem& problem) { return std::vector<Array>{right_accelerations(problem)}; };
  task.judge = &judge;
  task.resembles = &resembles;
  // Four floats of each body are read, and three of each result written; by convention, an interaction counts as 20
  // operations.
  task.work = [](const Problem& problem) {
    const auto n = static_cast<double>(integer_scalar(problem, "n"));
    const auto count = static_cast<double>(integer_scalar(problem, "count"));
    return Work{(4 * n + 3 * count) * sizeof(float), 20 * n * count};
  };
  task.misconceptions = mistakes();
  return {"nbody", {task}};
}

}  // namespace lanewise::labs
