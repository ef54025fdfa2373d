// Makes vectors and adds them.
#include "labs/vecadd/vectors.h"

#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "datasets/random.h"

namespace lanewise::labs::vecadd_lab {
namespace {

void fill_uniform(const Parameters& parameters, Random& random, std::vector<Array>& inputs) {
  const auto low = static_cast<float>(parameters.number("low"));
  const auto high = static_cast<float>(parameters.number("high"));
  if (!(low < high)) throw std::invalid_argument("a uniform case needs low < high");
  for (Array& array : inputs) {
    float* values = elements<float>(array);
    for (std::size_t i = 0; i < element_count(array); ++i) values[i] = random.uniform(low, high);
  }
}

// Every value meets every value, itself and its negative included: sums that are exact, that round, that vanish, that
// stay denormal and that cancel down to a zero.
std::vector<std::pair<float, float>> special_pairs() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values;
  for (const float magnitude : {0.0f, Limits::denorm_min(), Limits::min() / 2, Limits::min(), 1.0e-20f, 0.1f, 1.0f,
                                16777216.0f, 1.0e20f, Limits::max() / 2})
    values.insert(values.end(), {magnitude, -magnitude});
  std::vector<std::pair<float, float>> pairs;
  for (const float a : values)
    for (const float b : values) pairs.emplace_back(a, b);
  return pairs;
}

void fill_special(Random& random, std::vector<Array>& inputs) {
  auto pairs = special_pairs();
  shuffle(pairs, random);
  float* a = elements<float>(inputs[0]);
  float* b = elements<float>(inputs[1]);
  for (std::size_t i = 0; i < element_count(inputs[0]); ++i) std::tie(a[i], b[i]) = pairs[i % pairs.size()];
}

}  // namespace

std::variant<Problem, MissingData> make(Space space, const Parameters& parameters, std::uint64_t seed) {
  const std::int64_t n = parameters.integer("n");
  if (n < 0) throw std::invalid_argument("a vector needs n >= 0");
  Problem problem;
  problem.space = space;
  problem.inputs = {make_array<float>("a", {n}), make_array<float>("b", {n})};
  problem.outputs = {{"c", DType::kFloat32, {n}}};
  problem.scalars = {{"n", n}};

  Random random(seed);
  const std::string& kind = parameters.text("kind");
  if (kind == "uniform")
    fill_uniform(parameters, random, problem.inputs);
  else if (kind == "special")
    fill_special(random, problem.inputs);
  else
    throw std::invalid_argument("the kind of a vector is 'uniform' or 'special', not '" + kind + "'");
  return problem;
}

Array sums(const Problem& problem) {
  const float* a = elements<float>(find_array(problem.inputs, "a"));
  const float* b = elements<float>(find_array(problem.inputs, "b"));
  const std::int64_t n = integer_scalar(problem, "n");
  Array result = make_array<float>("c", {n});
  float* c = elements<float>(result);
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
  return result;
}

}  // namespace lanewise::labs::vecadd_lab
