// A Williams design, shuffled.
#include "harness/measure/interleaver.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace lanewise::measure {
namespace {

constexpr double kTimesTheOthers = 4;
constexpr std::size_t kMostRarely = 16;

// std::shuffle may draw differently with each standard library; this does not.
void shuffle(std::vector<std::size_t>& values, std::mt19937_64& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

// 0, 1, n - 1, 2, n - 2, ...: its differences between neighbours are all of 1 ... n - 1, once each.
std::vector<std::size_t> zigzag(std::size_t n) {
  std::vector<std::size_t> row(n);
  for (std::size_t i = 0; i < n; ++i) row[i] = i % 2 == 1 ? (i + 1) / 2 : (n - i / 2) % n;
  return row;
}

}  // namespace

Interleaver::Interleaver(std::vector<std::size_t> strides, std::uint64_t seed)
    : strides_(std::move(strides)), random_(seed) {
  draw_cycle();
}

void Interleaver::draw_cycle() {
  const std::size_t n = strides_.size();
  rows_.clear();
  if (n == 0) return;
  std::vector<std::size_t> letters(n);
  std::iota(letters.begin(), letters.end(), std::size_t{0});
  shuffle(letters, random_);
  // Of an odd number each row is needed backwards, too.
  const std::size_t count = n % 2 == 0 ? n : 2 * n;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order, random_);
  const std::vector<std::size_t> first = zigzag(n);
  for (const std::size_t which : order) {
    std::vector<std::size_t> row(n);
    for (std::size_t i = 0; i < n; ++i) row[i] = letters[(first[i] + which) % n];
    if (which >= n) std::reverse(row.begin(), row.end());
    rows_.push_back(std::move(row));
  }
}

std::vector<std::size_t> Interleaver::next_round() {
  if (rows_.empty()) return {};
  const std::size_t at = round_ % rows_.size();
  if (at == 0 && round_ > 0) draw_cycle();
  std::vector<std::size_t> order;
  for (const std::size_t entry : rows_[at])
    if (round_ % std::max<std::size_t>(1, strides_[entry]) == 0) order.push_back(entry);
  ++round_;
  return order;
}

std::size_t stride_of(double cost, double cost_of_others) {
  if (cost_of_others <= 0 || cost <= kTimesTheOthers * cost_of_others) return 1;
  return std::min(kMostRarely, static_cast<std::size_t>(std::ceil(cost / (kTimesTheOthers * cost_of_others))));
}

}  // namespace lanewise::measure
