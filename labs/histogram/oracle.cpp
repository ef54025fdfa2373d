// Counts with several threads, each into bins of its own.
#include "labs/histogram/oracle.h"

#include <algorithm>

#include "datasets/chunks.h"

namespace lanewise::labs::histogram_lab {
namespace {

// Neighbours are often equal, and adding to the same count twice in a row makes the second wait for the first: two
// turns with bins of their own do not.
template <class T>
Counts count(const T* data, std::int64_t first, std::int64_t end, std::size_t bins) {
  const std::int64_t n = end - first;
  std::vector<Counts> even(static_cast<std::size_t>(workers_for(n)), Counts(bins));
  std::vector<Counts> odd = even;
  for_each_chunk(n, [&](int worker, std::int64_t, std::int64_t from, std::int64_t to) {
    std::uint32_t* a = even[static_cast<std::size_t>(worker)].data();
    std::uint32_t* b = odd[static_cast<std::size_t>(worker)].data();
    std::int64_t i = first + from;
    for (; i + 1 < first + to; i += 2) {
      ++a[data[i]];
      ++b[data[i + 1]];
    }
    if (i < first + to) ++a[data[i]];
  });
  Counts sum(bins);
  for (const auto* part : {&even, &odd})
    for (const Counts& counts : *part)
      std::transform(sum.begin(), sum.end(), counts.begin(), sum.begin(), std::plus<>());
  return sum;
}

}  // namespace

std::int64_t bins_of(const Problem& problem) { return problem.outputs.at(0).shape.at(0); }

Counts count_values(const Problem& problem, std::int64_t first, std::int64_t end) {
  const Array& data = find_array(problem.inputs, "data");
  const auto bins = static_cast<std::size_t>(bins_of(problem));
  if (data.dtype == DType::kUint8) return count(elements<std::uint8_t>(data), first, end, bins);
  return count(elements<std::uint32_t>(data), first, end, bins);
}

Array bins_array(const Counts& counts) {
  Array array = make_array<std::uint32_t>("bins", {static_cast<std::int64_t>(counts.size())});
  std::copy(counts.begin(), counts.end(), elements<std::uint32_t>(array));
  return array;
}

Array histogram_oracle(const Problem& problem) {
  return bins_array(count_values(problem, 0, integer_scalar(problem, "n")));
}

}  // namespace lanewise::labs::histogram_lab
