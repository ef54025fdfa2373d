// What the tests of the labs radix_sort and merge_sort share: problems made by parameters and by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise {

namespace labs {
Lab radix_sort();
Lab merge_sort();
}  // namespace labs

namespace sort_test {

using Keys = std::vector<std::uint32_t>;

// The task of either lab, which has the lab's name.
inline const Task& task(const std::string& name) {
  static const Lab kRadix = labs::radix_sort();
  static const Lab kMerge = labs::merge_sort();
  return (name == "radix_sort" ? kRadix : kMerge).tasks.at(0);
}

// Parameters of a kind that asks for none but n.
inline Parameters kind(const std::string& kind, std::int64_t n) {
  Parameters parameters;
  parameters.set("kind", kind);
  parameters.set("n", n);
  return parameters;
}

inline Parameters entropy(std::int64_t n, std::int64_t words) {
  Parameters parameters = kind("entropy", n);
  parameters.set("words", words);
  return parameters;
}

inline Parameters between(std::int64_t n, std::int64_t low, std::int64_t high) {
  Parameters parameters = kind("between", n);
  parameters.set("low", low);
  parameters.set("high", high);
  return parameters;
}

inline Problem made(const std::string& name, const Parameters& parameters, std::uint64_t seed = 3) {
  return std::get<Problem>(task(name).make(parameters, seed));
}

template <class Key>
std::vector<Key> keys_of(const Array& array) {
  const Key* first = elements<Key>(array);
  return {first, first + element_count(array)};
}

// A problem of radix_sort with the given keys.
inline Problem problem_of(const Keys& keys) {
  Problem problem = made("radix_sort", entropy(static_cast<std::int64_t>(keys.size()), 0));
  std::copy(keys.begin(), keys.end(), elements<std::uint32_t>(problem.inputs[0]));
  return problem;
}

}  // namespace sort_test
}  // namespace lanewise
