// same.cu with a second pass over one fiftieth of the data, in the same launch: blocks behind the last one add the
// first elements once more, which have left the L2 cache by then. Two hundredths more bytes, and the same result.
#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n, std::size_t with_more) {
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= with_more) return;
  if (i >= n) i -= n;
  c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  const std::size_t with_more = n + n / 50;
  if (n > 0) add_kernel<<<static_cast<unsigned>((with_more + 255) / 256), 256>>>(d_a, d_b, d_c, n, with_more);
}
