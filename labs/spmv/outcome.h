// What the lab's descriptions of mistakes are put together from.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "harness/lab/lab.h"
#include "labs/spmv/matrices.h"

namespace lanewise::labs::spmv_lab {

using Outcome = std::function<std::vector<Array>(const Problem&)>;

/// The sum of value(j) over the entries j of [first, end), in double.
template <class Value>
double sum_of(std::int64_t first, std::int64_t end, const Value& value) {
  double sum = 0;
  for (std::int64_t j = first; j < end; ++j) sum += value(j);
  return sum;
}

/// What entry j adds to its row's sum.
inline double product_of(const Inputs& in, std::int64_t j) {
  return static_cast<double>(in.values[j]) * in.x[in.columns[j]];
}

/// The output whose element `row` is element(inputs, row).
template <class Element>
Outcome by_rows(const Element& element) {
  return [element](const Problem& problem) -> std::vector<Array> {
    const Inputs in = inputs_of(problem);
    Array result = unwritten(problem);
    float* y = elements<float>(result);
    for_each_piece(in, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t row = first; row < end; ++row) y[row] = static_cast<float>(element(in, row));
    });
    return {std::move(result)};
  };
}

/// The right output where is_written(inputs, row), the poison elsewhere.
template <class IsWritten>
Outcome partly(const IsWritten& is_written) {
  return [is_written](const Problem& problem) -> std::vector<Array> {
    const Inputs in = inputs_of(problem);
    Array result = product(problem);
    float* y = elements<float>(result);
    const Array blank = unwritten(problem);
    const float* nothing = elements<float>(blank);
    for (std::int64_t row = 0; row < in.rows; ++row)
      if (!is_written(in, row)) y[row] = nothing[row];
    return {std::move(result)};
  };
}

}  // namespace lanewise::labs::spmv_lab
