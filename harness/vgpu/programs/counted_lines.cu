// Kernels whose costs are known line by line: what comments with `counts:` say is what counters must report of the line
// below them, over all launches. Each is launched with 2 blocks of 128 threads: 8 warps.
#include <cstdio>
#include <vector>

constexpr int kBlocks = 2, kThreads = 128, kCount = kBlocks * kThreads;

__device__ int thread_of_grid() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

/// Rows are read and columns of 32 elements written.
__global__ void transpose_rows(const float* in, float* out) {
  const int i = thread_of_grid();
  // counts: global_load_requests=8 global_load_sectors=32 global_load_ideal_sectors=32
  const float value = in[i];
  // counts: global_store_requests=8 global_store_sectors=256 global_store_ideal_sectors=32
  out[i % 32 * 32 + i / 32] = value;
}

/// Four elements a thread, and one element for all.
__global__ void copy_vectors(const float4* in, float4* out) {
  const int i = thread_of_grid();
  // counts: global_load_requests=8 global_load_sectors=128 global_load_ideal_sectors=128
  float4 value = in[i];
  // counts: global_load_requests=8 global_load_sectors=8 global_load_ideal_sectors=8
  value.x += in[kCount].x;
  // counts: global_store_requests=8 global_store_sectors=128 global_store_ideal_sectors=128
  out[i] = value;
}

/// Columns of a square tile lie in one bank; those of a padded one do not. The warp that writes is not the one that
/// reads.
__global__ void tiles(int* out) {
  __shared__ int square[32][32], padded[32][33];
  const int lane = static_cast<int>(threadIdx.x % 32), row = static_cast<int>(threadIdx.x / 32);
  // counts: shared_store_requests=8 shared_store_wavefronts=256 shared_store_conflicts=248
  square[lane][row] = lane;
  // counts: shared_store_requests=8 shared_store_wavefronts=8 shared_store_conflicts=0
  padded[lane][row] = lane;
  // counts: barriers=8 barrier_wait=0
  __syncthreads();
  // counts: shared_load_requests=8 shared_load_wavefronts=256 shared_load_conflicts=248
  int sum = square[lane][(row + 1) % 4];
  // counts: shared_load_requests=8 shared_load_wavefronts=8 shared_load_conflicts=0
  sum += padded[lane][(row + 1) % 4];
  out[thread_of_grid()] = sum;
}

/// Each lane goes round as often as its number says.
__global__ void uneven_loops(int* out) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < static_cast<int>(threadIdx.x % 32); ++i) {
    // counts: global_load_requests=248 global_load_sectors=248 global_load_ideal_sectors=248
    sum ^= out[kCount + i];
  }
  // counts: global_store_requests=8 global_store_sectors=32 global_store_ideal_sectors=32
  out[thread_of_grid()] = sum;
}

/// A histogram with four bins, where eight lanes of a warp meet, and sums, where four do.
__global__ void contention(int* bins) {
  __shared__ int own[4];
  if (threadIdx.x < 4) own[threadIdx.x] = 0;
  // counts: barriers=8
  __syncthreads();
  // counts: shared_atomic_requests=8 shared_atomic_depth=64 shared_atomic_max_depth=8
  atomicAdd(&own[threadIdx.x % 4], 1);
  // counts: barriers=8
  __syncthreads();
  // counts: global_atomic_requests=8 global_atomic_sectors=32 global_atomic_depth=32 global_atomic_max_depth=4
  atomicAdd(&bins[threadIdx.x / 4], own[threadIdx.x % 4]);
}

int main() {
  constexpr int kBytes = 16 * (kCount + 64);  // of each of two arrays, side by side
  float* floats = nullptr;
  cudaMalloc(&floats, 2 * kBytes);
  cudaMemset(floats, 0, 2 * kBytes);
  float* const results = floats + kBytes / 4;
  int* const numbers = reinterpret_cast<int*>(results);
  transpose_rows<<<kBlocks, kThreads>>>(floats, results);
  copy_vectors<<<kBlocks, kThreads>>>(reinterpret_cast<float4*>(floats), reinterpret_cast<float4*>(results));
  tiles<<<kBlocks, kThreads>>>(numbers);
  uneven_loops<<<kBlocks, kThreads>>>(numbers);
  for (int half = 0; half < 2; ++half) contention<<<kBlocks / 2, kThreads>>>(numbers);
  std::vector<int> bins(32);
  cudaMemcpy(bins.data(), numbers, 128, cudaMemcpyDeviceToHost);
  cudaFree(floats);
  std::printf("%d %s\n", bins[0], cudaGetErrorString(cudaDeviceSynchronize()));
}
