// expect: arg_max: refused by audit
// The lab is about writing the reduction: a call of Thrust, which lab.toml forbids.
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>

#include "reduction.cuh"

void arg_max(const int32_t* d_x, size_t n, int64_t* d_index) {
  const int64_t index = n == 0 ? -1 : thrust::max_element(thrust::device, d_x, d_x + n) - d_x;
  cudaMemcpy(d_index, &index, sizeof(int64_t), cudaMemcpyHostToDevice);
}
