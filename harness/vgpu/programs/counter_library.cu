// CUB's reduction, scan and radix sort over three million numbers: what their kernels take is held against Nsight
// Compute (scripts/counters_fidelity.sh).
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <numeric>

#include "library_check.cuh"

namespace {

constexpr int kNumbers = 3'000'017;  // no tile size divides it

}  // namespace

int main() {
  auto values = numbers(kNumbers, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i)); });
  const DeviceArray<std::uint32_t> in(values), out(kNumbers);

  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceReduce::Sum(workspace, bytes, in.data(), out.data(), kNumbers);
  });
  verdict("reduce", kNumbers, out.first(1)[0], std::accumulate(values.begin(), values.end(), std::uint32_t{0}));

  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(workspace, bytes, in.data(), out.data(), kNumbers);
  });
  std::vector<std::uint32_t> sums(kNumbers);
  for (int i = 1; i < kNumbers; ++i) sums[i] = sums[i - 1] + values[i - 1];
  verdict("scan", kNumbers, out.values(), sums);

  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(workspace, bytes, in.data(), out.data(), kNumbers);
  });
  std::sort(values.begin(), values.end());
  verdict("sort", kNumbers, out.values(), values);
  return 0;
}
