// expect: sum: refused by audit
// The lab is about writing the reduction: a call of Thrust, which lab.toml forbids.
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include "reduction.cuh"

void sum(const float* d_x, size_t n, float* d_sum) {
  const float total = thrust::reduce(thrust::device, d_x, d_x + n);
  cudaMemcpy(d_sum, &total, sizeof(float), cudaMemcpyHostToDevice);
}
