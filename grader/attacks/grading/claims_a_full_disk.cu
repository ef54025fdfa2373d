// expect: vec_add_device: compile error
// tries: to pass for trouble of the machine, which is never held against anybody
// says: error: #error
// The compiler's own words are told from those that it quotes.

#include "vecadd.cuh"

#line 1 "nvcc error   : 'cicc' died due to signal 9 (Kill signal)\nas: No space left on device"
#error cc1plus: fatal error: error writing to /tmp/x.s: No space left on device <script>x-attack</script>

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
