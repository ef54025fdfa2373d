// Makes pairs of matrices that can be multiplied.
#include "labs/matmul/inputs.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "datasets/random.h"
#include "labs/matmul/matmul.cuh"
#include "labs/matmul/matrix.h"

namespace lanewise::labs::matmul_lab {
namespace {

std::int64_t extent(const Parameters& parameters, const char* key) {
  const std::int64_t value = parameters.integer(key);
  if (value < 0 || value > kMaxExtent)
    throw std::invalid_argument(std::string("the key '") + key + "' of a product must lie between 0 and " +
                                std::to_string(kMaxExtent));
  return value;
}

void fill_uniform(Array& array, float low, float high, Random& random) {
  if (!(low < high)) throw std::invalid_argument("a uniform case needs low < high");
  float* values = elements<float>(array);
  for (std::size_t i = 0; i < element_count(array); ++i) values[i] = random.uniform(low, high);
}

void fill_integers(Array& array, std::int64_t low, std::int64_t high, Random& random) {
  if (low > high) throw std::invalid_argument("a case of integers needs low <= high");
  float* values = elements<float>(array);
  for (std::size_t i = 0; i < element_count(array); ++i) values[i] = static_cast<float>(random.between(low, high));
}

// Multiplies element (row, col) by factor(row, col).
template <class Factor>
void scale(Array& array, const Factor& factor) {
  float* values = elements<float>(array);
  for (std::int64_t row = 0; row < array.shape[0]; ++row)
    for (std::int64_t col = 0; col < array.shape[1]; ++col) *values++ *= factor(row, col);
}

std::vector<float> random_signs(std::int64_t count, Random& random) {
  std::vector<float> signs;
  for (std::int64_t i = 0; i < count; ++i) signs.push_back(random.below(2) == 0 ? 1.0f : -1.0f);
  return signs;
}

std::vector<float> powers_of_two(std::int64_t count, Random& random) {
  std::vector<float> powers;
  for (std::int64_t i = 0; i < count; ++i)
    powers.push_back(std::ldexp(1.0f, static_cast<int>(random.between(-20, 10))));
  return powers;
}

// From [1, 2). Of the 16 last bits, which bfloat16 drops, the first is 0; of the 13 last, which TF32 and half drop, the
// first two are 0 and 1.
void fill_rounding_down(Array& array, Random& random) {
  float* values = elements<float>(array);
  for (std::size_t i = 0; i < element_count(array); ++i) {
    const std::uint64_t bits = random.next() >> 40;
    const auto word = static_cast<std::uint32_t>(0x3F800000u | (bits & 0x7F67FFu) | 0x0800u);
    std::memcpy(&values[i], &word, sizeof(word));
  }
}

void fill_zeros(Array& a, Array& b, Random& random) {
  fill_uniform(a, -1, 1, random);
  fill_uniform(b, -1, 1, random);
  scale(a, [](std::int64_t row, std::int64_t) { return row % 3 == 1 ? 0.0f : 1.0f; });
  scale(b, [](std::int64_t, std::int64_t col) { return col % 3 == 1 ? 0.0f : 1.0f; });
}

void fill_scaled(Array& a, Array& b, Random& random) {
  fill_uniform(a, -1, 1, random);
  fill_uniform(b, -1, 1, random);
  const auto of_rows = powers_of_two(a.shape[0], random);
  const auto of_cols = powers_of_two(b.shape[1], random);
  scale(a, [&](std::int64_t row, std::int64_t) { return of_rows[static_cast<std::size_t>(row)]; });
  scale(b, [&](std::int64_t, std::int64_t col) { return of_cols[static_cast<std::size_t>(col)]; });
}

// The sign of A(i, p) B(p, j) is that of row i times that of column j, whatever p is.
void fill_rounding(Array& a, Array& b, Random& random) {
  fill_rounding_down(a, random);
  fill_rounding_down(b, random);
  const auto of_rows = random_signs(a.shape[0], random);
  const auto of_terms = random_signs(a.shape[1], random);
  const auto of_cols = random_signs(b.shape[1], random);
  const auto sign = [](const std::vector<float>& signs, std::int64_t i) { return signs[static_cast<std::size_t>(i)]; };
  scale(a, [&](std::int64_t row, std::int64_t p) { return sign(of_rows, row) * sign(of_terms, p); });
  scale(b, [&](std::int64_t p, std::int64_t col) { return sign(of_terms, p) * sign(of_cols, col); });
}

void fill(const Parameters& parameters, Array& a, Array& b, Random& random) {
  const std::string& kind = parameters.text("kind");
  if (kind == "counting") {
    for (Array* array : {&a, &b}) {
      float* values = elements<float>(*array);
      std::iota(values, values + element_count(*array), 1.0f);
    }
  } else if (kind == "integers") {
    for (Array* array : {&a, &b}) fill_integers(*array, parameters.integer("low"), parameters.integer("high"), random);
  } else if (kind == "uniform") {
    for (Array* array : {&a, &b})
      fill_uniform(*array, static_cast<float>(parameters.number("low")), static_cast<float>(parameters.number("high")),
                   random);
  } else if (kind == "zeros") {
    fill_zeros(a, b, random);
  } else if (kind == "scaled") {
    fill_scaled(a, b, random);
  } else if (kind == "rounding") {
    fill_rounding(a, b, random);
  } else {
    throw std::invalid_argument(
        "the kind of a product is 'counting', 'integers', 'uniform', 'zeros', 'scaled' or 'rounding', not '" + kind +
        "'");
  }
}

}  // namespace

std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed) {
  const std::int64_t m = extent(parameters, "m");
  const std::int64_t n = extent(parameters, "n");
  const std::int64_t k = extent(parameters, "k");
  Problem problem;
  problem.inputs = {make_array<float>("a", {m, k}), make_array<float>("b", {k, n})};
  problem.outputs = {{"c", DType::kFloat32, {m, n}}};
  problem.scalars = {{"m", m}, {"n", n}, {"k", k}};
  Random random(seed);
  fill(parameters, problem.inputs[0], problem.inputs[1], random);
  return problem;
}

}  // namespace lanewise::labs::matmul_lab
