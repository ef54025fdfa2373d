// CUB's scans and reductions: one block, whole tiles, and enough tiles for the look-back between blocks to look back.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include <algorithm>

#include "library_check.cuh"

namespace {

// A tile of the scan of 4-byte numbers is 3072 elements on this architecture (128 threads, 24 each).
constexpr int kScanTile = 3072;
const int kSizes[] = {0, 1, 33, kScanTile - 1, kScanTile, kScanTile + 1, 40009};

/// x -> scale * x + shift. Composing two of these depends on their order, and needs 16 bytes: too many for one atomic
/// access, so a tile's state and its value are published one after the other.
struct Affine {
  std::uint64_t scale, shift;
  __host__ __device__ bool operator==(const Affine& other) const {
    return scale == other.scale && shift == other.shift;
  }
};

struct Compose {
  __host__ __device__ Affine operator()(const Affine& first, const Affine& then) const {
    return {first.scale * then.scale, first.shift * then.scale + then.shift};
  }
};

struct Square {
  __host__ __device__ unsigned long long operator()(unsigned long long word) const { return word * word; }
};

template <class T, class Op>
std::vector<T> scanned(const std::vector<T>& in, Op op) {
  std::vector<T> out(in);
  for (size_t i = 1; i < out.size(); ++i) out[i] = op(out[i - 1], in[i]);
  return out;
}

void scan(int n) {
  const auto words = numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i)); });
  {
    const DeviceArray<std::uint32_t> in(words), out(n);
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(workspace, bytes, in.data(), out.data(), n);
    });
    std::vector<std::uint32_t> expected = scanned(words, std::plus<>());
    for (size_t i = 0; i < expected.size(); ++i) expected[i] -= words[i];
    verdict("exclusive sum u32", n, out.values(), expected);
  }
  {
    const auto values = numbers(n, [](std::uint64_t i) { return static_cast<float>(scrambled(i) % 1000) - i * 0.25f; });
    const DeviceArray<float> in(values);  // and in place
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceScan::InclusiveScan(workspace, bytes, in.data(), in.data(), cuda::maximum<>(), n);
    });
    verdict("inclusive maximum f32", n, in.values(), scanned(values, [](float a, float b) { return std::max(a, b); }));
  }
  {
    const auto steps = numbers(n, [](std::uint64_t i) { return Affine{scrambled(i) | 1, scrambled(~i)}; });
    const DeviceArray<Affine> in(steps), out(n);
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceScan::InclusiveScan(workspace, bytes, in.data(), out.data(), Compose(), n);
    });
    verdict("inclusive composition of 16 bytes", n, out.values(), scanned(steps, Compose()));
  }
}

void by_key(int n) {
  const auto keys = numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i / 37) % 5); });
  const auto values = numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i) % 100); });
  const DeviceArray<std::uint32_t> d_keys(keys), in(values), out(n), d_heads(n), d_count(1);
  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(workspace, bytes, d_keys.data(), in.data(), out.data(), n);
  });
  std::vector<std::uint32_t> expected(values), heads, sums;
  for (int i = 0; i < n; ++i) {
    if (i > 0 && keys[i] == keys[i - 1]) {
      expected[i] += expected[i - 1];
    } else {
      heads.push_back(keys[i]);
      sums.push_back(0);
    }
    sums.back() = expected[i];
  }
  verdict("inclusive sum by key u32", n, out.values(), expected);
  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(workspace, bytes, d_keys.data(), d_heads.data(), in.data(), out.data(),
                                          d_count.data(), cuda::std::plus<>(), n);
  });
  const std::uint32_t count = d_count.value();
  verdict("reduce by key u32, keys", n, d_heads.first(count), heads);
  verdict("reduce by key u32, sums", n, out.first(count), sums);
}

void reduce(int n) {
  const auto words = numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i)); });
  {
    const DeviceArray<std::uint32_t> in(words);
    const DeviceArray<std::uint32_t> out(1);
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceReduce::Sum(workspace, bytes, in.data(), out.data(), n);
    });
    std::uint32_t expected = 0;
    for (const std::uint32_t word : words) expected += word;
    verdict("sum u32", n, out.value(), expected);
  }
  {
    const auto values =
        numbers(n, [](std::uint64_t i) { return static_cast<float>(scrambled(i) % 100003) - 50000.5f; });
    const DeviceArray<float> in(values), out(1);
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceReduce::Reduce(workspace, bytes, in.data(), out.data(), n, cuda::minimum<>(), 1e9f);
    });
    float expected = 1e9f;
    for (const float value : values) expected = std::min(expected, value);
    verdict("minimum f32", n, out.value(), expected);
  }
  {
    const DeviceArray<std::uint32_t> in(words);
    const DeviceArray<unsigned long long> out(1);
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceReduce::TransformReduce(workspace, bytes, in.data(), out.data(), n, cuda::std::plus<>(),
                                                Square(), 7ull);
    });
    unsigned long long expected = 7;
    for (const std::uint32_t word : words) expected += Square()(word);
    verdict("sum of squares u64", n, out.value(), expected);
  }
  if (n > 0) {
    const auto values = numbers(n, [](std::uint64_t i) { return static_cast<int>(scrambled(i) % 1000) - 500; });
    const DeviceArray<int> in(values), out(1);
    const DeviceArray<long long> index(1);
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceReduce::ArgMax(workspace, bytes, in.data(), out.data(), index.data(), n);
    });
    const auto largest = std::max_element(values.begin(), values.end());
    verdict("largest i32", n, out.value(), *largest);
    verdict("where the largest i32 is", n, index.value(), static_cast<long long>(largest - values.begin()));
  }
}

}  // namespace

int main() {
  for (const int n : kSizes) {
    scan(n);
    by_key(n);
    reduce(n);
  }
  return 0;
}
