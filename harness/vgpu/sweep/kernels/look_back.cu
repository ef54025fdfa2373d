// Scan in one pass over memory, with decoupled look-back (Merrill and Garland, 2016): a block publishes the sum of its
// tile, then walks back over its predecessors' until it meets one that knows everything before.
#include "check.cuh"

constexpr int kThreads = 64;
constexpr int kSum = 1, kPrefix = 2;  // what a tile has published; 0: nothing yet

struct Tiles {
  volatile int* states;  // zeros
  int* sums;             // of the tile
  int* prefixes;         // of all up to the tile
};

__device__ int look_back(const Tiles& tiles, int tile) {
  int sum = 0;
  for (int before = tile - 1; before >= 0; --before) {
    int state = 0;
    while (state == 0) state = tiles.states[before];
    // sweep: missed drop-barrier 1: racecheck does not ask for a fence of those who read
    __threadfence();
    // sweep: equivalent drop-guard 1: the sums of all tiles before are the prefix, too
    if (state == kPrefix) return sum + tiles.prefixes[before];
    sum += tiles.sums[before];
  }
  return sum;
}

__global__ void scan(const int* in, int* out, int n, Tiles tiles) {
  __shared__ int sums[kThreads];
  __shared__ int before;
  const int t = threadIdx.x, tile = blockIdx.x;  // all blocks of the tests are resident, in whatever order they begin
  const int i = tile * kThreads + t;
  sums[t] = i < n ? in[i] : 0;
  __syncthreads();
  // sweep: equivalent shift-bound 1: no thread is as many places from the first
  for (int d = 1; d < kThreads; d *= 2) {
    const int other = t >= d ? sums[t - d] : 0;
    __syncthreads();
    sums[t] += other;
    __syncthreads();
  }
  if (t == 0) {
    const int sum = sums[kThreads - 1];
    tiles.sums[tile] = sum;
    __threadfence();
    tiles.states[tile] = kSum;
    before = look_back(tiles, tile);
    tiles.prefixes[tile] = before + sum;
    __threadfence();
    tiles.states[tile] = kPrefix;
  }
  __syncthreads();
  if (i < n) out[i] = before + sums[t];
}

bool test(int n) {
  const std::vector<int> in = numbers(n, 1000, 14);
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = in[i] + (i == 0 ? 0 : expected[i - 1]);
  const int tiles = (n + kThreads - 1) / kThreads;
  const DeviceArray<int> d_in(in), d_out(n), d_states(std::vector<int>(tiles, 0)), d_sums(tiles), d_prefixes(tiles);
  scan<<<tiles, kThreads>>>(d_in.get(), d_out.get(), n, {d_states.get(), d_sums.get(), d_prefixes.get()});
  finish();
  return is_right("sums", d_out.values(), expected);
}

int main() { return test(1) && test(1000) && test(5 * kThreads) ? 0 : 1; }
