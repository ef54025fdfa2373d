// expect: transpose: right; no points of efficient; no points of fast; under review
// No kernel moves an element: the runtime copies each row of the input into a column of the output. Such a copy moves
// two sectors for each element, and this counts; the goal on bank conflicts comes after that on sectors.
#include "transpose.cuh"

__global__ void idle_kernel() {}

void transpose(const float* d_in, float* d_out, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  for (int r = 0; r < rows; ++r)
    cudaMemcpy2DAsync(d_out + r, rows * sizeof(float), d_in + size_t(r) * cols, sizeof(float), sizeof(float), cols,
                      cudaMemcpyDeviceToDevice);
  idle_kernel<<<1, 1>>>();
}
