// expect: merge_sorted: wrong; misconception = "copied one after the other"
// Two copies and no merge.
#include "merge.cuh"

void merge_sorted(const int32_t* d_a, size_t m, const int32_t* d_b, size_t n, int32_t* d_out) {
  cudaMemcpy(d_out, d_a, m * sizeof(int32_t), cudaMemcpyDeviceToDevice);
  cudaMemcpy(d_out + m, d_b, n * sizeof(int32_t), cudaMemcpyDeviceToDevice);
}
