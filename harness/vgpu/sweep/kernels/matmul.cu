// Tiled matrix multiplication: each block stages a tile of both factors in shared memory.
#include "check.cuh"

constexpr int kTile = 16;

__global__ void matmul(const float* a, const float* b, float* c, int rows, int inner, int columns) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty;
  const int column = blockIdx.x * kTile + tx;
  float sum = 0;
  // sweep: equivalent shift-bound 1: one more tile, all of zeros
  for (int begin = 0; begin < inner; begin += kTile) {
    const int a_column = begin + tx, b_row = begin + ty;
    a_tile[ty][tx] = row < rows && a_column < inner ? a[row * inner + a_column] : 0.0f;
    b_tile[ty][tx] = b_row < inner && column < columns ? b[b_row * columns + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

bool test(int rows, int inner, int columns) {
  std::vector<float> a, b, expected;
  for (int value : numbers(rows * inner, 9, 1)) a.push_back(static_cast<float>(value));
  for (int value : numbers(inner * columns, 9, 2)) b.push_back(static_cast<float>(value));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      float sum = 0;
      for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
      expected.push_back(sum);
    }
  }
  const DeviceArray<float> d_a(a), d_b(b), d_c(expected.size());
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  matmul<<<grid, dim3(kTile, kTile)>>>(d_a.get(), d_b.get(), d_c.get(), rows, inner, columns);
  finish();
  return is_right("product", d_c.values(), expected);
}

int main() { return test(37, 29, 45) && test(16, 32, 16) && test(1, 17, 1) ? 0 : 1; }
