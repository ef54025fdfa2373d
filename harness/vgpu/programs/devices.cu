// Several devices: what belongs to which, what they may do with each other's memory, and what is refused. Needs two.
#include <vector>

#include "check.cuh"

__device__ int counter = 5;
__constant__ int weight = 1;
__managed__ int everywhere = 100;

__global__ void count(int by) { counter += by * weight; }
__global__ void fill(int* data, int n, int begin) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = begin + i;
}
__global__ void add(int* to, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}
__global__ void meet(int* value, int by) {
  atomicAdd_system(value, by);
  everywhere += by;
}

#define SHOW(call) std::printf("%-64s %s\n", #call, cudaGetErrorName(call))

int sum(const int* data, int n) {
  int total = 0;
  for (int i = 0; i < n; ++i) total += data[i];
  return total;
}

void own_variables() {
  const int two = 2;
  CHECK(cudaSetDevice(1));
  CHECK(cudaMemcpyToSymbol(weight, &two, sizeof two));
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    count<<<1, 1>>>(10);
    int value;
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    std::printf("device %d counts to %d\n", device, value);
  }
  void* addresses[2];
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaGetSymbolAddress(&addresses[device], counter));
  }
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, addresses[0]));
  std::printf("variables: %s, the first one on device %d\n", addresses[0] == addresses[1] ? "shared" : "one a device",
              attributes.device);
}

void streams_and_events(int* on0, int* on1, int n) {
  cudaStream_t stream0, stream1;
  cudaEvent_t event0, event1;
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamCreate(&stream1));
  CHECK(cudaEventCreate(&event1));
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamCreate(&stream0));
  CHECK(cudaEventCreate(&event0));
  int device = -1;
  CHECK(cudaStreamGetDevice(stream1, &device));
  std::printf("the second stream is on device %d\n", device);

  fill<<<4, 256, 0, stream1>>>(on1, n, 0);  // runs where the stream is
  SHOW(cudaGetLastError());
  SHOW(cudaMemcpyAsync(on0, on1, n * sizeof(int), cudaMemcpyDefault, stream1));
  SHOW(cudaEventRecord(event1, stream0));
  SHOW(cudaEventRecord(event1, stream1));
  SHOW(cudaEventRecord(event0, stream1));
  SHOW(cudaEventRecord(event0, stream0));
  SHOW(cudaStreamSynchronize(stream1));
  SHOW(cudaEventSynchronize(event1));
  float milliseconds;
  SHOW(cudaEventElapsedTime(&milliseconds, event0, event1));
  cudaGetLastError();

  // Device 1 waits for device 0, which waits for nobody.
  fill<<<4, 256, 0, stream0>>>(on0, n, 1000);
  CHECK(cudaEventRecord(event0, stream0));
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamWaitEvent(stream1, event0, 0));
  CHECK(cudaMemcpyPeerAsync(on1, 1, on0, 0, n * sizeof(int), stream1));
  add<<<4, 256, 0, stream1>>>(on1, on1, n);
  std::vector<int> host(n);
  CHECK(cudaMemcpyAsync(host.data(), on1, n * sizeof(int), cudaMemcpyDeviceToHost, stream1));
  CHECK(cudaStreamSynchronize(stream1));
  std::printf("from device 0 through device 1: %d %d, sum %d\n", host[0], host[n - 1], sum(host.data(), n));
  CHECK(cudaStreamDestroy(stream0));
  CHECK(cudaStreamDestroy(stream1));
  CHECK(cudaEventDestroy(event0));
  CHECK(cudaEventDestroy(event1));
}

void copies(int* on0, int* on1, int n) {
  CHECK(cudaSetDevice(0));
  fill<<<4, 256>>>(on0, n, 0);
  SHOW(cudaMemcpyPeer(on1, 1, on0, 0, n * sizeof(int)));
  CHECK(cudaMemset(on0, 0, n * sizeof(int)));
  SHOW(cudaMemcpy(on0, on1, n * sizeof(int), cudaMemcpyDeviceToDevice));
  std::vector<int> host(n);
  SHOW(cudaMemcpy(host.data(), on1, n * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("there and back: %d %d\n", host[1], host[n - 1]);
  SHOW(cudaMemcpyPeer(on1, 99, on0, 0, n * sizeof(int)));
  cudaGetLastError();
}

void peers(int* on0, int* on1, int n) {
  int can = -1;
  for (int from = 0; from < 2; ++from)
    for (int to = 0; to < 2; ++to) {
      CHECK(cudaDeviceCanAccessPeer(&can, from, to));
      std::printf("device %d can access device %d: %d\n", from, to, can);
    }
  SHOW(cudaDeviceCanAccessPeer(&can, 0, 1000));
  CHECK(cudaSetDevice(0));
  SHOW(cudaDeviceDisablePeerAccess(1));
  SHOW(cudaDeviceEnablePeerAccess(0, 0));
  SHOW(cudaDeviceEnablePeerAccess(1000, 0));
  SHOW(cudaDeviceEnablePeerAccess(1, 1));
  SHOW(cudaDeviceEnablePeerAccess(1, 0));
  SHOW(cudaDeviceEnablePeerAccess(1, 0));
  SHOW(cudaGetLastError());
  SHOW(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1));
  std::printf("access supported: %d\n", can);
  SHOW(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 0));
  cudaGetLastError();

  CHECK(cudaSetDevice(1));
  fill<<<4, 256>>>(on1, n, 7);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(0));
  fill<<<4, 256>>>(on0, n, 0);
  add<<<4, 256>>>(on0, on1, n);  // reads what lies on device 1
  add<<<4, 256>>>(on1, on0, n);  // and changes it
  std::vector<int> host(n);
  CHECK(cudaMemcpy(host.data(), on1, n * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("added over there: %d %d, sum %d\n", host[0], host[n - 1], sum(host.data(), n));
}

void everywhere_visible() {
  int *managed, *pinned;
  CHECK(cudaSetDevice(1));
  CHECK(cudaMallocManaged(&managed, sizeof(int)));
  CHECK(cudaMallocHost(&pinned, sizeof(int)));
  *managed = 1;
  *pinned = 1;
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    meet<<<1, 1>>>(managed, 10 + device);
    CHECK(cudaDeviceSynchronize());
    meet<<<1, 1>>>(pinned, 20 + device);
    CHECK(cudaDeviceSynchronize());
  }
  std::printf("managed %d, pinned %d, managed variable %d\n", *managed, *pinned, everywhere);
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(pinned));
}

/// Memory of a pool is opened by the pool, not by the devices' access to each other.
void pools(int* on0, int n) {
  cudaMemPool_t pool;
  cudaStream_t stream;
  int* pooled;
  CHECK(cudaSetDevice(1));
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 1));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocAsync(&pooled, n * sizeof(int), stream));
  fill<<<4, 256, 0, stream>>>(pooled, n, 5);
  CHECK(cudaStreamSynchronize(stream));
  cudaMemLocation zero = {cudaMemLocationTypeDevice, 0}, one = {cudaMemLocationTypeDevice, 1};
  cudaMemAccessFlags to0, to1;
  CHECK(cudaMemPoolGetAccess(&to0, pool, &zero));
  CHECK(cudaMemPoolGetAccess(&to1, pool, &one));
  std::printf("access to the pool: %d and %d\n", static_cast<int>(to0), static_cast<int>(to1));
  cudaMemAccessDesc access = {zero, cudaMemAccessFlagsProtReadWrite};
  SHOW(cudaMemPoolSetAccess(pool, &access, 1));
  CHECK(cudaMemPoolGetAccess(&to0, pool, &zero));
  CHECK(cudaSetDevice(0));
  fill<<<4, 256>>>(on0, n, 0);
  add<<<4, 256>>>(on0, pooled, n);
  std::vector<int> host(n);
  CHECK(cudaMemcpy(host.data(), on0, n * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("then %d; %d %d\n", static_cast<int>(to0), host[0], host[n - 1]);
  access.location = one;
  access.flags = cudaMemAccessFlagsProtNone;
  SHOW(cudaMemPoolSetAccess(pool, &access, 1));
  cudaGetLastError();
  CHECK(cudaFreeAsync(pooled, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
}

/// A graph whose nodes run on both devices, captured from streams of both.
void graph(int* on0, int* on1, int n) {
  cudaStream_t stream0, stream1;
  cudaEvent_t fork, join;
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamCreate(&stream1));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamCreate(&stream0));
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  int* result;
  CHECK(cudaMallocHost(&result, n * sizeof(int)));
  CHECK(cudaStreamBeginCapture(stream0, cudaStreamCaptureModeGlobal));
  fill<<<4, 256, 0, stream0>>>(on0, n, 100);
  CHECK(cudaMemcpyAsync(on1, on0, n * sizeof(int), cudaMemcpyDefault, stream0));
  CHECK(cudaEventRecord(fork, stream0));
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamWaitEvent(stream1, fork, 0));
  add<<<4, 256, 0, stream1>>>(on1, on1, n);
  CHECK(cudaEventRecord(join, stream1));
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamWaitEvent(stream0, join, 0));
  CHECK(cudaMemcpyAsync(result, on1, n * sizeof(int), cudaMemcpyDeviceToHost, stream0));
  cudaGraph_t captured;
  CHECK(cudaStreamEndCapture(stream0, &captured));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(captured, nullptr, &nodes));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, captured, 0));
  CHECK(cudaGraphLaunch(exec, stream0));
  CHECK(cudaStreamSynchronize(stream0));
  std::printf("a graph of %zu nodes on both: %d %d\n", nodes, result[0], result[n - 1]);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(captured));
  CHECK(cudaFreeHost(result));
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(join));
  CHECK(cudaStreamDestroy(stream0));
  CHECK(cudaStreamDestroy(stream1));
}

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    std::printf("needs two devices\n");
    return 77;
  }
  SHOW(cudaSetDevice(1000));
  SHOW(cudaSetDevice(-1));
  cudaGetLastError();
  int current = -1;
  CHECK(cudaGetDevice(&current));
  std::printf("the first device is %d\n", current);
  own_variables();

  const int n = 1000;
  int *on0, *on1;
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&on0, n * sizeof(int)));
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&on1, n * sizeof(int)));
  CHECK(cudaMemset(on1, 0, n * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(0));
  for (const int* pointer : {on0, on1 + 10}) {
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, pointer));
    std::printf("a pointer to device %d\n", attributes.device);
  }
  copies(on0, on1, n);
  streams_and_events(on0, on1, n);
  everywhere_visible();
  pools(on0, n);
  graph(on0, on1, n);
  peers(on0, on1, n);

  SHOW(cudaDeviceDisablePeerAccess(1));
  SHOW(cudaFree(on0));
  add<<<1, 32>>>(on1, on1, 32);  // on device 0, which may not
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaGetLastError());
  SHOW(cudaMalloc(&on0, 4));
  return 0;
}
