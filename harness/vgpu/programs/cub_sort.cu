// CUB's sorts and merges: one tile, several tiles, and the radix sort that passes over the keys once a digit.
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <limits>
#include <numeric>

#include "library_check.cuh"

namespace {

// Up to 4864 keys (256 threads, 19 each) are sorted by one block; more go digit by digit, with a look-back between
// blocks that take 8064 keys of 4 bytes (384 threads, 21 each) or 4032 of 8.
constexpr int kRadixTile = 256 * 19;
const int kSizes[] = {0, 1, 100, kRadixTile, 17011};

struct ByTens {
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return a / 10 < b / 10; }
};

/// The order that stably sorts by `less`.
template <class T, class Less>
std::vector<int> order_of(const std::vector<T>& keys, Less less) {
  std::vector<int> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return less(keys[a], keys[b]); });
  return order;
}

template <class T>
std::vector<T> in_order(const std::vector<T>& values, const std::vector<int>& order) {
  std::vector<T> sorted;
  for (const int i : order) sorted.push_back(values[i]);
  return sorted;
}

void radix_sort(int n) {
  {
    auto keys = numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i)); });
    const DeviceArray<std::uint32_t> in(keys), out(n);
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(workspace, bytes, in.data(), out.data(), n);
    });
    std::sort(keys.begin(), keys.end());
    verdict("radix sort u32", n, out.values(), keys);
    with_workspace([&](void* workspace, size_t& bytes) {  // digits of 6 bits in the middle: others stay in order
      return cub::DeviceRadixSort::SortKeys(workspace, bytes, in.data(), out.data(), n, 5, 17);
    });
    const std::vector<std::uint32_t> unsorted = in.values();
    const auto digits = [](std::uint32_t a) { return a >> 5 & 0xFFF; };
    const auto order = order_of(unsorted, [=](std::uint32_t a, std::uint32_t b) { return digits(a) < digits(b); });
    verdict("radix sort u32 by bits 5 to 16", n, out.values(), in_order(unsorted, order));
  }
  {
    const auto keys = numbers(n, [](std::uint64_t i) { return scrambled(i % 3000); });  // some occur often
    const auto values = numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(i); });
    const DeviceArray<std::uint64_t> d_keys(keys), keys_out(n);
    const DeviceArray<std::uint32_t> d_values(values), values_out(n);
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(workspace, bytes, d_keys.data(), keys_out.data(), d_values.data(),
                                             values_out.data(), n);
    });
    const auto order = order_of(keys, std::less<>());
    verdict("radix sort pairs u64, keys", n, keys_out.values(), in_order(keys, order));
    verdict("radix sort pairs u64, values", n, values_out.values(), in_order(values, order));
  }
  {
    auto keys = numbers(n, [](std::uint64_t i) { return static_cast<float>(scrambled(i) % 20001) - 10000.0f; });
    if (n > 100) keys[50] = -std::numeric_limits<float>::infinity(), keys[99] = 1e-40f;
    DeviceArray<float> in(keys), out(n);
    cub::DoubleBuffer<float> buffers(in.data(), out.data());
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceRadixSort::SortKeysDescending(workspace, bytes, buffers, n);
    });
    std::sort(keys.begin(), keys.end(), std::greater<>());
    verdict("radix sort f32, descending", n, (buffers.Current() == in.data() ? in : out).values(), keys);
  }
}

void merge_sort(int n) {
  {
    auto keys = numbers(n, [](std::uint64_t i) { return static_cast<int>(scrambled(i)); });
    const DeviceArray<int> in(keys);
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceMergeSort::SortKeys(workspace, bytes, in.data(), n, cuda::std::greater<>());
    });
    std::sort(keys.begin(), keys.end(), std::greater<>());
    verdict("merge sort i32, descending", n, in.values(), keys);
  }
  {
    const auto keys = numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i) % 5000); });
    const auto values = numbers(n, [](std::uint64_t i) { return scrambled(i); });
    const DeviceArray<std::uint32_t> d_keys(keys);
    const DeviceArray<std::uint64_t> d_values(values);
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceMergeSort::StableSortPairs(workspace, bytes, d_keys.data(), d_values.data(), n, ByTens());
    });
    const auto order = order_of(keys, ByTens());
    verdict("stable merge sort pairs, keys", n, d_keys.values(), in_order(keys, order));
    verdict("stable merge sort pairs, values", n, d_values.values(), in_order(values, order));
  }
}

/// Merges n sorted keys with a third as many.
void merge(int n) {
  auto a = numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i) % 100000); });
  auto b = numbers(n / 3, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(~i) % 100000); });
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const auto a_values = numbers(a.size(), [](std::uint64_t i) { return static_cast<std::uint32_t>(2 * i); });
  const auto b_values = numbers(b.size(), [](std::uint64_t i) { return static_cast<std::uint32_t>(2 * i + 1); });
  const DeviceArray<std::uint32_t> d_a(a), d_b(b), d_a_values(a_values), d_b_values(b_values), out(a.size() + b.size()),
      values_out(a.size() + b.size());
  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceMerge::MergeKeys(workspace, bytes, d_a.data(), a.size(), d_b.data(), b.size(), out.data());
  });
  std::vector<std::uint32_t> all(a), all_values(a_values);
  all.insert(all.end(), b.begin(), b.end());
  all_values.insert(all_values.end(), b_values.begin(), b_values.end());
  const auto order = order_of(all, std::less<>());
  verdict("merge u32", n, out.values(), in_order(all, order));
  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceMerge::MergePairs(workspace, bytes, d_a.data(), d_a_values.data(), a.size(), d_b.data(),
                                        d_b_values.data(), b.size(), out.data(), values_out.data());
  });
  verdict("merge pairs u32, keys", n, out.values(), in_order(all, order));
  verdict("merge pairs u32, values", n, values_out.values(), in_order(all_values, order));
}

}  // namespace

int main() {
  for (const int n : kSizes) {
    radix_sort(n);
    merge_sort(n);
    merge(n);
  }
  return 0;
}
