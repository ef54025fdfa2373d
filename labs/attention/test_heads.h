// What the tests of the lab attention share.
#pragma once

#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise {

namespace labs {
Lab attention();
}

namespace attention_test {

inline const Task& task_called(const std::string& name) {
  static const Lab kLab = labs::attention();
  for (const Task& task : kLab.tasks)
    if (task.name == name) return task;
  throw std::invalid_argument("no task is called " + name);
}

inline Problem rows(const std::string& kind, std::int64_t rows, std::int64_t cols, double low, double high) {
  Parameters parameters;
  parameters.set("kind", kind);
  parameters.set("rows", rows);
  parameters.set("cols", cols);
  parameters.set("low", low);
  parameters.set("high", high);
  return std::get<Problem>(task_called("softmax").make(parameters, 3));
}

inline Problem heads(const std::string& kind, std::int64_t heads, std::int64_t n, std::int64_t d, double size) {
  Parameters parameters;
  parameters.set("kind", kind);
  parameters.set("heads", heads);
  parameters.set("n", n);
  parameters.set("d", d);
  parameters.set("size", size);
  return std::get<Problem>(task_called("attention").make(parameters, 3));
}

inline std::vector<float> values(const Array& array) {
  const float* first = elements<float>(array);
  return {first, first + element_count(array)};
}

inline std::vector<float> right(const std::string& task, const Problem& problem) {
  return values(task_called(task).oracle(problem).at(0));
}

/// What the entry of that name gives; where several sizes share a name, the `which`-th.
inline std::vector<float> outcome(const std::string& task, const std::string& misconception, const Problem& problem,
                                  int which = 0) {
  for (const Misconception& mistake : task_called(task).misconceptions)
    if (mistake.name == misconception && which-- == 0) return values(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no misconception is called " + misconception);
}

/// The judgement of an output that holds `got`.
inline Judgement judged(const std::string& task, const Problem& problem, const std::vector<float>& got) {
  const auto expected = task_called(task).oracle(problem);
  auto outputs = expected;
  std::copy(got.begin(), got.end(), elements<float>(outputs[0]));
  return task_called(task).judge(problem, expected, outputs);
}

}  // namespace attention_test
}  // namespace lanewise
