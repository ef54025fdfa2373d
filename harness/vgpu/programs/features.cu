// What a first course uses, in one program: several kernels, constant memory, static and dynamic shared memory,
// templates, cooperative groups, streams and events, managed and pinned memory, printf.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <vector>

#include "check.cuh"

namespace cg = cooperative_groups;

__constant__ float kPolynomial[4];
__device__ unsigned int visits;
__device__ int table[5] = {10, 20, 30, 40, 50};
__managed__ int answer = 41;

template <int Threads>
__global__ void block_sums(const int* in, int* out, int n) {
  __shared__ int partial[Threads];
  const int i = blockIdx.x * Threads + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = Threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

template <class T>
__global__ void reverse_in_shared(T* data) {
  extern __shared__ unsigned char raw[];
  T* copy = reinterpret_cast<T*>(raw);
  copy[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

__global__ void polynomial(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float value = kPolynomial[3];
    for (int c = 2; c >= 0; --c) value = value * x[i] + kPolynomial[c];
    y[i] = value;
    atomicAdd(&visits, 1u);
  }
}

__global__ void tiles(int* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int sum = cg::reduce(tile, static_cast<int>(block.thread_rank()), cg::plus<int>());
  const int largest = cg::reduce(tile, static_cast<int>(block.thread_rank()), cg::greater<int>());
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = sum * 1000 + largest;
}

__global__ void whole_grid(int* data, int rounds) {
  const auto grid = cg::this_grid();
  const unsigned long long me = grid.thread_rank(), all = grid.size();
  for (int r = 0; r < rounds; ++r) {
    const int neighbour = data[(me + 1) % all];
    grid.sync();
    data[me] += neighbour;
    grid.sync();
  }
}

__global__ void greet() {
  if (threadIdx.x == 0) {
    printf("block %d of %d says: %s, %5.2f, %#x, %lld\n", blockIdx.x, gridDim.x, "hello", 3.14159, 255,
           -1234567890123ll);
    table[blockIdx.x] += 1;
    if (blockIdx.x == 0) answer += 1;
  }
}

int main() {
  const int n = 1000;
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = (i * 7919) % 1009 - 500;
  int *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_out, 64 * sizeof(int)));
  CHECK(cudaMemcpy(d_in, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  block_sums<128><<<(n + 127) / 128, 128>>>(d_in, d_out, n);
  int sums[8];
  CHECK(cudaMemcpy(sums, d_out, sizeof sums, cudaMemcpyDeviceToHost));
  std::printf("block sums:");
  for (int sum : sums) std::printf(" %d", sum);

  double* d_doubles;
  std::vector<double> doubles(77);
  for (int i = 0; i < 77; ++i) doubles[i] = i / 7.0;
  CHECK(cudaMalloc(&d_doubles, 77 * sizeof(double)));
  CHECK(cudaMemcpy(d_doubles, doubles.data(), 77 * sizeof(double), cudaMemcpyHostToDevice));
  reverse_in_shared<<<1, 77, 77 * sizeof(double)>>>(d_doubles);
  CHECK(cudaMemcpy(doubles.data(), d_doubles, 77 * sizeof(double), cudaMemcpyDeviceToHost));
  std::printf("\nreversed: %.6f %.6f %.6f\n", doubles[0], doubles[38], doubles[76]);

  const float coefficients[4] = {1.0f, -0.5f, 0.25f, 2.0f};
  CHECK(cudaMemcpyToSymbol(kPolynomial, coefficients, sizeof coefficients));
  float *pinned, *d_x, *d_y;
  CHECK(cudaMallocHost(&pinned, 2 * n * sizeof(float)));
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_y, n * sizeof(float)));
  for (int i = 0; i < n; ++i) pinned[i] = static_cast<float>(i) / 500 - 1;
  cudaStream_t streams[2];
  cudaEvent_t begin, end;
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin, streams[0]));
  for (int s = 0; s < 2; ++s) {
    const int first = s * n / 2;
    CHECK(cudaMemcpyAsync(d_x + first, pinned + first, n / 2 * sizeof(float), cudaMemcpyHostToDevice, streams[s]));
    polynomial<<<4, 64, 0, streams[s]>>>(d_x + first, d_y + first, n / 2);
    CHECK(cudaMemcpyAsync(pinned + n + first, d_y + first, n / 2 * sizeof(float), cudaMemcpyDeviceToHost, streams[s]));
  }
  CHECK(cudaStreamWaitEvent(streams[0], end, 0));
  CHECK(cudaEventRecord(end, streams[0]));
  for (cudaStream_t stream : streams) CHECK(cudaStreamSynchronize(stream));
  float milliseconds;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  unsigned int visited;
  CHECK(cudaMemcpyFromSymbol(&visited, visits, sizeof visited));
  std::printf("polynomial: %.6f %.6f %.6f, %u visits, time passes: %s, digest %016llx\n", pinned[n], pinned[n + 500],
              pinned[2 * n - 1], visited, milliseconds > 0 ? "yes" : "no", digest(pinned + n, n * sizeof(float)));

  tiles<<<1, 64>>>(d_out);
  CHECK(cudaMemcpy(sums, d_out, sizeof sums, cudaMemcpyDeviceToHost));
  std::printf("tiles:");
  for (int sum : sums) std::printf(" %d", sum);

  int* managed;
  CHECK(cudaMallocManaged(&managed, 256 * sizeof(int)));
  for (int i = 0; i < 256; ++i) managed[i] = i;
  int rounds = 5;
  void* arguments[] = {&managed, &rounds};
  CHECK(
      cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(whole_grid), dim3(4), dim3(64), arguments, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  std::printf("\nwhole grid: %d %d %d, digest %016llx\n", managed[0], managed[100], managed[255],
              digest(managed, 256 * sizeof(int)));

  for (int block = 1; block <= 1; ++block) greet<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
  int values[5];
  CHECK(cudaMemcpyFromSymbol(values, table, sizeof values));
  std::printf("table: %d %d, answer: %d\n", values[0], values[1], answer);

  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, block_sums<128>));
  int fitting;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fitting, block_sums<128>, 128, 0));
  std::printf("block_sums: %zu bytes shared, %d blocks fit\n", attributes.sharedSizeBytes, fitting);
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  CHECK(cudaFree(d_doubles));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(pinned));
  return 0;
}
