// expect: merge_sort: refused by audit
// The lab is about writing the sort: a call of Thrust, which lab.toml forbids.
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "merge_sort.cuh"

void merge_sort(const int32_t* d_in, int32_t* d_out, size_t n) {
  thrust::copy(thrust::device, d_in, d_in + n, d_out);
  thrust::stable_sort(thrust::device, d_out, d_out + n);
}
