// Makes rows for softmax, and queries, keys and values for attention.
#include "labs/attention/inputs.h"

#include <stdexcept>
#include <string>

#include "datasets/random.h"
#include "labs/attention/attention.cuh"

namespace lanewise::labs::attention_lab {
namespace {

std::int64_t extent(const Parameters& parameters, const char* key, std::int64_t most) {
  const std::int64_t value = parameters.integer(key);
  if (value < 0 || value > most)
    throw std::invalid_argument(std::string("the key '") + key + "' must lie between 0 and " + std::to_string(most));
  return value;
}

// Fills an array with value(row, col), row by row.
template <class Value>
void fill(Array& array, const Value& value) {
  const std::int64_t cols = array.shape.back();
  float* each = elements<float>(array);
  if (cols == 0) return;
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(element_count(array)) / cols; ++row)
    for (std::int64_t col = 0; col < cols; ++col) *each++ = value(row, col);
}

void fill_uniform(Array& array, float low, float high, Random& random) {
  fill(array, [&](std::int64_t, std::int64_t) { return random.uniform(low, high); });
}

}  // namespace

std::variant<Problem, MissingData> make_rows(const Parameters& parameters, std::uint64_t seed) {
  const std::int64_t rows = extent(parameters, "rows", kMaxExtent);
  const std::int64_t cols = extent(parameters, "cols", kMaxExtent);
  const auto low = static_cast<float>(parameters.number("low"));
  const auto high = static_cast<float>(parameters.number("high"));
  if (!(low < high)) throw std::invalid_argument("rows need low < high");
  Problem problem;
  problem.inputs = {make_array<float>("x", {rows, cols})};
  problem.outputs = {{"y", DType::kFloat32, {rows, cols}}};
  problem.scalars = {{"rows", rows}, {"cols", cols}};
  Array& x = problem.inputs[0];
  Random random(seed);
  const std::string& kind = parameters.text("kind");
  if (kind == "uniform") {
    fill_uniform(x, low, high, random);
  } else if (kind == "equal") {
    float of_row = 0;
    fill(x, [&](std::int64_t, std::int64_t col) { return col == 0 ? of_row = random.uniform(low, high) : of_row; });
  } else if (kind == "ascending") {
    const double step = (static_cast<double>(high) - low) / static_cast<double>(cols);
    fill(x,
         [&](std::int64_t, std::int64_t col) { return static_cast<float>(low + step * static_cast<double>(col + 1)); });
  } else {
    throw std::invalid_argument("the kind of rows is 'uniform', 'equal' or 'ascending', not '" + kind + "'");
  }
  return problem;
}

std::variant<Problem, MissingData> make_heads(const Parameters& parameters, std::uint64_t seed) {
  const std::int64_t heads = extent(parameters, "heads", kMaxHeads);
  const std::int64_t n = extent(parameters, "n", kMaxLength);
  const std::int64_t d = parameters.integer("d");
  if (d != 32 && d != 64) throw std::invalid_argument("the key 'd' must be 32 or 64");
  const auto size = static_cast<float>(parameters.number("size"));
  if (!(size > 0)) throw std::invalid_argument("the key 'size' must be positive");
  Problem problem;
  problem.inputs = {make_array<float>("q", {heads, n, d}), make_array<float>("k", {heads, n, d}),
                    make_array<float>("v", {heads, n, d})};
  problem.outputs = {{"out", DType::kFloat32, {heads, n, d}}};
  problem.scalars = {{"heads", heads}, {"n", n}, {"d", d}};
  Array& q = problem.inputs[0];
  Array& k = problem.inputs[1];
  Random random(seed);
  const std::string& kind = parameters.text("kind");
  if (kind == "uniform" || kind == "equal") {
    fill_uniform(q, -size, size, random);
    fill_uniform(k, -size, size, random);
    float* keys = elements<float>(k);
    if (kind == "equal") fill(k, [&](std::int64_t row, std::int64_t col) { return keys[row / n * n * d + col]; });
  } else if (kind == "ascending" || kind == "opposed") {
    fill_uniform(q, size / 2, size, random);
    float* query = elements<float>(q);
    if (kind == "opposed") fill(q, [&](std::int64_t row, std::int64_t) { return row % 3 == 0 ? *query++ : -*query++; });
    fill(k, [&](std::int64_t row, std::int64_t) { return static_cast<float>(row % n + 1) / static_cast<float>(n); });
  } else if (kind == "negative") {
    fill_uniform(q, size / 2, size, random);
    fill_uniform(k, -size, -size / 2, random);
  } else {
    throw std::invalid_argument("the kind of heads is 'uniform', 'equal', 'ascending', 'opposed' or 'negative', not '" +
                                kind + "'");
  }
  fill_uniform(problem.inputs[2], -1, 1, random);
  return problem;
}

}  // namespace lanewise::labs::attention_lab
