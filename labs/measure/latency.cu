// How long a single load takes, by how much memory is in use: the levels of the memory hierarchy.
//
//   nvcc -std=c++17 -arch=sm_90 -lineinfo -cudart shared -o latency labs/measure/latency.cu
//   ./latency 262144              on a GPU: up to 256 MiB
//   lanewise run -- ./latency     on the virtual GPU
#include <cstdint>

#include "measure.cuh"

namespace {

constexpr int kLineWords = 32;  // 128 bytes: every load is of a line of its own

// One thread follows a chain through memory: each load waits for the one before.
__global__ void follow(const unsigned* next, unsigned steps, unsigned* end) {
  unsigned place = *end;
  for (unsigned step = 0; step < steps; ++step) place = next[place];
  *end = place;
}

// A cycle through all lines of `bytes`, in an order that no prefetcher guesses: next[line] is another line.
std::vector<unsigned> cycle(std::size_t bytes) {
  const std::size_t lines = bytes / (kLineWords * sizeof(unsigned));
  std::vector<unsigned> order(lines);
  for (std::size_t i = 0; i < lines; ++i) order[i] = static_cast<unsigned>(i);
  std::uint64_t state = 1;
  for (std::size_t i = lines - 1; i > 0; --i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    std::swap(order[i], order[(state >> 33) % (i + 1)]);
  }
  std::vector<unsigned> next(lines * kLineWords);
  for (std::size_t i = 0; i < lines; ++i) next[order[i] * kLineWords] = order[(i + 1) % lines] * kLineWords;
  return next;
}

}  // namespace

int main(int argument_count, char** argument_list) {
  const Arguments arguments = arguments_of(argument_count, argument_list, "KiB at most", 1024, 4 << 20);
  Chart chart(arguments.csv, "a load that waits for the one before, by memory in use", "clocks");
  const DeviceArray<unsigned> end(1);
  for (std::size_t bytes = 4096; bytes <= static_cast<std::size_t>(arguments.size) << 10; bytes *= 4) {
    const DeviceArray<unsigned> next(cycle(bytes));
    const unsigned lines = static_cast<unsigned>(bytes / (kLineWords * sizeof(unsigned)));
    follow<<<1, 1>>>(next.get(), lines, end.get());  // once through all lines, so that what fits is in the caches
    CHECK(cudaGetLastError());
    const auto time = [&](unsigned steps) {
      return milliseconds([&] { follow<<<1, 1>>>(next.get(), steps, end.get()); });
    };
    // The difference of two runs: what a launch costs, and filling the first level anew, cancels.
    const unsigned steps = std::clamp(lines, 1u << 12, 1u << 16);
    const double once = time(steps), twice = time(2 * steps);
    const double clocks = (twice - once) * clocks_per_millisecond();
    chart.add(bytes < 1 << 20 ? std::to_string(bytes >> 10) + " KiB" : std::to_string(bytes >> 20) + " MiB",
              clocks / steps);
  }
  chart.print();
}
