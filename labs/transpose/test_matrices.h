// What the tests of the lab transpose share: problems made by parameters and by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "labs/labs_of_the_tree_test.h"

namespace lanewise::transpose_test {

using Floats = std::vector<float>;

inline const Task& task() {
  static const Lab kLab = lab_of_the_tree("transpose");
  return kLab.tasks.at(0);
}

inline Parameters shape(std::int64_t rows, std::int64_t cols) {
  Parameters parameters;
  parameters.set("rows", rows);
  parameters.set("cols", cols);
  return parameters;
}

inline Problem made(const Parameters& parameters, std::uint64_t seed = 3) {
  return std::get<Problem>(task().make(parameters, seed));
}

inline Floats floats_of(const Array& array) {
  const auto* first = elements<float>(array);
  return {first, first + element_count(array)};
}

// The elements are 0, 1, 2, ...
inline Problem counting(std::int64_t rows, std::int64_t cols) {
  Parameters parameters = shape(rows, cols);
  parameters.set("in", std::string("ascending"));
  return made(parameters);
}

inline Floats right(const Problem& problem) { return floats_of(task().oracle(problem).at(0)); }

// What the first entry of that name gives, or one after it.
inline Floats outcome(const std::string& misconception, const Problem& problem, int which = 0) {
  for (const Misconception& mistake : task().misconceptions)
    if (mistake.name == misconception && which-- == 0) return floats_of(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no such misconception: " + misconception);
}

}  // namespace lanewise::transpose_test
