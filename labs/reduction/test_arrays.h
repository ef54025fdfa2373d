// What the tests of the lab reduction share: problems made by parameters and by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "labs/labs_of_the_tree_test.h"

namespace lanewise::reduction_test {

using Floats = std::vector<float>;
using Integers = std::vector<std::int32_t>;

inline const Task& task_called(const std::string& name) {
  static const Lab kLab = lab_of_the_tree("reduction");
  return *find_task(kLab, name);
}

inline Parameters with_function(const std::string& function, std::int64_t n) {
  Parameters parameters;
  parameters.set("function", function);
  parameters.set("n", n);
  return parameters;
}

inline Problem made(const std::string& name, const Parameters& parameters, std::uint64_t seed = 3) {
  return std::get<Problem>(task_called(name).make(parameters, seed));
}

inline Floats floats_of(const Array& array) {
  const float* first = elements<float>(array);
  return {first, first + element_count(array)};
}

inline Integers integers_of(const Array& array) {
  const std::int32_t* first = elements<std::int32_t>(array);
  return {first, first + element_count(array)};
}

// Problems with the given elements.
inline Problem problem_of(const Floats& x) {
  Problem problem = made("sum", with_function("sparse", static_cast<std::int64_t>(x.size())));
  std::copy(x.begin(), x.end(), elements<float>(problem.inputs[0]));
  return problem;
}
inline Problem problem_of(const Integers& x) {
  Problem problem = made("arg_max", with_function("equal_maxima(1)", static_cast<std::int64_t>(x.size())));
  std::copy(x.begin(), x.end(), elements<std::int32_t>(problem.inputs[0]));
  return problem;
}

inline float right_sum(const Floats& x) { return *elements<float>(task_called("sum").oracle(problem_of(x)).at(0)); }
inline std::int64_t right_index(const Integers& x) {
  return *elements<std::int64_t>(task_called("arg_max").oracle(problem_of(x)).at(0));
}

// What the first entry of that name gives, or one after it.
template <class Result>
Result outcome(const std::string& task, const std::string& misconception, const Problem& problem, int which = 0) {
  for (const Misconception& mistake : task_called(task).misconceptions)
    if (mistake.name == misconception && which-- == 0) return *elements<Result>(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no such misconception: " + misconception);
}

}  // namespace lanewise::reduction_test
