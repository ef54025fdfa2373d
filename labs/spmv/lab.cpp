// The lab spmv as the harness sees it: a sparse matrix times a vector.
#include "harness/lab/lab.h"

#include <algorithm>
#include <utility>

#include "labs/spmv/judge.h"
#include "labs/spmv/matrices.h"
#include "labs/spmv/misconceptions.h"

namespace lanewise::labs {

Lab spmv() {
  using namespace spmv_lab;
  Task task;
  task.name = "spmv_csr";
  task.make = &make;
  task.oracle = [](const Problem& problem) { return std::vector<Array>{product(problem)}; };
  task.judge = &judge;
  task.resembles = &resembles;
  // Every entry's value and column, every row's offset and x are read once, and y is written once; a multiplication and
  // an addition an entry. (x counts once even where a cache cannot hold it: no kernel can do with less. And of a long x
  // a few entries need few elements.)
  task.work = [](const Problem& problem) {
    const Inputs in = inputs_of(problem);
    const auto entries = static_cast<double>(in.nnz);
    const auto others = static_cast<double>(in.rows + 1 + std::min(in.cols, in.nnz) + in.rows);
    return Work{8 * entries + 4 * others, 2 * entries};
  };
  task.misconceptions = mistakes();
  return {"spmv", {std::move(task)}};
}

}  // namespace lanewise::labs
