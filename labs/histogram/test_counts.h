// What the tests of the lab histogram share: problems made by hand, and the lab's functions called by name.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise {

namespace labs {
Lab histogram();
}

namespace histogram_test {

using Counts = std::vector<std::uint32_t>;
inline constexpr std::uint32_t kPoisoned = 0xA5A5A5A5;

inline const Task& task(const std::string& name) {
  static const Lab kLab = labs::histogram();
  for (const Task& each : kLab.tasks)
    if (each.name == name) return each;
  throw std::invalid_argument("the lab has no task " + name);
}

inline Parameters data(const std::string& kind, std::int64_t n, std::int64_t num_bins = 1000) {
  Parameters parameters;
  parameters.set("kind", kind);
  parameters.set("n", n);
  parameters.set("num_bins", num_bins);
  return parameters;
}

inline Parameters constant(std::int64_t n, std::int64_t value, std::int64_t num_bins = 1000) {
  Parameters parameters = data("constant", n, num_bins);
  parameters.set("value", value);
  return parameters;
}

inline Problem made(const std::string& name, const Parameters& parameters, std::uint64_t seed = 3) {
  return std::get<Problem>(task(name).make(parameters, seed));
}

template <class T>
std::vector<T> values_of(const Array& array) {
  const T* first = elements<T>(array);
  return {first, first + element_count(array)};
}

// A problem of the given values.
inline Problem bytes_problem(const std::vector<std::uint8_t>& values) {
  Problem problem = made("histogram_bytes", constant(static_cast<std::int64_t>(values.size()), 0));
  std::copy(values.begin(), values.end(), elements<std::uint8_t>(problem.inputs[0]));
  return problem;
}
inline Problem wide_problem(const std::vector<std::uint32_t>& values, std::int64_t num_bins) {
  Problem problem = made("histogram_wide", constant(static_cast<std::int64_t>(values.size()), 0, num_bins));
  std::copy(values.begin(), values.end(), elements<std::uint32_t>(problem.inputs[0]));
  return problem;
}

inline Counts oracle(const std::string& name, const Problem& problem) {
  return values_of<std::uint32_t>(task(name).oracle(problem).at(0));
}

// What the `which`-th entry of that name gives, counted from 0.
inline Counts outcome(const std::string& name, const std::string& misconception, const Problem& problem,
                      int which = 0) {
  for (const Misconception& mistake : task(name).misconceptions)
    if (mistake.name == misconception && which-- == 0) return values_of<std::uint32_t>(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no misconception is called " + misconception);
}

// A histogram of `bins` bins, of which `filled` have the given counts and the others `rest`.
inline Counts counts(std::size_t bins, const std::vector<std::pair<std::size_t, std::uint32_t>>& filled,
                     std::uint32_t rest = 0) {
  Counts all(bins, rest);
  for (const auto& [bin, count] : filled) all.at(bin) = count;
  return all;
}

}  // namespace histogram_test
}  // namespace lanewise
