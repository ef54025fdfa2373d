// Softmax and attention in double precision.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::attention_lab {

/// The inputs and extents of a problem of `attention`.
struct Heads {
  explicit Heads(const Problem& problem);

  const float* q;
  const float* k;
  const float* v;
  std::int64_t heads, n, d;

  /// The query (key, value) number i of a head, for `of` = q (k, v).
  const float* row(const float* of, std::int64_t head, std::int64_t i) const { return of + (head * n + i) * d; }

  /// What query i of a head gives with each key: the products' sums, without any scale.
  std::vector<double> products(std::int64_t head, std::int64_t i) const;
};

/// Replaces scores by exp(score - greatest), and returns the sum of these.
double to_weights(std::vector<double>& scores);

/// Calls each(head, i) for all queries, on several threads.
void for_each_query(const Heads& heads, const std::function<void(std::int64_t head, std::int64_t i)>& each);

Array right_softmax(const Problem& problem);
Array right_attention(const Problem& problem);

}  // namespace lanewise::labs::attention_lab
