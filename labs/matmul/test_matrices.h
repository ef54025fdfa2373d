// What the tests of the lab matmul share: problems of a given shape, and the plain loops that everything is held
// against.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise {

namespace labs {
Lab matmul();
}

namespace matmul_test {

inline const Task& task() {
  static const Lab kLab = labs::matmul();
  return kLab.tasks.at(0);
}

/// Parameters of a case; "integers" and "uniform" lie between -9 and 9.
inline Parameters shape(const std::string& kind, std::int64_t m, std::int64_t n, std::int64_t k) {
  Parameters parameters;
  parameters.set("kind", kind);
  parameters.set("m", m);
  parameters.set("n", n);
  parameters.set("k", k);
  if (kind == "integers") {
    parameters.set("low", std::int64_t{-9});
    parameters.set("high", std::int64_t{9});
  } else if (kind == "uniform") {
    parameters.set("low", -9.0);
    parameters.set("high", 9.0);
  }
  return parameters;
}

inline Problem made(const Parameters& parameters, std::uint64_t seed = 3) {
  return std::get<Problem>(task().make(parameters, seed));
}

inline std::vector<float> values(const Array& array) {
  const float* first = elements<float>(array);
  return {first, first + element_count(array)};
}

inline std::vector<float> product_of(const Problem& problem) { return values(task().oracle(problem).at(0)); }

/// What the entry of that name gives; where several sizes share a name, the `which`-th.
inline std::vector<float> outcome(const std::string& misconception, const Problem& problem, int which = 0) {
  for (const Misconception& mistake : task().misconceptions)
    if (mistake.name == misconception && which-- == 0) return values(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no misconception is called " + misconception);
}

/// C as the sequential program computes it, with add(sum, a, b) for each product; sums have the type of add's first
/// parameter.
template <class Sum>
std::vector<float> loop_over(const Problem& problem, Sum (*add)(Sum, float, float)) {
  const std::int64_t m = integer_scalar(problem, "m");
  const std::int64_t n = integer_scalar(problem, "n");
  const std::int64_t k = integer_scalar(problem, "k");
  const float* a = elements<float>(problem.inputs[0]);
  const float* b = elements<float>(problem.inputs[1]);
  std::vector<float> c;
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t col = 0; col < n; ++col) {
      Sum sum = 0;
      for (std::int64_t p = 0; p < k; ++p) sum = add(sum, a[row * k + p], b[p * n + col]);
      c.push_back(static_cast<float>(sum));
    }
  return c;
}

/// The same for a lambda without captures.
template <class Add>
std::vector<float> loop_over(const Problem& problem, const Add& add) {
  return loop_over(problem, +add);
}

}  // namespace matmul_test
}  // namespace lanewise
