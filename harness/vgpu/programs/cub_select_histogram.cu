// CUB's selections, histograms and transformations.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_transform.cuh>

#include <algorithm>
#include <array>

#include "library_check.cuh"

namespace {

// Tiles are a few thousand elements; 30011 are several, and not a whole number of anything.
const int kSizes[] = {0, 1, 255, 4096, 30011};

struct IsOdd {
  __host__ __device__ bool operator()(std::uint32_t word) const { return word % 2 != 0; }
};

std::vector<std::uint32_t> words(int n) {
  return numbers(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i)); });
}

void select(int n) {
  const std::vector<std::uint32_t> values = words(n);
  const DeviceArray<std::uint32_t> in(values), out(n);
  const DeviceArray<int> count(1);
  std::vector<std::uint32_t> odd, even, flagged;
  for (const std::uint32_t value : values) (IsOdd()(value) ? odd : even).push_back(value);

  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceSelect::If(workspace, bytes, in.data(), out.data(), count.data(), n, IsOdd());
  });
  verdict("select if u32", n, out.first(count.value()), odd);

  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DevicePartition::If(workspace, bytes, in.data(), out.data(), count.data(), n, IsOdd());
  });
  verdict("partition if u32, count", n, count.value(), static_cast<int>(odd.size()));
  std::vector<std::uint32_t> parted(odd);
  parted.insert(parted.end(), even.rbegin(), even.rend());
  verdict("partition if u32", n, out.values(), parted);

  const auto flags = numbers(n, [](std::uint64_t i) { return static_cast<char>(scrambled(i) % 8 == 0); });
  const DeviceArray<char> d_flags(flags);
  for (int i = 0; i < n; ++i)
    if (flags[i] != 0) flagged.push_back(values[i]);
  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceSelect::Flagged(workspace, bytes, in.data(), d_flags.data(), out.data(), count.data(), n);
  });
  verdict("select flagged u32", n, out.first(count.value()), flagged);
}

/// Runs of 1 to 9 equal bytes.
void runs(int n) {
  std::vector<std::uint8_t> values;
  for (std::uint64_t run = 0; values.size() < static_cast<size_t>(n); ++run)
    values.insert(values.end(), 1 + scrambled(run) % 9, static_cast<std::uint8_t>(run * 5));
  values.resize(n);
  const DeviceArray<std::uint8_t> in(values), out(n);
  const DeviceArray<int> lengths(n), count(1);
  std::vector<std::uint8_t> heads;
  std::vector<int> expected;
  for (int i = 0; i < n; ++i) {
    if (i == 0 || values[i] != values[i - 1]) heads.push_back(values[i]), expected.push_back(0);
    ++expected.back();
  }
  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceSelect::Unique(workspace, bytes, in.data(), out.data(), count.data(), n);
  });
  verdict("unique u8", n, out.first(count.value()), heads);
  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(workspace, bytes, in.data(), out.data(), lengths.data(), count.data(), n);
  });
  verdict("run-length encoding u8, values", n, out.first(count.value()), heads);
  verdict("run-length encoding u8, lengths", n, lengths.first(count.value()), expected);
}

void histogram(int n) {
  {
    const auto samples = numbers(n, [](std::uint64_t i) {  // half of them alike
      return static_cast<std::uint8_t>(i % 2 == 0 ? 200 : scrambled(i));
    });
    const DeviceArray<std::uint8_t> in(samples);
    const DeviceArray<int> bins(256);
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceHistogram::HistogramEven(workspace, bytes, in.data(), bins.data(), 257, 0, 256, n);
    });
    std::vector<int> expected(256);
    for (const std::uint8_t sample : samples) ++expected[sample];
    verdict("histogram of 256 bins, u8", n, bins.values(), expected);
  }
  {
    const auto samples =
        numbers(n, [](std::uint64_t i) { return static_cast<float>(scrambled(i) % 10000) * 0.01f - 5.0f; });
    const std::vector<float> levels{-1.0f, 0.0f, 0.5f, 3.0f, 50.0f, 90.0f};  // some samples are in no bin
    const DeviceArray<float> in(samples), d_levels(levels);
    const DeviceArray<int> bins(levels.size() - 1);
    with_workspace([&](void* workspace, size_t& bytes) {
      return cub::DeviceHistogram::HistogramRange(workspace, bytes, in.data(), bins.data(),
                                                  static_cast<int>(levels.size()), d_levels.data(), n);
    });
    std::vector<int> expected(levels.size() - 1);
    for (const float sample : samples)
      for (size_t bin = 0; bin < expected.size(); ++bin)
        expected[bin] += levels[bin] <= sample && sample < levels[bin + 1] ? 1 : 0;
    verdict("histogram of ranges, f32", n, bins.values(), expected);
  }
}

struct Mix {
  __host__ __device__ std::uint32_t operator()(std::uint32_t x, std::uint8_t y) const { return x * 3 + y; }
};

/// Pixels of four bytes, of which three are counted, each by bins of its own.
void histogram_of_channels(int n) {
  const auto pixels = numbers(4 * static_cast<size_t>(n),
                              [](std::uint64_t i) { return static_cast<std::uint8_t>(scrambled(i) >> i % 4); });
  const DeviceArray<std::uint8_t> in(pixels);
  const DeviceArray<int> red(256), green(16), blue(5);
  with_workspace([&](void* workspace, size_t& bytes) {
    return cub::DeviceHistogram::MultiHistogramEven<4, 3>(
        workspace, bytes, in.data(), cuda::std::array<int*, 3>{red.data(), green.data(), blue.data()},
        cuda::std::array<int, 3>{257, 17, 6}, cuda::std::array<int, 3>{0, 0, 50},
        cuda::std::array<int, 3>{256, 256, 100}, n);
  });
  std::vector<int> reds(256), greens(16), blues(5);
  for (int i = 0; i < n; ++i) {
    ++reds[pixels[4 * i]];
    ++greens[pixels[4 * i + 1] / 16];
    const int level = pixels[4 * i + 2];
    if (level >= 50 && level < 100) ++blues[(level - 50) / 10];
  }
  verdict("histogram of channels, red", n, red.values(), reds);
  verdict("histogram of channels, green", n, green.values(), greens);
  verdict("histogram of channels, blue", n, blue.values(), blues);
}

void transform(int n) {
  const std::vector<std::uint32_t> a = words(n);
  const auto b = numbers(n, [](std::uint64_t i) { return static_cast<std::uint8_t>(scrambled(~i)); });
  const DeviceArray<std::uint32_t> d_a(a), out(n);
  const DeviceArray<std::uint8_t> d_b(b);
  CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(d_a.data(), d_b.data()), out.data(), n, Mix()));
  std::vector<std::uint32_t> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = Mix()(a[i], b[i]);
  verdict("transform u32 and u8", n, out.values(), expected);
  if (n < 2) return;

  // Neither the first nor the last element, so that no end lies where bulk copies would have it.
  const DeviceArray<std::uint32_t> inner(std::vector<std::uint32_t>(n, 77));
  CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(out.data() + 1, d_b.data() + 1), inner.data() + 1, n - 2,
                                        Mix()));
  for (int i = 0; i < n; ++i) expected[i] = i == 0 || i == n - 1 ? 77 : Mix()(expected[i], b[i]);
  verdict("transform u32 and u8, askew", n, inner.values(), expected);
}

}  // namespace

int main() {
  for (const int n : kSizes) {
    select(n);
    runs(n);
    histogram(n);
    histogram_of_channels(n);
    transform(n);
  }
  return 0;
}
