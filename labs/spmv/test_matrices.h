// What the tests of the lab spmv share: problems made by parameters and by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise {

namespace labs {
Lab spmv();
}

namespace spmv_test {

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

inline const Task& task() {
  static const Lab kLab = labs::spmv();
  return kLab.tasks.at(0);
}

inline Parameters kind(const std::string& name) {
  Parameters parameters;
  parameters.set("kind", name);
  return parameters;
}

inline Parameters rows_of(const std::string& lengths, std::int64_t cols) {
  Parameters parameters = kind("rows");
  parameters.set("lengths", lengths);
  parameters.set("cols", cols);
  return parameters;
}

inline Parameters lengths(std::int64_t length, std::int64_t nnz, std::int64_t cols) {
  Parameters parameters = kind("lengths");
  parameters.set("length", length);
  parameters.set("nnz", nnz);
  parameters.set("cols", cols);
  return parameters;
}

inline Parameters all_lengths(std::int64_t longest, std::int64_t nnz, std::int64_t cols) {
  Parameters parameters = kind("all lengths");
  parameters.set("longest", longest);
  parameters.set("nnz", nnz);
  parameters.set("cols", cols);
  return parameters;
}

inline Problem made(const Parameters& parameters, std::uint64_t seed = 3) {
  return std::get<Problem>(task().make(parameters, seed));
}

inline Floats floats_of(const Array& array) {
  const float* first = elements<float>(array);
  return {first, first + element_count(array)};
}

inline Ints ints_of(const Array& array) {
  const std::int32_t* first = elements<std::int32_t>(array);
  return {first, first + element_count(array)};
}

template <class T>
Array array_of(const char* name, const std::vector<T>& values) {
  Array array = make_array<T>(name, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), elements<T>(array));
  return array;
}

// The matrix with these arrays, times x.
inline Problem problem_of(const Ints& row_offsets, const Ints& columns, const Floats& values, const Floats& x) {
  Problem problem;
  const auto rows = static_cast<std::int64_t>(row_offsets.size()) - 1;
  problem.inputs = {array_of("row_offsets", row_offsets), array_of("columns", columns), array_of("values", values),
                    array_of("x", x)};
  problem.outputs = {{"y", DType::kFloat32, {rows}}};
  problem.scalars = {{"rows", rows},
                     {"cols", static_cast<std::int64_t>(x.size())},
                     {"nnz", static_cast<std::int64_t>(columns.size())}};
  return problem;
}

// What an element that nobody wrote holds.
inline float untouched() {
  const std::uint32_t word = 0xA5A5A5A5;
  float value = 0;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

// What the first entry of that name gives, or one after it.
inline Floats outcome(const std::string& misconception, const Problem& problem, int which = 0) {
  for (const Misconception& mistake : task().misconceptions)
    if (mistake.name == misconception && which-- == 0) return floats_of(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no such misconception: " + misconception);
}

}  // namespace spmv_test
}  // namespace lanewise
