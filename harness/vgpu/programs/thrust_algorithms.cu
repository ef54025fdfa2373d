// Thrust on device vectors: what it builds upon CUB, and what it has of its own.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <thrust/universal_vector.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "library_check.cuh"

namespace {

const int kSizes[] = {0, 1, 1000, 20011};

template <class T>
std::vector<T> on_host(const thrust::device_vector<T>& values) {
  std::vector<T> copy(values.size());
  thrust::copy(values.begin(), values.end(), copy.begin());
  return copy;
}

struct Collatz {
  __host__ __device__ std::uint32_t operator()(std::uint32_t start) const {
    std::uint32_t steps = 0;
    for (std::uint64_t value = start; value > 1; ++steps) value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    return steps;
  }
};

struct ByLowByte {
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return (a & 0xFF) < (b & 0xFF); }
};

struct IsSmall {
  __host__ __device__ bool operator()(std::uint32_t word) const { return word < 25000; }
};

void sort(const std::vector<std::uint32_t>& words) {
  const size_t n = words.size();
  thrust::device_vector<std::uint32_t> keys(words.begin(), words.end());
  thrust::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> expected(words);
  std::sort(expected.begin(), expected.end());
  verdict("sort", n, on_host(keys), expected);

  thrust::device_vector<std::uint32_t> others(words.begin(), words.end()), places(n);
  thrust::sequence(places.begin(), places.end());
  thrust::stable_sort_by_key(others.begin(), others.end(), places.begin(), ByLowByte());
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return ByLowByte()(words[a], words[b]); });
  verdict("stable sort by key", n, on_host(places), order);

  thrust::device_vector<std::uint32_t> gathered(n);
  thrust::gather(places.begin(), places.end(), thrust::device_vector<std::uint32_t>(words.begin(), words.end()).begin(),
                 gathered.begin());
  verdict("gather", n, on_host(gathered), on_host(others));

  thrust::device_vector<std::uint32_t> wanted(words.begin(), words.end()), found(n);
  thrust::lower_bound(keys.begin(), keys.end(), wanted.begin(), wanted.end(), found.begin());
  std::vector<std::uint32_t> expected_found;
  for (const std::uint32_t word : words)
    expected_found.push_back(
        static_cast<std::uint32_t>(std::lower_bound(expected.begin(), expected.end(), word) - expected.begin()));
  verdict("lower bound", n, on_host(found), expected_found);

  // Which keys are half of another one, rounded down?
  thrust::device_vector<std::uint32_t> halves(n), both(n);
  thrust::transform(keys.begin(), keys.end(), thrust::make_constant_iterator(2u), halves.begin(),
                    thrust::divides<std::uint32_t>());
  both.resize(thrust::set_intersection(keys.begin(), keys.end(), halves.begin(), halves.end(), both.begin()) -
              both.begin());
  std::vector<std::uint32_t> expected_halves(expected), expected_both;
  for (std::uint32_t& half : expected_halves) half /= 2;
  std::set_intersection(expected.begin(), expected.end(), expected_halves.begin(), expected_halves.end(),
                        std::back_inserter(expected_both));
  verdict("set intersection", n, on_host(both), expected_both);

  thrust::device_vector<std::uint32_t> merged(2 * n);
  thrust::merge(keys.begin(), keys.end(), halves.begin(), halves.end(), merged.begin());
  std::vector<std::uint32_t> expected_merged;
  std::merge(expected.begin(), expected.end(), expected_halves.begin(), expected_halves.end(),
             std::back_inserter(expected_merged));
  verdict("merge", n, on_host(merged), expected_merged);
}

void scan_and_reduce(const std::vector<std::uint32_t>& words) {
  const size_t n = words.size();
  const thrust::device_vector<std::uint32_t> in(words.begin(), words.end());
  thrust::device_vector<std::uint32_t> out(n);
  thrust::inclusive_scan(in.begin(), in.end(), out.begin());
  std::vector<std::uint32_t> expected(n);
  std::partial_sum(words.begin(), words.end(), expected.begin());
  verdict("inclusive scan", n, on_host(out), expected);

  verdict("reduce", n, thrust::reduce(in.begin(), in.end()), std::accumulate(words.begin(), words.end(), 0u));
  verdict("longest Collatz sequence below n", n,
          thrust::transform_reduce(thrust::make_counting_iterator(0u),
                                   thrust::make_counting_iterator(static_cast<std::uint32_t>(n)), Collatz(), 0u,
                                   thrust::maximum<std::uint32_t>()),
          [&] {
            std::uint32_t longest = 0;
            for (std::uint32_t i = 0; i < n; ++i) longest = std::max(longest, Collatz()(i));
            return longest;
          }());
  const auto extremes = thrust::minmax_element(in.begin(), in.end());
  const auto expected_extremes = std::minmax_element(words.begin(), words.end());
  verdict("smallest element", n, extremes.first - in.begin(), expected_extremes.first - words.begin());
  // std's is the last of the largest elements, Thrust's the first.
  verdict("largest element", n, extremes.second - in.begin(),
          std::max_element(words.begin(), words.end()) - words.begin());

  thrust::universal_vector<std::uint32_t> shared(words.begin(), words.end());
  thrust::transform(shared.begin(), shared.end(), shared.begin(), Collatz());
  if (n > 0) shared[n / 2] += 5;  // the host's turn
  thrust::transform(shared.begin(), shared.end(), shared.begin(), thrust::negate<std::uint32_t>());
  std::vector<std::uint32_t> expected_shared(n);
  for (size_t i = 0; i < n; ++i) expected_shared[i] = 0 - Collatz()(words[i]) - (i == n / 2 ? 5 : 0);
  CHECK(cudaDeviceSynchronize());
  verdict("transform in managed memory", n, std::vector<std::uint32_t>(shared.begin(), shared.end()), expected_shared);

  verdict("inner product", n, thrust::inner_product(in.begin(), in.end(), out.begin(), 1u),
          std::inner_product(words.begin(), words.end(), expected.begin(), 1u));
}

void select(const std::vector<std::uint32_t>& words) {
  const size_t n = words.size();
  const thrust::device_vector<std::uint32_t> in(words.begin(), words.end());
  thrust::device_vector<std::uint32_t> out(n);
  out.resize(thrust::copy_if(in.begin(), in.end(), out.begin(), IsSmall()) - out.begin());
  std::vector<std::uint32_t> expected;
  std::copy_if(words.begin(), words.end(), std::back_inserter(expected), IsSmall());
  verdict("copy if", n, on_host(out), expected);

  thrust::device_vector<std::uint32_t> small(n), large(n);
  const auto split = thrust::partition_copy(in.begin(), in.end(), small.begin(), large.begin(), IsSmall());
  small.resize(split.first - small.begin());
  large.resize(split.second - large.begin());
  std::vector<std::uint32_t> expected_large;
  std::remove_copy_if(words.begin(), words.end(), std::back_inserter(expected_large), IsSmall());
  verdict("partition, small", n, on_host(small), expected);
  verdict("partition, large", n, on_host(large), expected_large);

  // Neighbours with Collatz sequences of one length, and how many they are.
  thrust::device_vector<std::uint32_t> keys(n), heads(n), lengths(n);
  thrust::transform(thrust::make_counting_iterator(0u), thrust::make_counting_iterator(static_cast<std::uint32_t>(n)),
                    keys.begin(), Collatz());
  const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), thrust::make_constant_iterator(1u), heads.begin(),
                                          lengths.begin());
  heads.resize(ends.first - heads.begin());
  lengths.resize(ends.second - lengths.begin());
  std::vector<std::uint32_t> expected_heads, expected_lengths;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t key = Collatz()(i);
    if (expected_heads.empty() || expected_heads.back() != key) {
      expected_heads.push_back(key);
      expected_lengths.push_back(0);
    }
    ++expected_lengths.back();
  }
  verdict("reduce by key, keys", n, on_host(heads), expected_heads);
  verdict("reduce by key, sums", n, on_host(lengths), expected_lengths);
  heads.resize(n);
  heads.erase(thrust::unique_copy(keys.begin(), keys.end(), heads.begin()), heads.end());
  verdict("unique copy", n, on_host(heads), expected_heads);

  // In place: blocks write over what others have read.
  keys.erase(thrust::unique(keys.begin(), keys.end()), keys.end());
  verdict("unique", n, on_host(keys), expected_heads);
  thrust::device_vector<std::uint32_t> rest(in);
  rest.erase(thrust::remove_if(rest.begin(), rest.end(), IsSmall()), rest.end());
  verdict("remove if", n, on_host(rest), expected_large);
}

}  // namespace

int main() {
  for (const int n : kSizes) {
    const auto words = numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i) % 100000); });
    sort(words);
    scan_and_reduce(words);
    select(words);
  }
  return 0;
}
