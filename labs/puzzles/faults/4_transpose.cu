// Transposes a matrix through tiles in shared memory, so that reads and writes of global memory both go along rows. The
// result is right, but is the kernel as fast as it could be?
#include <cstdio>
#include <vector>

constexpr int kTile = 32;

__global__ void transpose(const int* in, int* out, int size) {
  __shared__ int tile[kTile][kTile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * kTile + y) * size + blockIdx.x * kTile + x];
  __syncthreads();
  out[(blockIdx.x * kTile + y) * size + blockIdx.y * kTile + x] = tile[x][y];
}

int main() {
  constexpr int size = 256;
  std::vector<int> matrix(size * size);
  for (int i = 0; i < size * size; ++i) matrix[i] = i;
  int* d_in;
  int* d_out;
  cudaMalloc(&d_in, matrix.size() * sizeof(int));
  cudaMalloc(&d_out, matrix.size() * sizeof(int));
  cudaMemcpy(d_in, matrix.data(), matrix.size() * sizeof(int), cudaMemcpyHostToDevice);
  transpose<<<dim3(size / kTile, size / kTile), dim3(kTile, kTile)>>>(d_in, d_out, size);
  cudaMemcpy(matrix.data(), d_out, matrix.size() * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("element (0, 1) was element (%d, %d)\n", matrix[1] / size, matrix[1] % size);
  cudaFree(d_in);
  cudaFree(d_out);
}
