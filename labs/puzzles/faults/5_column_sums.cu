// The sum of each column of a matrix that is stored column by column: element (row, col) is at col * rows + row. The
// result is right, but is the kernel as fast as it could be?
#include <cstdio>
#include <vector>

__global__ void column_sums(const int* matrix, int* sums, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  int sum = 0;
  for (int row = 0; row < rows; ++row) {
    sum += matrix[col * rows + row];
  }
  sums[col] = sum;
}

int main() {
  constexpr int rows = 96;
  constexpr int cols = 512;
  const std::vector<int> matrix(rows * cols, 1);
  std::vector<int> sums(cols);
  int* d_matrix;
  int* d_sums;
  cudaMalloc(&d_matrix, matrix.size() * sizeof(int));
  cudaMalloc(&d_sums, cols * sizeof(int));
  cudaMemcpy(d_matrix, matrix.data(), matrix.size() * sizeof(int), cudaMemcpyHostToDevice);
  column_sums<<<cols / 128, 128>>>(d_matrix, d_sums, rows, cols);
  cudaMemcpy(sums.data(), d_sums, cols * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("the last sum is %d\n", sums[cols - 1]);
  cudaFree(d_matrix);
  cudaFree(d_sums);
}
