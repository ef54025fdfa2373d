// What the tests of the lab overlap share: problems made by parameters and by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "labs/labs_of_the_tree_test.h"

namespace lanewise::overlap_test {

using Words = std::vector<std::uint32_t>;

inline const Task& task_called(const std::string& name) {
  static const Lab kLab = lab_of_the_tree("overlap");
  return *find_task(kLab, name);
}

inline Problem made(const std::string& name, std::int64_t n, std::int64_t times, std::uint64_t seed = 3) {
  Parameters parameters;
  parameters.set("n", n);
  parameters.set(name == "stretch" ? "rounds" : "steps", times);
  return std::get<Problem>(task_called(name).make(parameters, seed));
}

inline Words words_of(const Array& array) {
  const std::uint32_t* first = elements<std::uint32_t>(array);
  return {first, first + element_count(array)};
}

// A problem with the given keys or cells.
inline Problem problem_of(const std::string& name, const Words& words, std::int64_t times) {
  Problem problem = made(name, static_cast<std::int64_t>(words.size()), times);
  std::copy(words.begin(), words.end(), elements<std::uint32_t>(problem.inputs[0]));
  return problem;
}

inline Words right(const std::string& name, const Problem& problem) {
  return words_of(task_called(name).oracle(problem).at(0));
}

// What the first entry of that name gives, or one after it.
inline Words outcome(const std::string& name, const std::string& mistake_name, const Problem& problem, int which = 0) {
  for (const Misconception& mistake : task_called(name).misconceptions)
    if (mistake.name == mistake_name && which-- == 0) return words_of(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no such misconception: " + mistake_name);
}

}  // namespace lanewise::overlap_test
