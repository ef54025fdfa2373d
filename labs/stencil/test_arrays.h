// What the tests of the lab stencil share: problems made by parameters and by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "labs/labs_of_the_tree_test.h"

namespace lanewise::stencil_test {

using Numbers = std::vector<float>;

inline const Task& task(const std::string& name) {
  static const Lab kLab = lab_of_the_tree("stencil");
  for (const Task& each : kLab.tasks)
    if (each.name == name) return each;
  throw std::invalid_argument("no such task: " + name);
}

inline Parameters picture(const std::string& function, std::int64_t width, std::int64_t height, std::int64_t radius) {
  Parameters parameters;
  parameters.set("function", function);
  parameters.set("width", width);
  parameters.set("height", height);
  parameters.set("radius", radius);
  return parameters;
}

inline Parameters grid(const std::string& function, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  Parameters parameters;
  parameters.set("function", function);
  parameters.set("nx", nx);
  parameters.set("ny", ny);
  parameters.set("nz", nz);
  return parameters;
}

inline Problem made(const std::string& name, const Parameters& parameters, std::uint64_t seed = 3) {
  return std::get<Problem>(task(name).make(parameters, seed));
}

inline Numbers numbers_of(const Array& array) {
  const float* first = elements<float>(array);
  return {first, first + element_count(array)};
}

inline Numbers right(const std::string& name, const Problem& problem) {
  return numbers_of(task(name).oracle(problem).at(0));
}

// What the first entry of that name gives, or one after it.
inline Numbers outcome(const std::string& name, const std::string& misconception, const Problem& problem,
                       int which = 0) {
  for (const Misconception& mistake : task(name).misconceptions)
    if (mistake.name == misconception && which-- == 0) return numbers_of(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no such misconception: " + misconception);
}

// What stands where nothing was written.
inline float untouched() {
  const std::uint32_t poison = 0xA5A5A5A5;
  float value = 0;
  std::memcpy(&value, &poison, sizeof value);
  return value;
}

}  // namespace lanewise::stencil_test
