// Merges two sorted arrays, each thread a few neighbouring outputs: the example of lecture 12.
//
//   nvcc -lineinfo -cudart shared -o pieces pieces.cu
//   lanewise run -- ./pieces
#include <algorithm>
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

constexpr int kOutputs = 8;  // of a thread
constexpr int kKeys = 1 << 15, kThreads = 256;
static_assert(2 * kKeys % (kThreads * kOutputs) == 0, "every thread has all of its outputs");

// How many of the first k outputs come from a. Equal keys of a come first.
__device__ int co_rank(int k, const int* a, int m, const int* b, int n) {
  int low = max(0, k - n), high = min(k, m);
  while (low < high) {
    const int i = (low + high) / 2;
    if (a[i] <= b[k - 1 - i])
      low = i + 1;
    else
      high = i;
  }
  return low;
}

__global__ void merge_kernel(const int* a, int m, const int* b, int n, int* out) {
  const int first = (blockIdx.x * kThreads + threadIdx.x) * kOutputs;
  int i = co_rank(first, a, m, b, n), j = first - i;
  for (int k = first; k < first + kOutputs; ++k) {
    const bool takes_a = j == n || (i < m && a[i] <= b[j]);
    out[k] = takes_a ? a[i++] : b[j++];
  }
}

int main() {
  std::vector<int> keys(2 * kKeys);
  unsigned state = 1;
  for (int& key : keys) key = static_cast<int>((state = state * 1664525 + 1013904223) >> 8);
  std::sort(keys.begin(), keys.begin() + kKeys);
  std::sort(keys.begin() + kKeys, keys.end());
  int *in = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&in, keys.size() * sizeof(int)));
  CHECK(cudaMalloc(&out, keys.size() * sizeof(int)));
  CHECK(cudaMemcpy(in, keys.data(), keys.size() * sizeof(int), cudaMemcpyHostToDevice));
  merge_kernel<<<2 * kKeys / (kThreads * kOutputs), kThreads>>>(in, kKeys, in + kKeys, kKeys, out);
  CHECK(cudaGetLastError());
  std::vector<int> merged(keys.size());
  CHECK(cudaMemcpy(merged.data(), out, keys.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  std::sort(keys.begin(), keys.end());
  std::printf("%d outputs for each thread: %s\n", kOutputs, merged == keys ? "sorted" : "NOT sorted");
}
