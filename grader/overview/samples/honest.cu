// Lab scan, as one student may hand it in: the skeleton filled in, Kogge-Stone in every block.
#include "scan.cuh"

#include <cstdio>

// Every CUDA function returns a status, and a status nobody looks at is a bug that shows up somewhere else. Wrap each
// call: CHECK(cudaMalloc(...)). On an error it says where and why, and leaves the function it stands in.
#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      return;                                                                                         \
    }                                                                                                 \
  } while (false)

constexpr int kThreadsPerBlock = 256;

__global__ void scan_blocks(const std::uint32_t* in, std::uint32_t* out, std::uint32_t* sums, std::size_t n) {
  __shared__ std::uint32_t s[kThreadsPerBlock];
  const unsigned t = threadIdx.x;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned stride = 1; stride < kThreadsPerBlock; stride *= 2) {
    std::uint32_t left = 0;
    if (t >= stride) left = s[t - stride];
    __syncthreads();
    s[t] += left;
    __syncthreads();
  }
  if (i < n) out[i] = s[t];
  if (t == kThreadsPerBlock - 1) sums[blockIdx.x] = s[t];
}

__global__ void add_sums(std::uint32_t* out, const std::uint32_t* sums, std::size_t n) {
  if (blockIdx.x == 0) return;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] += sums[blockIdx.x - 1];
}

// Scans n >= 1 numbers of device memory. d_out may be the same array as d_in.
void scan(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  const std::size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  std::uint32_t* d_sums = nullptr;
  CHECK(cudaMalloc(&d_sums, blocks * sizeof(std::uint32_t)));
  scan_blocks<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_in, d_out, d_sums, n);
  if (blocks > 1) {
    scan(d_sums, d_sums, blocks);
    add_sums<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_out, d_sums, n);
  }
  cudaFree(d_sums);
  CHECK(cudaGetLastError());
}

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;
  scan(reinterpret_cast<const std::uint32_t*>(d_in), reinterpret_cast<std::uint32_t*>(d_out), n);
}
