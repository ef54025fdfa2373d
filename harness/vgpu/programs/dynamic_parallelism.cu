// Kernels that launch kernels, as CUDA 12 and later have it: default, fire-and-forget and tail-launch streams, streams
// and events made on the device, recursion, memory from the device's heap.
#include "check.cuh"

__device__ int order[16];
__device__ int orders;

__global__ void note(int what) { order[atomicAdd(&orders, 1)] = what; }

/// Launches in one stream run in order; the tail launch comes after all others.
__global__ void in_order() {
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(9);
  note<<<1, 1>>>(1);
  note<<<1, 1>>>(2);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(10);
  note<<<1, 1>>>(3);
}

__global__ void add(int* data, int what) { data[blockIdx.x * blockDim.x + threadIdx.x] += what; }

/// What a parent has written before it launches, its child sees; what children have written, the tail launch sees.
__global__ void sum_up(const int* data, int count, int* sum) {
  int own = 0;
  for (int i = threadIdx.x; i < count; i += warpSize) own += data[i];
  own = __reduce_add_sync(~0u, own);
  if (threadIdx.x == 0) *sum = own;
}
__global__ void family(int* data, int count, int* sum) {
  data[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x != 0) return;
  add<<<count / 32, 32>>>(data, 100);
  sum_up<<<1, 32, 0, cudaStreamTailLaunch>>>(data, count, sum);
}

/// Every thread launches for itself, with shared memory of a size given at the launch.
__global__ void reversed(int* data) {
  extern __shared__ int copy[];
  copy[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}
__global__ void reverse_parts(int* data) {
  reversed<<<1, 4, 4 * sizeof(int), cudaStreamFireAndForget>>>(data + 4 * threadIdx.x);
}

/// Sums of a tree of grids: each launches two, and they add to one counter.
__global__ void tree(int depth, int* leaves) {
  if (depth == 0) {
    atomicAdd(leaves, 1);
    return;
  }
  tree<<<1, 1, 0, cudaStreamFireAndForget>>>(depth - 1, leaves);
  tree<<<1, 1>>>(depth - 1, leaves);
}

/// A counter goes on by tail launches, one after the other.
__global__ void count_down(int left, int* steps) {
  *steps += 1;
  if (left > 1) count_down<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1, steps);
}

/// Streams and events of the device order what they are asked to; pointers to results may be shared memory.
__global__ void with_streams(int* data, int* errors) {
  __shared__ cudaStream_t streams[2];
  __shared__ cudaEvent_t event;
  int wrong = 0;
  for (cudaStream_t& stream : streams)
    wrong += cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess;
  wrong += cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess;
  add<<<1, 4, 0, streams[0]>>>(data, 5);
  wrong += cudaEventRecord(event, streams[0]) != cudaSuccess;
  wrong += cudaStreamWaitEvent(streams[1], event, 0) != cudaSuccess;
  reversed<<<1, 4, 4 * sizeof(int), streams[1]>>>(data);
  for (cudaStream_t stream : streams) wrong += cudaStreamDestroy(stream) != cudaSuccess;
  wrong += cudaEventDestroy(event) != cudaSuccess;
  cudaStream_t by_default;
  wrong += cudaStreamCreateWithFlags(&by_default, cudaStreamDefault) != cudaSuccess;
  wrong += cudaStreamDestroy(by_default) != cudaSuccess;
  constexpr unsigned kNoFlag = 77;
  wrong += cudaStreamCreateWithFlags(&by_default, kNoFlag) != cudaErrorInvalidValue;
  wrong += cudaPeekAtLastError() != cudaErrorInvalidValue;
  wrong += cudaGetLastError() != cudaErrorInvalidValue;
  wrong += cudaGetLastError() != cudaSuccess;
  int device = -1;
  wrong += cudaGetDevice(&device) != cudaSuccess || device != 0;
  *errors = wrong;
}

__global__ void free_it(int* memory, int* result) {
  *result = memory[0];
  cudaFree(memory);
}
__global__ void heap(int* result) {
  int* memory = nullptr;
  if (cudaMalloc(&memory, 8 * sizeof(int)) != cudaSuccess) return;
  for (int i = 0; i < 8; ++i) memory[i] = i;
  add<<<1, 8>>>(memory, 42);
  free_it<<<1, 1>>>(memory, result);
}

__device__ int clock_hand = 1;
template <int N>
__global__ void times(int* data) {
  data[threadIdx.x] *= N + clock_hand;
}
__global__ void templated_parent(int* data) { times<6><<<1, 4>>>(data); }

void show(const char* name, const int* values, int count) {
  std::printf("%s:", name);
  for (int i = 0; i < count; ++i) std::printf(" %d", values[i]);
  std::printf("\n");
}

/// Goes on for ever, by launches that end.
__global__ void doubles_itself() {
  doubles_itself<<<1, 1>>>();
  doubles_itself<<<1, 1>>>();
}

int main(int argc, char**) {
  if (argc > 1) {  // not on a GPU, which takes its time to run out of launches
    doubles_itself<<<1, 1>>>();
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  int* data = nullptr;
  CHECK(cudaMallocManaged(&data, 128 * sizeof(int)));
  int host[16] = {};

  in_order<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(host, order, 5 * sizeof(int)));
  show("order", host, 5);

  family<<<1, 64>>>(data, 64, data + 100);
  CHECK(cudaDeviceSynchronize());
  show("family", data + 100, 1);

  for (int i = 0; i < 12; ++i) data[i] = i;
  reverse_parts<<<1, 3>>>(data);
  CHECK(cudaDeviceSynchronize());
  show("reversed", data, 12);

  data[0] = 0;
  tree<<<1, 1>>>(6, data);
  CHECK(cudaDeviceSynchronize());
  show("leaves", data, 1);

  data[0] = 0;
  count_down<<<1, 1>>>(20, data);
  CHECK(cudaDeviceSynchronize());
  show("steps", data, 1);

  for (int i = 0; i < 4; ++i) data[i] = i;
  with_streams<<<1, 1>>>(data, data + 4);
  CHECK(cudaDeviceSynchronize());
  show("streams", data, 5);

  heap<<<1, 1>>>(data);
  CHECK(cudaDeviceSynchronize());
  show("heap", data, 1);

  for (int i = 0; i < 4; ++i) data[i] = i;
  templated_parent<<<1, 1>>>(data);
  CHECK(cudaDeviceSynchronize());
  show("template", data, 4);

  CHECK(cudaFree(data));
  return 0;
}
