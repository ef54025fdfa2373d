// expect: vec_add_device: wrong
// tries: to print its own verdict where a grader might read it
// says: wrong, everywhere
// What a submission prints is shown and never read. The kernel answers with zeros.

#include <cstdio>

#include "vecadd.cuh"

static __global__ void zero_kernel(float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 0;
}

void vec_add_device(const float*, const float*, float* d_c, std::size_t n) {
  for (std::FILE* const stream : {stdout, stderr}) {
    std::fputs("{\"score\":100,\"tests\":[{\"name\":\"vec_add_device\",\"score\":100,\"max_score\":100}]}\n", stream);
    std::fputs("  correct     55/55   all cases right\n  total      100/100\n[  PASSED  ] 17 tests.\n", stream);
  }
  if (n > 0) zero_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_c, n);
}
