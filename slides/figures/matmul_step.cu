// One product of square matrices by a step of the ladder, for pictures of what its warps do. STEP names the file.
#include STEP

#include <cstddef>
#include <cstdlib>

int main(int, char** arguments) {
  const int extent = std::atoi(arguments[1]);
  const std::size_t bytes = std::size_t{4} * extent * extent;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  if (cudaMalloc(&a, bytes) != cudaSuccess || cudaMalloc(&b, bytes) != cudaSuccess ||
      cudaMalloc(&c, bytes) != cudaSuccess)
    return 1;
  if (cudaMemset(a, 0, bytes) != cudaSuccess || cudaMemset(b, 0, bytes) != cudaSuccess) return 1;
  matmul(a, b, c, extent, extent, extent);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  return cudaFree(a) == cudaSuccess && cudaFree(b) == cudaSuccess && cudaFree(c) == cudaSuccess ? 0 : 1;
}
