// expect: vec_add_device: right; memcheck
// tries: to have four mistakes count as one, by giving all lines the same number
// says: reads 4 bytes at d_a[100], just past its end
// It is one finding then, and costs no less: what a checker finds costs half of the points, however often it does.

#include "vecadd.cuh"

static __device__ float past_the_end(const float* of, std::size_t n) {
  return *const_cast<const volatile float*>(of + n);
}

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
  if (i == 0) {
#line 1
    past_the_end(a, n);
#line 1
    past_the_end(a, n + 1);
#line 1
    past_the_end(a, n + 2);
#line 1
    past_the_end(a, n + 3);
  }
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
