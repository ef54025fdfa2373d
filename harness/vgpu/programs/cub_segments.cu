// CUB's algorithms over many short arrays, and over neighbours: segmented sums and sorts, batched copies, differences.
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <algorithm>

#include "library_check.cuh"

namespace {

/// Offsets of segments: most are short, some are empty, and a few need a block or more each.
std::vector<int> segment_offsets(int segments) {
  std::vector<int> offsets{0};
  for (int s = 0; s < segments; ++s) {
    const auto random = scrambled(static_cast<std::uint64_t>(s));
    const int size = s % 11 == 3 ? 0 : s == 20 ? 9000 : s % 9 == 4 ? 300 + random % 500 : random % 20;
    offsets.push_back(offsets.back() + size);
  }
  return offsets;
}

void segments(int count) {
  const std::vector<int> offsets = segment_offsets(count);
  const int n = offsets.back();
  auto keys = numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i) % 100000); });
  auto values = numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(i); });
  const DeviceArray<int> d_offsets(offsets);
  const DeviceArray<std::uint32_t> in(keys), out(n), d_values(values), values_out(n), sums(count);

  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(workspace, bytes, in.data(), sums.data(), count, d_offsets.data(),
                                           d_offsets.data() + 1);
  });
  std::vector<std::uint32_t> expected(count);
  for (int s = 0; s < count; ++s)
    for (int i = offsets[s]; i < offsets[s + 1]; ++i) expected[s] += keys[i];
  verdict("segmented sum u32", count, sums.values(), expected);

  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceSegmentedSort::StableSortPairs(workspace, bytes, in.data(), out.data(), d_values.data(),
                                                     values_out.data(), n, count, d_offsets.data(),
                                                     d_offsets.data() + 1);
  });
  std::vector<std::uint32_t> order(values), sorted;
  for (int s = 0; s < count; ++s)
    std::stable_sort(order.begin() + offsets[s], order.begin() + offsets[s + 1],
                     [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  for (const std::uint32_t i : order) sorted.push_back(keys[i]);
  verdict("segmented sort u32, keys", count, out.values(), sorted);
  verdict("segmented sort u32, values", count, values_out.values(), order);

  // Segments of one array to the same places of another, from the last to the first.
  std::vector<const void*> sources;
  std::vector<void*> targets;
  std::vector<int> sizes;
  const DeviceArray<std::uint32_t> copy(std::vector<std::uint32_t>(n, 0));
  for (int s = count; s-- > 0;) {
    sources.push_back(out.data() + offsets[s]);
    targets.push_back(copy.data() + offsets[s]);
    sizes.push_back((offsets[s + 1] - offsets[s]) * static_cast<int>(sizeof(std::uint32_t)));
  }
  const DeviceArray<const void*> d_sources(sources);
  const DeviceArray<void*> d_targets(targets);
  const DeviceArray<int> d_sizes(sizes);
  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceMemcpy::Batched(workspace, bytes, d_sources.data(), d_targets.data(), d_sizes.data(), count);
  });
  verdict("batched copies", count, copy.values(), sorted);
}

struct Triple {
  std::uint32_t* values;
  __device__ void operator()(int i) const { values[i] *= 3; }
};

void neighbours(int n) {
  const auto values = numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i)); });
  const DeviceArray<std::uint32_t> in(values), out(n);
  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceAdjacentDifference::SubtractLeftCopy(workspace, bytes, in.data(), out.data(), n);
  });
  std::vector<std::uint32_t> expected(values);
  for (int i = n - 1; i > 0; --i) expected[i] -= values[i - 1];
  verdict("adjacent difference u32", n, out.values(), expected);
  with_workspace([&](void* workspace, size_t& bytes) {  // in place
    return cub::DeviceAdjacentDifference::SubtractRight(workspace, bytes, out.data(), n);
  });
  for (int i = 0; i + 1 < n; ++i) expected[i] -= expected[i + 1];
  verdict("adjacent difference u32, in place", n, out.values(), expected);
  CHECK(cub::DeviceFor::Bulk(n, Triple{out.data()}));
  for (std::uint32_t& value : expected) value *= 3;
  verdict("for each", n, out.values(), expected);
}

}  // namespace

int main() {
  for (const int count : {0, 1, 100}) segments(count);
  for (const int n : {0, 1, 1023, 5003}) neighbours(n);
  return 0;
}
