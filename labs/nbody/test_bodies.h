// What the tests of the lab nbody share.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise {

namespace labs {
Lab nbody();
}

namespace nbody_test {

inline const Task& task() {
  static const Lab kLab = labs::nbody();
  return kLab.tasks.at(0);
}

inline Problem bodies(const std::string& kind, std::int64_t n, double softening, double size = 4) {
  Parameters parameters;
  parameters.set("kind", kind);
  parameters.set("n", n);
  parameters.set("softening", softening);
  parameters.set("size", size);
  return std::get<Problem>(task().make(parameters, 3));
}

/// `count` of the bodies, beginning with `first`.
inline Problem part(const std::string& kind, std::int64_t n, std::int64_t first, std::int64_t count) {
  Parameters parameters;
  parameters.set("kind", kind);
  parameters.set("n", n);
  parameters.set("first", first);
  parameters.set("count", count);
  parameters.set("softening", 0.5);
  parameters.set("size", 4.0);
  return std::get<Problem>(task().make(parameters, 3));
}

inline std::vector<float> values(const Array& array) {
  const float* first = elements<float>(array);
  return {first, first + element_count(array)};
}

inline std::vector<float> right(const Problem& problem) { return values(task().oracle(problem).at(0)); }

/// What the entry of that name gives; where several share a name, the `which`-th.
inline std::vector<float> outcome(const std::string& misconception, const Problem& problem, int which = 0) {
  for (const Misconception& mistake : task().misconceptions)
    if (mistake.name == misconception && which-- == 0) return values(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no misconception is called " + misconception);
}

/// The judgement of an output that holds `got`.
inline Judgement judged(const Problem& problem, const std::vector<float>& got) {
  const auto expected = task().oracle(problem);
  auto outputs = expected;
  std::copy(got.begin(), got.end(), elements<float>(outputs.at(0)));
  return task().judge(problem, expected, outputs);
}

/// As a thread computes it, in float, with factor(mass, r2); the bodies are added up from the last to the first if
/// `backwards`.
template <class Factor>
std::vector<float> in_float(const Problem& problem, const Factor& factor, bool backwards = false) {
  const std::vector<float> all = values(problem.inputs.at(0));
  const auto n = static_cast<std::size_t>(integer_scalar(problem, "n"));
  const auto first = static_cast<std::size_t>(integer_scalar(problem, "first"));
  const auto count = static_cast<std::size_t>(integer_scalar(problem, "count"));
  const auto softening = static_cast<float>(std::get<double>(problem.scalars.at(3).value));
  std::vector<float> result;
  for (std::size_t i = first; i < first + count; ++i) {
    float sum[3] = {};
    for (std::size_t step = 0; step < n; ++step) {
      const std::size_t j = backwards ? n - 1 - step : step;
      float d[3];
      float r2 = softening * softening;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        d[axis] = all[4 * j + axis] - all[4 * i + axis];
        r2 += d[axis] * d[axis];
      }
      const float by = factor(all[4 * j + 3], r2);
      for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += by * d[axis];
    }
    result.insert(result.end(), sum, sum + 3);
  }
  return result;
}

}  // namespace nbody_test
}  // namespace lanewise
