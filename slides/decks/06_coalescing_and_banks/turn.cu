// Turns a matrix of 512 x 768 floats through tiles in shared memory: the example of lecture 06.
//
//   nvcc -lineinfo -cudart shared -o turn turn.cu
//   lanewise run -- ./turn
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (false)

constexpr int kTile = 32;
constexpr int kPitch = 32;  // words from one row of the tile to the next
constexpr int kRows = 512, kCols = 768;

__global__ void turn_kernel(const float* in, float* out) {
  __shared__ float tile[kTile][kPitch];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
  tile[y][x] = in[(first_row + y) * kCols + first_col + x];
  __syncthreads();
  const float turned = tile[x][y];
  out[(first_col + y) * kRows + first_row + x] = turned;
}

int main() {
  const std::size_t count = std::size_t{kRows} * kCols;
  std::vector<float> in(count), out(count);
  for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<float>(i);

  float *d_in = nullptr, *d_out = nullptr;
  CHECK(cudaMalloc(&d_in, count * sizeof(float)));
  CHECK(cudaMalloc(&d_out, count * sizeof(float)));
  CHECK(cudaMemcpy(d_in, in.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  turn_kernel<<<dim3(kCols / kTile, kRows / kTile), dim3(kTile, kTile)>>>(d_in, d_out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, count * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));

  int wrong = 0;
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) wrong += out[std::size_t(c) * kRows + r] != in[std::size_t(r) * kCols + c];
  std::printf("%d of %zu wrong\n", wrong, count);
  return wrong != 0;
}
