// Threads that depend on each other: last-block reduction, single-pass scan with look-back, a ticket, locks, warp
// primitives.
#include <vector>

#include "check.cuh"

__device__ unsigned int finished_blocks;

/// The block that finishes last adds up what the others left.
__global__ void sum_with_last_block(const unsigned* in, unsigned* partial, unsigned* total, int n) {
  __shared__ unsigned warps[32];
  __shared__ bool is_last;
  unsigned sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned block = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) block += warps[w];
    partial[blockIdx.x] = block;
    __threadfence();
    is_last = atomicAdd(&finished_blocks, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    unsigned all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += static_cast<volatile unsigned*>(partial)[b];
    *total = all;
  }
}

__device__ unsigned int next_tile;

/// Decoupled look-back: a tile publishes its sum, then looks at the tiles before it until one knows the whole prefix.
__global__ void inclusive_scan(const int* in, int* out, unsigned long long* state, int n) {
  __shared__ int values[256];
  __shared__ int before_tile;
  __shared__ unsigned tile_shared;
  if (threadIdx.x == 0) tile_shared = atomicAdd(&next_tile, 1u);
  __syncthreads();
  const unsigned tile = tile_shared;
  const int i = tile * 256 + threadIdx.x;
  values[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const int add = threadIdx.x >= d ? values[threadIdx.x - d] : 0;
    __syncthreads();
    values[threadIdx.x] += add;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    const unsigned sum = values[255];
    constexpr unsigned long long kPartial = 1ull << 32, kWhole = 2ull << 32;
    int before = 0;
    if (tile > 0) {
      atomicExch(&state[tile], kPartial | sum);
      for (int look = tile - 1;;) {
        const unsigned long long seen = *static_cast<volatile unsigned long long*>(&state[look]);
        if (seen == 0) continue;
        before += static_cast<int>(seen & 0xFFFFFFFFu);
        if (seen >= kWhole) break;
        --look;
      }
    }
    atomicExch(&state[tile], kWhole | static_cast<unsigned>(before + static_cast<int>(sum)));
    before_tile = before;
  }
  __syncthreads();
  if (i < n) out[i] = values[threadIdx.x] + before_tile;
}

__device__ int lock;
__device__ int guarded;

/// A lock taken by every lane of a warp in turn: lanes must make progress independently.
__global__ void add_under_lock() {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      *static_cast<volatile int*>(&guarded) = guarded + 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}

__global__ void warp_primitives(unsigned* out) {
  const unsigned lane = threadIdx.x;
  const unsigned value = (lane * 2654435761u) >> 24;
  out[lane] = __ballot_sync(0xFFFFFFFFu, value % 3 == 0);
  out[32 + lane] = __match_any_sync(0xFFFFFFFFu, value % 5);
  out[64 + lane] = __shfl_xor_sync(0xFFFFFFFFu, value, 5);
  out[96 + lane] = __shfl_up_sync(0xFFFFFFFFu, value, 3, 16);
  out[128 + lane] = __reduce_add_sync(0xFFFFFFFFu, value);
  out[160 + lane] = __reduce_max_sync(0xFFFFFFFFu, value);
  unsigned half = 0;
  if (lane < 16)
    half = __shfl_sync(0x0000FFFFu, value, 15 - lane);
  else
    half = __shfl_sync(0xFFFF0000u, value, 16);
  __syncwarp();
  out[192 + lane] =
      half + (__any_sync(0xFFFFFFFFu, lane == 31) ? 1000 : 0) + (__all_sync(0xFFFFFFFFu, lane < 31) ? 2000 : 0);
}

/// Lanes that part and meet, with exits in between.
__global__ void divergence(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = i, steps = 0;
  while (value != 1 && steps < 200) {
    if (value % 2 == 0)
      value /= 2;
    else if (value > 0)
      value = 3 * value + 1;
    else
      break;
    ++steps;
    if (steps == 50 && i % 7 == 0) {
      out[i] = -steps;
      return;
    }
  }
  switch (i % 4) {
    case 0:
      steps += 1000;
      break;
    case 1:
      steps *= 2;
      break;
    case 2:
      steps -= i;
      break;
    default:
      break;
  }
  out[i] = steps;
}

int main() {
  const int n = 100000;
  std::vector<unsigned> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = (i * 2654435761u) >> 12;
  unsigned *d_in, *d_partial, *d_total;
  CHECK(cudaMalloc(&d_in, n * sizeof(unsigned)));
  CHECK(cudaMalloc(&d_partial, 64 * sizeof(unsigned)));
  CHECK(cudaMalloc(&d_total, sizeof(unsigned)));
  CHECK(cudaMemcpy(d_in, numbers.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  sum_with_last_block<<<40, 256>>>(d_in, d_partial, d_total, n);
  unsigned total, expected = 0;
  for (unsigned number : numbers) expected += number;
  CHECK(cudaMemcpy(&total, d_total, sizeof total, cudaMemcpyDeviceToHost));
  std::printf("sum: %u, %s\n", total, total == expected ? "right" : "wrong");

  const int tiles = (n + 255) / 256;
  int *d_signed, *d_scanned;
  unsigned long long* d_state;
  CHECK(cudaMalloc(&d_signed, n * sizeof(int)));
  CHECK(cudaMalloc(&d_scanned, n * sizeof(int)));
  CHECK(cudaMalloc(&d_state, tiles * sizeof(unsigned long long)));
  CHECK(cudaMemset(d_state, 0, tiles * sizeof(unsigned long long)));
  std::vector<int> signs(n), scanned(n);
  for (int i = 0; i < n; ++i) signs[i] = static_cast<int>(numbers[i] % 201) - 100;
  CHECK(cudaMemcpy(d_signed, signs.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  inclusive_scan<<<tiles, 256>>>(d_signed, d_scanned, d_state, n);
  CHECK(cudaMemcpy(scanned.data(), d_scanned, n * sizeof(int), cudaMemcpyDeviceToHost));
  int running = 0, wrong = 0;
  for (int i = 0; i < n; ++i) wrong += (running += signs[i]) != scanned[i];
  std::printf("scan: last %d, %d wrong\n", scanned[n - 1], wrong);

  add_under_lock<<<3, 64>>>();
  int count;
  CHECK(cudaMemcpyFromSymbol(&count, guarded, sizeof count));
  std::printf("lock: %d\n", count);

  unsigned* d_warp;
  unsigned lanes[224];
  CHECK(cudaMalloc(&d_warp, sizeof lanes));
  warp_primitives<<<1, 32>>>(d_warp);
  CHECK(cudaMemcpy(lanes, d_warp, sizeof lanes, cudaMemcpyDeviceToHost));
  for (int row = 0; row < 7; ++row)
    std::printf("warp %d: %u %u %u, digest %016llx\n", row, lanes[row * 32], lanes[row * 32 + 13], lanes[row * 32 + 31],
                digest(lanes + row * 32, 128));

  divergence<<<(5000 + 95) / 96, 96>>>(d_scanned, 5000);
  CHECK(cudaMemcpy(scanned.data(), d_scanned, 5000 * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("divergence: %d %d %d, digest %016llx\n", scanned[27], scanned[97], scanned[4999],
              digest(scanned.data(), 5000 * sizeof(int)));
  return 0;
}
