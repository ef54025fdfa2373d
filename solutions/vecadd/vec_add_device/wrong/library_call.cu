// expect: vec_add_device: refused by audit
// The lab is about writing the kernel: a call of Thrust, which lab.toml forbids.
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/transform.h>

#include "vecadd.cuh"

void vec_add_device(const float* d_a, const float* d_b, float* d_c, size_t n) {
  thrust::transform(thrust::device, d_a, d_a + n, d_b, d_c, thrust::plus<float>{});
}
