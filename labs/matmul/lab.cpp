// The lab matmul as the harness sees it: one matrix times another.
#include "harness/lab/lab.h"

#include "labs/matmul/inputs.h"
#include "labs/matmul/judge.h"
#include "labs/matmul/matrix.h"
#include "labs/matmul/misconceptions.h"

namespace lanewise::labs {

Lab matmul() {
  using namespace matmul_lab;
  Task task;
  task.name = "matmul";
  task.make = &make;
  task.oracle = [](const Problem& problem) -> std::vector<Array> {
    return {product_array(factor_a(problem), factor_b(problem), extents_of(problem))};
  };
  task.judge = &judge;
  task.resembles = &resembles;
  // Both factors are read once and the product is written once; k multiplications and k additions an element.
  task.work = [](const Problem& problem) {
    const Extents extents = extents_of(problem);
    const auto m = static_cast<double>(extents.m);
    const auto n = static_cast<double>(extents.n);
    const auto k = static_cast<double>(extents.k);
    return Work{(m * k + k * n + m * n) * sizeof(float), 2 * m * n * k};
  };
  task.misconceptions = mistakes();
  return {"matmul", {task}};
}

}  // namespace lanewise::labs
