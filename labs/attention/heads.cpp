// Softmax and attention in double precision, a row at a time, with rows shared out among threads.
#include "labs/attention/heads.h"

#include <algorithm>
#include <cmath>
#include <thread>

namespace lanewise::labs::attention_lab {
namespace {

constexpr std::int64_t kLanes = 8;  // sums at a time: a compiler makes vectors of them

double product(const float* a, const float* b, std::int64_t d) {
  double sums[kLanes] = {};
  for (std::int64_t c = 0; c < d; c += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) sums[lane] += static_cast<double>(a[c + lane]) * b[c + lane];
  double sum = 0;
  for (const double each : sums) sum += each;
  return sum;
}

}  // namespace

Heads::Heads(const Problem& problem)
    : q(elements<float>(find_array(problem.inputs, "q"))),
      k(elements<float>(find_array(problem.inputs, "k"))),
      v(elements<float>(find_array(problem.inputs, "v"))),
      heads(integer_scalar(problem, "heads")),
      n(integer_scalar(problem, "n")),
      d(integer_scalar(problem, "d")) {}

std::vector<double> Heads::products(std::int64_t head, std::int64_t i) const {
  std::vector<double> all(static_cast<std::size_t>(n));
  const float* const query = row(q, head, i);
  for (std::int64_t j = 0; j < n; ++j) all[static_cast<std::size_t>(j)] = product(query, row(k, head, j), d);
  return all;
}

double to_weights(std::vector<double>& scores) {
  if (scores.empty()) return 0;
  const double greatest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - greatest);
  return sum;
}

void for_each_query(const Heads& heads, const std::function<void(std::int64_t, std::int64_t)>& each) {
  constexpr std::int64_t kWorthAThread = 1 << 22;  // products; below, starting a thread costs more than it saves
  const std::int64_t count = heads.heads * heads.n;
  const std::int64_t useful = std::max<std::int64_t>(1, count * heads.n * heads.d / kWorthAThread);
  const auto available = static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  const std::int64_t threads = std::min(useful, available);
  const auto share = [&](std::int64_t first) {
    for (std::int64_t row = first; row < count; row += threads) each(row / heads.n, row % heads.n);
  };
  std::vector<std::thread> others;
  for (std::int64_t thread = 1; thread < threads; ++thread) others.emplace_back(share, thread);
  share(0);
  for (std::thread& other : others) other.join();
}

Array right_softmax(const Problem& problem) {
  const Array& x = problem.inputs.at(0);
  Array y = make_array<float>("y", x.shape);
  const std::int64_t cols = x.shape[1];
  for (std::int64_t row = 0; row < x.shape[0]; ++row) {
    const float* const from = elements<float>(x) + row * cols;
    std::vector<double> weights(from, from + cols);
    const double sum = to_weights(weights);
    std::transform(weights.begin(), weights.end(), elements<float>(y) + row * cols,
                   [sum](double weight) { return static_cast<float>(weight / sum); });
  }
  return y;
}

Array right_attention(const Problem& problem) {
  const Heads heads(problem);
  Array out = make_array<float>("out", {heads.heads, heads.n, heads.d});
  float* const results = elements<float>(out);
  for_each_query(heads, [&](std::int64_t head, std::int64_t i) {
    std::vector<double> weights = heads.products(head, i);
    for (double& score : weights) score /= std::sqrt(static_cast<double>(heads.d));
    const double sum = to_weights(weights);
    std::vector<double> average(static_cast<std::size_t>(heads.d));
    for (std::int64_t j = 0; j < heads.n; ++j) {
      const float* const value = heads.row(heads.v, head, j);
      const double weight = weights[static_cast<std::size_t>(j)] / sum;
      for (std::size_t c = 0; c < average.size(); ++c) average[c] += weight * value[c];
    }
    std::transform(average.begin(), average.end(), results + (head * heads.n + i) * heads.d,
                   [](double each) { return static_cast<float>(each); });
  });
  return out;
}

}  // namespace lanewise::labs::attention_lab
