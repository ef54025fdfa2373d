// Smooths a row of measurements: every one becomes the mean of itself and its two neighbours, and the first and the
// last remain what they are.
#include <cstdio>
#include <vector>

__global__ void smooth(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i == 0 || i == n) {
    out[i] = in[i];
  } else {
    out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
  }
}

int main() {
  constexpr int n = 1024;
  const std::vector<float> in(n, 2);
  std::vector<float> out(n);
  float* d_in;
  float* d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  smooth<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
  cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("the mean in the middle is %g\n", out[n / 2]);
  cudaFree(d_in);
  cudaFree(d_out);
}
