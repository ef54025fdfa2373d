// Counts 65,536 bytes, nine in ten of which are equal: the example of lecture 08.
//
//   nvcc -lineinfo -cudart shared -o tally tally.cu
//   lanewise run -- ./tally
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

constexpr int kBins = 256;

__global__ void tally_kernel(const unsigned char* data, int n, unsigned* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = data[i];
  atomicAdd(&bins[v], 1u);
}

int main() {
  constexpr int n = 1 << 16;
  std::vector<unsigned char> data(n);
  std::vector<unsigned> expected(kBins), bins(kBins);
  unsigned random = 1;
  for (unsigned char& value : data) {
    random = random * 1664525 + 1013904223;
    value = (random >> 16) % 10 == 0 ? random >> 24 : 'e';
    ++expected[value];
  }

  unsigned char* d_data = nullptr;
  unsigned* d_bins = nullptr;
  CHECK(cudaMalloc(&d_data, n));
  CHECK(cudaMalloc(&d_bins, kBins * sizeof(unsigned)));
  CHECK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_bins, 0, kBins * sizeof(unsigned)));
  tally_kernel<<<n / 256, 256>>>(d_data, n, d_bins);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(bins.data(), d_bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_data));
  CHECK(cudaFree(d_bins));

  std::printf("e: counted %u of %u\nx: counted %u of %u\n", bins['e'], expected['e'], bins['x'], expected['x']);
}
