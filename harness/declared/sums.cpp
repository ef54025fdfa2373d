// Asks the oracle about the smallest check cases with elements enough, one extent after the other.
#include "harness/declared/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "harness/declared/extent.h"
#include "harness/runner/problems.h"

namespace lanewise {
namespace {

constexpr std::uint64_t kAnySeed = 1;
constexpr std::int64_t kFewest = 5;     // elements: two are the same sum in any order
constexpr std::size_t kMost = 1 << 20;  // bytes of a case
constexpr double kRounding = 1e-4;      // relative: far more than sums of so few floats err by

bool is_real(DType dtype) { return dtype == DType::kFloat32 || dtype == DType::kFloat64; }

double element(const Array& array, std::size_t i) {
  return array.dtype == DType::kFloat32 ? static_cast<double>(elements<float>(array)[i]) : elements<double>(array)[i];
}

// The task's arrays with that extent, as (name, dimension).
std::vector<std::pair<std::string, std::size_t>> arrays_with(const TaskFile& file, const std::string& extent) {
  std::vector<std::pair<std::string, std::size_t>> found;
  for (const ArrayFile& array : file.arrays)
    for (std::size_t d = 0; d < array.shape.size(); ++d)
      if (array.shape[d] == extent) found.emplace_back(array.name, d);
  return found;
}

// `use(at)` for each element whose index along `dimension` is `index`; `at` is its place in memory.
template <class Use>
void for_each_at(const Array& array, std::size_t dimension, std::int64_t index, const Use& use) {
  std::int64_t inner = 1;
  for (std::size_t d = dimension + 1; d < array.shape.size(); ++d) inner *= array.shape[d];
  const std::int64_t step = inner * array.shape[dimension];
  for (std::int64_t outer = 0; outer * step < static_cast<std::int64_t>(element_count(array)); ++outer)
    for (std::int64_t i = 0; i < inner; ++i) use(static_cast<std::size_t>(outer * step + index * inner + i));
}

Array reversed(const Array& array, std::size_t dimension) {
  Array result = array;
  const std::size_t size = size_of(array.dtype);
  for (std::int64_t index = 0; index < array.shape[dimension]; ++index) {
    std::vector<std::size_t> from;
    for_each_at(array, dimension, array.shape[dimension] - 1 - index, [&](std::size_t at) { from.push_back(at); });
    std::size_t next = 0;
    for_each_at(array, dimension, index, [&](std::size_t at) {
      std::memcpy(&result.bytes[at * size], &array.bytes[from[next++] * size], size);
    });
  }
  return result;
}

Array with_half(const Array& array, std::size_t dimension, std::int64_t index) {
  Array result = array;
  for_each_at(array, dimension, index, [&](std::size_t at) {
    if (array.dtype == DType::kFloat32)
      elements<float>(result)[at] /= 2;
    else
      elements<double>(result)[at] /= 2;
  });
  return result;
}

bool are_close(const std::vector<Array>& one, const std::vector<Array>& other) {
  for (std::size_t k = 0; k < one.size(); ++k) {
    if (!is_real(one[k].dtype)) {
      if (one[k].bytes != other[k].bytes) return false;
      continue;
    }
    double largest = 0, farthest = 0;
    for (std::size_t i = 0; i < element_count(one[k]); ++i) {
      largest = std::max(largest, std::fabs(element(one[k], i)));
      farthest = std::max(farthest, std::fabs(element(one[k], i) - element(other[k], i)));
    }
    if (!(farthest <= kRounding * largest)) return false;
  }
  return true;
}

bool are_same(const std::vector<Array>& one, const std::vector<Array>& other) {
  return std::equal(one.begin(), one.end(), other.begin(),
                    [](const Array& a, const Array& b) { return a.bytes == b.bytes; });
}

Array& named(std::vector<Array>& arrays, const std::string& name) {
  return *std::find_if(arrays.begin(), arrays.end(), [&name](const Array& array) { return array.name == name; });
}

// The first array of floats whose elements along `extent` are added up.
std::string summed_along(const std::string& extent, const Task& task, const TaskFile& file, const Problem& problem) {
  const auto concerned = arrays_with(file, extent);
  const std::vector<Array> right = task.oracle(problem);
  Problem turned = problem;
  for (const auto& [name, dimension] : concerned) {
    Array& array = named(turned.inputs, name);
    array = reversed(array, dimension);
  }
  if (are_same(turned.inputs, problem.inputs) || !are_close(task.oracle(turned), right)) return "";
  for (const auto& [name, dimension] : concerned) {
    const Array& array = find_array(problem.inputs, name);
    if (!is_real(array.dtype)) continue;
    const std::int64_t count = array.shape[dimension];
    // A maximum is the same in any order, too, but only one element is it.
    bool matters = true;
    for (const std::int64_t index : {std::int64_t{1}, count / 2, count - 2}) {
      Problem changed = problem;
      named(changed.inputs, name) = with_half(array, dimension, index);
      matters = matters && !are_same(task.oracle(changed), right);
    }
    if (matters) return name;
  }
  return "";
}

std::int64_t largest(const std::string& extent, const TaskFile& file) {
  std::int64_t most = 0;
  for (const CaseFile& each : file.cases)
    if (each.make.has(extent)) most = std::max(most, each.make.integer(extent));
  return most;
}

bool takes_little(const Problem& problem) {
  std::size_t bytes = 0;
  for (const Array& input : problem.inputs) bytes += input.bytes.size();
  for (const ArrayShape& output : problem.outputs) bytes += byte_count(output);
  return bytes <= kMost;
}

}  // namespace

std::string order_dependent_sum(const std::string& lab, const Task& task, const TaskFile& file) {
  if (file.judge.kind != JudgeFile::Kind::kExact && file.judge.kind != JudgeFile::Kind::kUlps) return "";
  std::set<std::string> extents, of_outputs;
  for (const ArrayFile& array : file.arrays)
    for (const std::string& extent : array.shape) {
      if (!array.values.empty()) extents.insert(extent);
      if (array.values.empty())
        for (const ExtentTerm& term : terms_of(extent)) of_outputs.insert(term.text);
    }
  for (const std::string& extent : of_outputs) extents.erase(extent);
  if (extents.empty()) return "";
  for (const CaseFile& each : file.cases) {
    if (each.group != "check") continue;
    const auto made = make_problem(task, each, case_seed(kAnySeed, lab, task.name, each.name));
    const auto* const problem = std::get_if<Problem>(&made);
    if (!problem || !takes_little(*problem)) continue;
    const auto& outputs = problem->outputs;
    if (std::none_of(outputs.begin(), outputs.end(), [](const ArrayShape& shape) { return is_real(shape.dtype); }))
      return "";
    for (const std::string& extent : extents) {
      const auto has_elements = [&](const Scalar& scalar) {
        const auto* const value = std::get_if<std::int64_t>(&scalar.value);
        return scalar.name == extent && value && *value >= kFewest;
      };
      const auto& scalars = problem->scalars;
      if (std::none_of(scalars.begin(), scalars.end(), has_elements)) continue;
      if (file.judge.at_most >= largest(extent, file)) continue;
      if (std::string name = summed_along(extent, task, file, *problem); !name.empty()) return name;
    }
  }
  return "";
}

std::string sum_note(const TaskFile& file, const std::string& summed) {
  const auto array = std::find_if(file.arrays.begin(), file.arrays.end(),
                                  [&summed](const ArrayFile& each) { return each.name == summed; });
  const bool is_alone = array->shape.size() == 1 && arrays_with(file, array->shape[0]).size() == 1;
  const std::string judge = file.judge.kind == JudgeFile::Kind::kExact
                                ? std::string("\"exact\"")
                                : fmt::format("{{ ulps = {} }}", file.judge.at_most);
  return fmt::format(
      "the result combines the elements of {} in floats, so its last bits depend on their order, which the judge {} "
      "does "
      "not allow for: {}",
      summed, judge,
      is_alone ? fmt::format("if it is their sum, use {{ sum_of = \"{}\" }}", summed)
               : "use values of one sign, and as many ulps as there are elements");
}

}  // namespace lanewise
