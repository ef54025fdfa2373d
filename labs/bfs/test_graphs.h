// What the tests of the lab bfs share: problems made by parameters and by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "datasets/coordinates.h"
#include "harness/lab/lab.h"

namespace lanewise {

namespace labs {
Lab bfs();
}

namespace bfs_test {

using Numbers = std::vector<std::int32_t>;
using Edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

inline const Task& task() {
  static const Lab kLab = labs::bfs();
  return kLab.tasks.at(0);
}

inline Parameters graph(const std::string& kind, const std::vector<std::pair<std::string, std::int64_t>>& numbers,
                        const std::string& source = "first") {
  Parameters parameters;
  parameters.set("kind", kind);
  parameters.set("source", source);
  for (const auto& [key, value] : numbers) parameters.set(key, value);
  return parameters;
}

inline Problem made(const Parameters& parameters, std::uint64_t seed = 3) {
  return std::get<Problem>(task().make(parameters, seed));
}

inline Numbers numbers_of(const Array& array) {
  const std::int32_t* first = elements<std::int32_t>(array);
  return {first, first + element_count(array)};
}

// A problem with the given edges, both directions made of each. A loop is given as v-v.
inline Problem problem_of(std::int32_t vertices, const Edges& edges, std::int32_t source) {
  Coordinates places;
  places.rows = places.cols = vertices;
  for (const auto& [u, v] : edges) {
    places.row.push_back(u);
    places.column.push_back(v);
  }
  const Csr rows = to_csr(both_directions(std::move(places)), Duplicates::kDrop);
  Problem problem;
  const auto count = static_cast<std::int64_t>(rows.columns.size());
  problem.inputs = {make_array<std::int32_t>("row_offsets", {vertices + 1}),
                    make_array<std::int32_t>("columns", {count})};
  std::copy(rows.row_offsets.begin(), rows.row_offsets.end(), elements<std::int32_t>(problem.inputs[0]));
  std::copy(rows.columns.begin(), rows.columns.end(), elements<std::int32_t>(problem.inputs[1]));
  problem.outputs = {{"distance", DType::kInt32, {vertices}}};
  problem.scalars = {{"num_vertices", std::int64_t{vertices}}, {"num_edges", count}, {"source", std::int64_t{source}}};
  return problem;
}

inline Numbers expected(const Problem& problem) { return numbers_of(task().oracle(problem).at(0)); }

// What the first entry of that name gives, or one after it.
inline Numbers outcome(const std::string& misconception, const Problem& problem, int which = 0) {
  for (const Misconception& mistake : task().misconceptions)
    if (mistake.name == misconception && which-- == 0) return numbers_of(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no such misconception: " + misconception);
}

}  // namespace bfs_test
}  // namespace lanewise
