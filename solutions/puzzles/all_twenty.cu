// All twenty puzzles in one file, as a student would hand them in: the steps of all tasks, in a row.
#include "puzzles.cuh"

// 1. map: one thread for each element.
__global__ void map_kernel(const int* in, int* out) {
  const int i = threadIdx.x;
  out[i] = in[i] + 10;
}

void map(const int* d_in, int* d_out, int n) { map_kernel<<<1, n>>>(d_in, d_out); }

// 2. guard: more threads than elements.
__global__ void guard_kernel(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

void guard(const int* d_in, int* d_out, int n) { guard_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n); }

// 3. map_2d: two coordinates.
__global__ void map_2d_kernel(const int* in, int* out, int width, int height) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && col < width) out[row * width + col] = in[row * width + col] + 100 * row + col;
}

void map_2d(const int* d_in, int* d_out, int width, int height) {
  map_2d_kernel<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(d_in, d_out, width, height);
}

// 4. broadcast: one value for many threads.
__global__ void broadcast_kernel(const int* across, const int* down, int* out, int width, int height) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && col < width) out[row * width + col] = across[col] + down[row];
}

void broadcast(const int* d_across, const int* d_down, int* d_out, int width, int height) {
  broadcast_kernel<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(d_across, d_down, d_out, width, height);
}

// 5. grid_stride: fewer threads than elements.
__global__ void grid_stride_kernel(const int* in, int* out, int n) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) out[i] = in[i] * in[i];
}

void grid_stride(const int* d_in, int* d_out, int n) { grid_stride_kernel<<<8, 128>>>(d_in, d_out, n); }

// 6. shift: neighbours that may not exist.
__global__ void shift_kernel(const int* in, int* out, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int from = i - by;
  if (i < n) out[i] = from >= 0 && from < n ? in[from] : 0;
}

void shift(const int* d_in, int* d_out, int n, int by) { shift_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n, by); }

// 7. staging: shared memory.
__global__ void staging_kernel(const int* in, int* out) {
  __shared__ int tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  int less = 0;
  for (int k = 0; k < 128; ++k) less += tile[k] < tile[threadIdx.x];
  out[i] = less;
}

void staging(const int* d_in, int* d_out, int blocks) { staging_kernel<<<blocks, 128>>>(d_in, d_out); }

// 8. place_barrier: where barriers belong.
__global__ void place_barrier_kernel(const int* in, int* out) {
  __shared__ int tile[128];
  for (int k = 0; k < 4; ++k) {
    const int first = (blockIdx.x * 4 + k) * 128;
    tile[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    out[first + threadIdx.x] = tile[127 - threadIdx.x];
    __syncthreads();
  }
}

void place_barrier(const int* d_in, int* d_out, int blocks) { place_barrier_kernel<<<blocks, 128>>>(d_in, d_out); }

// 9. pooling: a window of three.
__global__ void pooling_kernel(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int most = in[i];
  if (i > 0) most = max(most, in[i - 1]);
  if (i + 1 < n) most = max(most, in[i + 1]);
  out[i] = most;
}

void pooling(const int* d_in, int* d_out, int n) { pooling_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n); }

// 10. dot: many products, one sum.
__global__ void dot_kernel(const int* a, const int* b, int* out, int n) {
  __shared__ int products[256];
  const int t = threadIdx.x;
  products[t] = t < n ? a[t] * b[t] : 0;
  __syncthreads();
  if (t > 0) return;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += products[k];
  *out = sum;
}

void dot(const int* d_a, const int* d_b, int* d_out, int n) { dot_kernel<<<1, 256>>>(d_a, d_b, d_out, n); }

// 11. block_sum: a tree.
__global__ void block_sum_kernel(const int* in, int* out) {
  __shared__ int partial[256];
  const int t = threadIdx.x;
  partial[t] = in[blockIdx.x * 256 + t];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) partial[t] += partial[t + half];
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

void block_sum(const int* d_in, int* d_out, int blocks) { block_sum_kernel<<<blocks, 256>>>(d_in, d_out); }

// 12. block_scan: all sums on the way.
__global__ void block_scan_kernel(const int* in, int* out) {
  __shared__ int sums[256];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int distance = 1; distance < 256; distance *= 2) {
    const int left = t >= distance ? sums[t - distance] : 0;
    __syncthreads();
    sums[t] += left;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = sums[t];
}

void block_scan(const int* d_in, int* d_out, int blocks) { block_scan_kernel<<<blocks, 256>>>(d_in, d_out); }

// 13. warp_sum: shuffles.
__global__ void warp_sum_kernel(const int* in, int* out) {
  int sum = in[blockIdx.x * 32 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

void warp_sum(const int* d_in, int* d_out, int warps) { warp_sum_kernel<<<warps, 32>>>(d_in, d_out); }

// 14. ballot: a warp votes.
__global__ void ballot_kernel(const int* in, int* out) {
  const unsigned votes = __ballot_sync(0xffffffff, in[blockIdx.x * 32 + threadIdx.x] > 0);
  if (threadIdx.x == 0) out[blockIdx.x] = __popc(votes);
}

void ballot(const int* d_in, int* d_out, int warps) { ballot_kernel<<<warps, 32>>>(d_in, d_out); }

// 15. atomic_count: one counter for all.
__global__ void atomic_count_kernel(const int* in, int* out, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] == value) atomicAdd(out, 1);
}

void atomic_count(const int* d_in, int* d_out, int n, int value) {
  cudaMemset(d_out, 0, sizeof(int));
  atomic_count_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n, value);
}

// 16. bins: counting in private first.
__global__ void bins_kernel(const int* in, int* out, int n) {
  __shared__ int bins[8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int t = threadIdx.x;
  if (t < 8) bins[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&bins[in[i]], 1);
  __syncthreads();
  if (t < 8) atomicAdd(&out[t], bins[t]);
}

void bins(const int* d_in, int* d_out, int n) {
  cudaMemset(d_out, 0, 8 * sizeof(int));
  bins_kernel<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
}

// 17. fix_race: a race to fix.
__global__ void fix_race_kernel(const int* in, int* out) {
  __shared__ int ring[256];
  const int t = threadIdx.x;
  ring[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    const int left = ring[(t + 255) % 256];
    __syncthreads();
    ring[t] += left;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = ring[t];
}

void fix_race(const int* d_in, int* d_out, int blocks) { fix_race_kernel<<<blocks, 256>>>(d_in, d_out); }

// 18. turn_tiles: a matrix through tiles.
__global__ void turn_tiles_kernel(const int* in, int* out, int rows, int cols) {
  __shared__ int tile[32][33];  // 33: see puzzle 20
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * 32 + y) * cols + blockIdx.x * 32 + x];
  __syncthreads();
  out[(blockIdx.x * 32 + y) * rows + blockIdx.y * 32 + x] = tile[x][y];
}

void turn_tiles(const int* d_in, int* d_out, int rows, int cols) {
  turn_tiles_kernel<<<dim3(cols / 32, rows / 32), dim3(32, 32)>>>(d_in, d_out, rows, cols);
}

// 19. coalesced: neighbours read neighbours.
__global__ void coalesced_kernel(const int* in, int* out, int n) {
  const int first = blockIdx.x * 1024 + threadIdx.x;
  for (int k = 0; k < 1024; k += 128)
    if (first + k < n) out[first + k] = in[first + k] + 1;
}

void coalesced(const int* d_in, int* d_out, int n) { coalesced_kernel<<<(n + 1023) / 1024, 128>>>(d_in, d_out, n); }

// 20. bank_conflict: 32 banks.
__global__ void bank_conflict_kernel(const int* in, int* out) {
  __shared__ int tile[32][33];
  const int t = threadIdx.x;
  for (int k = 0; k < 32; ++k) tile[k][t] = in[blockIdx.x * 1024 + k * 32 + t];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 32; ++k) sum += tile[t][k];
  out[blockIdx.x * 32 + t] = sum;
}

void bank_conflict(const int* d_in, int* d_out, int tiles) { bank_conflict_kernel<<<tiles, 32>>>(d_in, d_out); }
