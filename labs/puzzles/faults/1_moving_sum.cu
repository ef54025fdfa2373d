// Sums of eight neighbouring elements. Every block puts the elements that it needs into shared memory first, since each
// of them is read eight times.
#include <cstdio>
#include <vector>

constexpr int kThreads = 128;
constexpr int kWindow = 8;

__global__ void moving_sum(const int* in, int* out, int n) {
  __shared__ int tile[kThreads + kWindow - 1];
  const int first = blockIdx.x * kThreads;
  for (int k = threadIdx.x; k < kThreads + kWindow - 1; k += kThreads) {
    tile[k] = first + k < n ? in[first + k] : 0;
  }
  int sum = 0;
  for (int k = 0; k < kWindow; ++k) sum += tile[threadIdx.x + k];
  if (first + threadIdx.x < n) out[first + threadIdx.x] = sum;
}

int main() {
  constexpr int n = 1000;
  const std::vector<int> in(n, 1);
  std::vector<int> out(n);
  int* d_in;
  int* d_out;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  moving_sum<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_in, d_out, n);
  cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("the sum that begins at element 100 is %d\n", out[100]);
  cudaFree(d_in);
  cudaFree(d_out);
}
