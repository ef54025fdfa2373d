// expect: merge_sorted: refused by audit
// The lab is about writing the merge: a call of Thrust, which lab.toml forbids.
#include <thrust/execution_policy.h>
#include <thrust/merge.h>

#include "merge.cuh"

void merge_sorted(const int32_t* d_a, size_t m, const int32_t* d_b, size_t n, int32_t* d_out) {
  thrust::merge(thrust::device, d_a, d_a + m, d_b, d_b + n, d_out);
}
