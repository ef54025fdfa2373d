// Multiplies every element by a factor of its own. The program ends as if nothing had happened.
#include <cstdio>
#include <vector>

__global__ void scale(int* values, const int* factors, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factors[i];
}

int main() {
  constexpr int n = 1000;
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i) values[i] = i;
  const std::vector<int> factors(n, 3);
  int* d_values;
  int* d_factors;
  cudaMalloc(&d_values, n * sizeof(int));
  cudaMalloc(&d_factors, n * sizeof(int));
  cudaMemcpy(d_values, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_factors, factors.data(), n, cudaMemcpyHostToDevice);
  scale<<<(n + 255) / 256, 256>>>(d_values, d_factors, n);
  cudaMemcpy(values.data(), d_values, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("element 100 is now %d\n", values[100]);
  cudaFree(d_values);
  cudaFree(d_factors);
}
