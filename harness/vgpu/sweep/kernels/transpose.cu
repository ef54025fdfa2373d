// Transposition through shared memory, with a column of padding against bank conflicts.
#include "check.cuh"

constexpr int kTile = 32;
constexpr int kRows = 8;  // of threads; each takes every eighth row of the tile

__global__ void transpose(const int* in, int* out, int rows, int columns) {
  __shared__ int tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

bool test(int rows, int columns) {
  const std::vector<int> in = numbers(rows * columns, 1000000, 3);
  std::vector<int> expected;
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < rows; ++row) expected.push_back(in[row * columns + column]);
  const DeviceArray<int> d_in(in), d_out(in.size());
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose<<<grid, dim3(kTile, kRows)>>>(d_in.get(), d_out.get(), rows, columns);
  finish();
  return is_right("transposed", d_out.values(), expected);
}

int main() { return test(50, 70) && test(64, 32) && test(1, 33) ? 0 : 1; }
