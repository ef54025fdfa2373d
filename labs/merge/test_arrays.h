// What the tests of the lab merge share: problems made by parameters and by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "labs/labs_of_the_tree_test.h"

namespace lanewise::merge_test {

using Key = std::int32_t;
using Keys = std::vector<Key>;

inline constexpr Key kUntouched = static_cast<Key>(0xA5A5A5A5);  // the poison as a key

inline const Task& task() {
  static const Lab kLab = lab_of_the_tree("merge");
  return kLab.tasks.at(0);
}

// For each function of the oracle that makes arrays.
inline constexpr const char* kMakers[] = {"spread(-1000, 1000)", "extremes", "a_first", "b_first", "equal",
                                          "stretches(10)"};

inline Parameters arrays(const std::string& function, std::int64_t m, std::int64_t n) {
  Parameters parameters;
  parameters.set("function", function);
  parameters.set("m", m);
  parameters.set("n", n);
  return parameters;
}

inline Parameters spread(std::int64_t m, std::int64_t n, std::int64_t low, std::int64_t high) {
  return arrays("spread(" + std::to_string(low) + ", " + std::to_string(high) + ")", m, n);
}

inline Problem made(const Parameters& parameters, std::uint64_t seed = 3) {
  return std::get<Problem>(task().make(parameters, seed));
}

inline Keys keys_of(const Array& array) {
  const Key* first = elements<Key>(array);
  return {first, first + element_count(array)};
}

// A problem with the given keys.
inline Problem problem_of(const Keys& a, const Keys& b) {
  Problem problem = made(spread(static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(b.size()), 0, 1));
  std::copy(a.begin(), a.end(), elements<Key>(problem.inputs[0]));
  std::copy(b.begin(), b.end(), elements<Key>(problem.inputs[1]));
  return problem;
}

// What the first entry of that name gives, or one after it.
inline Keys outcome(const std::string& misconception, const Problem& problem, int which = 0) {
  for (const Misconception& mistake : task().misconceptions)
    if (mistake.name == misconception && which-- == 0) return keys_of(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no such misconception: " + misconception);
}

}  // namespace lanewise::merge_test
