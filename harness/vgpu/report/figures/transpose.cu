// The program of the picture in the READMEs: a transpose that writes columns.
#include <cstdio>

__global__ void transpose(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) {
    out[x * n + y] = in[y * n + x];
  }
}

int main() {
  constexpr int kSize = 1024;
  float *d_in, *d_out;
  cudaMalloc(&d_in, kSize * kSize * sizeof(float));
  cudaMalloc(&d_out, kSize * kSize * sizeof(float));
  cudaMemset(d_in, 0, kSize * kSize * sizeof(float));
  transpose<<<dim3(kSize / 32, kSize / 8), dim3(32, 8)>>>(d_in, d_out, kSize);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
  cudaFree(d_in);
  cudaFree(d_out);
  return error != cudaSuccess;
}
