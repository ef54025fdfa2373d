// The rest of the runtime API that ordinary programs use: pitched memory, pools, attributes, limits, hints.
#include <cuda_profiler_api.h>
#include <unistd.h>
#include <vector>

#include "check.cuh"

__device__ int table[8];
__constant__ float factors[4];

__global__ void add(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}
__global__ void shared_sum(int* out, int n) {
  extern __shared__ int values[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += values[i];
    *out = sum;
  }
}
struct Mixed {
  char letter;
  double number;
};
__global__ void with_parameters(char c, int i, Mixed m, short s) {
  if (c == 1) table[0] = i + static_cast<int>(m.number) + s;
}
__global__ void scale_table(int* at) { at[threadIdx.x] = static_cast<int>(at[threadIdx.x] * factors[threadIdx.x % 4]); }

#define SHOW(call) std::printf("%-76s %s\n", #call, cudaGetErrorName(call))

void pitched() {
  unsigned char picture[20][100], back[20][100];
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 100; ++x) picture[y][x] = static_cast<unsigned char>(x + 3 * y);
  void* rows;
  size_t pitch;
  CHECK(cudaMallocPitch(&rows, &pitch, 100, 20));
  CHECK(cudaMemcpy2D(rows, pitch, picture, 100, 100, 20, cudaMemcpyHostToDevice));
  CHECK(cudaMemset2D(static_cast<char*>(rows) + 2 * pitch + 10, pitch, 255, 30, 4));
  CHECK(cudaMemcpy2D(back, 100, rows, pitch, 100, 20, cudaMemcpyDeviceToHost));
  std::printf("rows: pitch %zu, %d %d %d, digest %016llx\n", pitch, back[1][10], back[2][10], back[6][10],
              digest(back, sizeof back));
  SHOW(cudaMemcpy2D(back, 50, rows, pitch, 100, 20, cudaMemcpyDeviceToHost));
  SHOW(cudaMemset2D(rows, pitch, 0, pitch + 1, 2));
  cudaGetLastError();
  CHECK(cudaFree(rows));

  // A box of 4 x 5 x 6 ints at (8 bytes, 1, 2) of a volume of 10 x 8 x 9.
  cudaPitchedPtr volume;
  CHECK(cudaMalloc3D(&volume, make_cudaExtent(10 * sizeof(int), 8, 9)));
  CHECK(cudaMemset3D(volume, 1, make_cudaExtent(10 * sizeof(int), 8, 9)));
  std::vector<int> box(4 * 5 * 6), whole(10 * 8 * 9);
  for (size_t i = 0; i < box.size(); ++i) box[i] = static_cast<int>(i);
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(box.data(), 4 * sizeof(int), 4, 5);
  p.dstPtr = volume;
  p.dstPos = make_cudaPos(2 * sizeof(int), 1, 2);
  p.extent = make_cudaExtent(4 * sizeof(int), 5, 6);
  p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&p));
  cudaMemcpy3DParms all = {};
  all.srcPtr = volume;
  all.dstPtr = make_cudaPitchedPtr(whole.data(), 10 * sizeof(int), 10, 8);
  all.extent = make_cudaExtent(10 * sizeof(int), 8, 9);
  all.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&all));
  std::printf("volume: %d %d %d, digest %016llx\n", whole[0], whole[(2 * 8 + 1) * 10 + 3], whole[(7 * 8 + 5) * 10 + 5],
              digest(whole.data(), whole.size() * sizeof(int)));
  cudaPitchedPtr other;
  CHECK(cudaMalloc3D(&other, make_cudaExtent(10 * sizeof(int), 8, 9)));
  cudaMemcpy3DPeerParms peer = {};
  peer.srcPtr = volume;
  peer.dstPtr = other;
  peer.extent = make_cudaExtent(10 * sizeof(int), 8, 9);
  SHOW(cudaMemcpy3DPeer(&peer));
  peer.dstDevice = 1000;
  SHOW(cudaMemcpy3DPeer(&peer));
  cudaGetLastError();
  std::vector<int> again(whole.size());
  all.srcPtr = other;
  all.dstPtr = make_cudaPitchedPtr(again.data(), 10 * sizeof(int), 10, 8);
  CHECK(cudaMemcpy3D(&all));
  std::printf("the copy is %s\n", again == whole ? "the same" : "another");
  CHECK(cudaFree(volume.ptr));
  CHECK(cudaFree(other.ptr));
}

void pools() {
  cudaMemPool_t standard, current, own;
  CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
  CHECK(cudaDeviceGetMemPool(&current, 0));
  std::printf("the current pool is the default one: %s\n", standard == current ? "yes" : "no");
  SHOW(cudaDeviceGetDefaultMemPool(&current, 1000));
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemPoolCreate(&own, &properties));
  CHECK(cudaDeviceSetMemPool(0, own));
  unsigned long long threshold = 1 << 30, read = 0;
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &read));
  std::printf("release threshold: %llu", read);
  CHECK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &read));
  std::printf(", then %llu\n", read);
  int reuse = 0;
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse));
  std::printf("opportunistic reuse: %d\n", reuse);

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int *first, *second, values[2];
  CHECK(cudaMallocAsync(&first, 1 << 20, stream));
  CHECK(cudaMallocFromPoolAsync(&second, 1 << 20, standard, stream));
  CHECK(cudaMemsetAsync(first, 0, 1 << 20, stream));
  CHECK(cudaMemsetAsync(second, 0, 1 << 20, stream));
  add<<<1, 32, 0, stream>>>(first, 32, 5);
  add<<<1, 32, 0, stream>>>(second, 32, 6);
  CHECK(cudaMemcpyAsync(&values[0], first, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaMemcpyAsync(&values[1], second, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  unsigned long long used = 0, high = 0;
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
  std::printf("values %d %d, the pool's use %llu\n", values[0], values[1], used);
  CHECK(cudaFreeAsync(first, stream));
  CHECK(cudaFreeAsync(second, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &high));
  std::printf("freed: %llu, at most %llu\n", used, high);
  cudaMemAccessFlags flags;
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemPoolGetAccess(&flags, own, &here));
  std::printf("access: %d\n", static_cast<int>(flags));
  CHECK(cudaMemPoolTrimTo(own, 0));
  SHOW(cudaMemPoolDestroy(standard));
  SHOW(cudaMemPoolDestroy(own));
  CHECK(cudaDeviceGetMemPool(&current, 0));
  std::printf("the current pool is the default one: %s\n", standard == current ? "yes" : "no");
  SHOW(cudaFreeAsync(values, stream));
  cudaGetLastError();
  CHECK(cudaStreamDestroy(stream));
}

std::vector<int> calls;
void host_function(void* number) { calls.push_back(*static_cast<int*>(number)); }
void callback(cudaStream_t, cudaError_t status, void* number) {
  calls.push_back(status == cudaSuccess ? *static_cast<int*>(number) : -1);
}

void streams() {
  int least, greatest, priority;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t low, high;
  CHECK(cudaStreamCreateWithPriority(&low, cudaStreamDefault, 5));
  CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -100));
  std::printf("priorities %d to %d;", least, greatest);
  CHECK(cudaStreamGetPriority(low, &priority));
  std::printf(" given %d", priority);
  CHECK(cudaStreamGetPriority(high, &priority));
  std::printf(" and %d;", priority);
  unsigned flags;
  CHECK(cudaStreamGetFlags(high, &flags));
  std::printf(" flags %u\n", flags);
  int one = 1, two = 2, three = 3;
  CHECK(cudaLaunchHostFunc(low, host_function, &one));
  CHECK(cudaStreamAddCallback(low, callback, &two, 0));
  CHECK(cudaLaunchHostFunc(low, host_function, &three));
  CHECK(cudaStreamSynchronize(low));
  std::printf("calls: %d %d %d\n", calls[0], calls[1], calls[2]);
  SHOW(cudaStreamAddCallback(low, callback, &two, 1));
  SHOW(cudaStreamCreateWithFlags(&high, 77));
  cudaEvent_t event;
  SHOW(cudaEventCreateWithFlags(&event, cudaEventInterprocess));
  SHOW(cudaEventCreateWithFlags(&event, 1 << 20));
  cudaLaunchAttributeValue value = {};
  int* data;
  CHECK(cudaMalloc(&data, 4096));
  value = {};
  value.accessPolicyWindow = {data, 4096, 0.5f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
  CHECK(cudaStreamSetAttribute(low, cudaStreamAttributeAccessPolicyWindow, &value));
  value = {};
  CHECK(cudaStreamGetAttribute(low, cudaStreamAttributeAccessPolicyWindow, &value));
  std::printf("window of %zu bytes, ratio %.2f\n", value.accessPolicyWindow.num_bytes,
              value.accessPolicyWindow.hitRatio);
  cudaGetLastError();
  CHECK(cudaFree(data));
  CHECK(cudaStreamDestroy(low));
}

void kernels() {
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, shared_sum));
  std::printf("threads %d, static shared %zu, dynamic shared %d\n", attributes.maxThreadsPerBlock,
              attributes.sharedSizeBytes, attributes.maxDynamicSharedSizeBytes);
  int* sum;
  CHECK(cudaMalloc(&sum, sizeof(int)));
  const int n = 25000;  // ints: 100,000 bytes
  shared_sum<<<1, 256, n * sizeof(int)>>>(sum, n);
  SHOW(cudaGetLastError());
  SHOW(cudaFuncSetAttribute(shared_sum, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(int)));
  shared_sum<<<1, 256, n * sizeof(int)>>>(sum, n);
  SHOW(cudaGetLastError());
  int total;
  CHECK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
  std::printf("sum %d\n", total);
  SHOW(cudaFuncSetAttribute(shared_sum, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000));
  SHOW(cudaFuncSetAttribute(shared_sum, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  SHOW(cudaFuncSetCacheConfig(add, cudaFuncCachePreferL1));
  int blocks = 0, grid = 0, block = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_sum, 256, n * sizeof(int)));
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add));
  std::printf("blocks that fit: %d; best block %d, grid %d\n", blocks, block, grid);

  for (size_t i = 0; i < 5; ++i) {
    size_t offset = 0, bytes = 0;
    const cudaError_t error = cudaFuncGetParamInfo(reinterpret_cast<const void*>(with_parameters), i, &offset, &bytes);
    if (error == cudaSuccess)
      std::printf("parameter %zu: %zu bytes at %zu\n", i, bytes, offset);
    else
      std::printf("parameter %zu: %s\n", i, cudaGetErrorName(error));
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(64);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  SHOW(cudaLaunchKernelEx(&config, add, sum, 1, 7));
  CHECK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
  std::printf("sum %d\n", total);
  cudaGetLastError();
  CHECK(cudaFree(sum));
}

void variables() {
  const int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const float by[4] = {1, 10, 100, 1000};
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpyToSymbolAsync(table, numbers, sizeof numbers, 0, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyToSymbolAsync(factors, by, 3 * sizeof(float), sizeof(float), cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyToSymbolAsync(factors, &by[3], sizeof(float), 0, cudaMemcpyHostToDevice, stream));
  int* address;
  size_t bytes;
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&address), table));
  CHECK(cudaGetSymbolSize(&bytes, table));
  scale_table<<<1, 8, 0, stream>>>(address);
  int back[3];
  CHECK(cudaMemcpyFromSymbolAsync(back, table, sizeof back, 4 * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("table of %zu bytes: %d %d %d\n", bytes, back[0], back[1], back[2]);
  SHOW(cudaMemcpyFromSymbolAsync(back, table, sizeof back, 6 * sizeof(int), cudaMemcpyDeviceToHost, stream));
  cudaGetLastError();
  CHECK(cudaStreamDestroy(stream));
}

void hints() {
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, nowhere = {cudaMemLocationTypeDevice, 1000},
                        host = {cudaMemLocationTypeHost, 0};
  int *managed, *plain;
  CHECK(cudaMallocManaged(&managed, 4096));
  CHECK(cudaMalloc(&plain, 4096));
  SHOW(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, device));
  SHOW(cudaMemAdvise(managed, 4096, cudaMemAdviseSetPreferredLocation, host));
  SHOW(cudaMemAdvise(managed, 4096, cudaMemAdviseSetAccessedBy, nowhere));
  SHOW(cudaMemAdvise(plain, 4096, cudaMemAdviseSetPreferredLocation, device));
  SHOW(cudaMemPrefetchAsync(managed, 4096, device, 0, nullptr));
  SHOW(cudaMemPrefetchAsync(managed, 4096, host, 0, nullptr));
  SHOW(cudaMemPrefetchAsync(managed, 4096, nowhere, 0, nullptr));
  SHOW(cudaMemPrefetchAsync(plain, 4096, device, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(managed));
  CHECK(cudaFree(plain));

  std::vector<int> memory(5000, 1);
  int* view;
  SHOW(cudaHostRegister(memory.data(), 5000 * sizeof(int), cudaHostRegisterDefault));
  SHOW(cudaHostRegister(memory.data(), 5000 * sizeof(int), cudaHostRegisterDefault));
  CHECK(cudaHostGetDevicePointer(&view, memory.data(), 0));
  add<<<20, 256>>>(view, 5000, 41);
  CHECK(cudaDeviceSynchronize());
  std::printf("registered: %d %d, the same address: %s\n", memory[0], memory[4999],
              view == memory.data() ? "yes" : "no");
  SHOW(cudaHostUnregister(memory.data()));
  SHOW(cudaHostUnregister(memory.data()));
  void* unused;
  SHOW(cudaHostGetDevicePointer(&unused, memory.data(), 0));
  SHOW(cudaMallocManaged(&unused, 0));
  SHOW(cudaMallocManaged(&unused, 4, 9));
  cudaGetLastError();
}

void device() {
  size_t heap = 0, value = 0;
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
  CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  std::printf("heap of %zu bytes\n", heap);
  SHOW(cudaDeviceGetLimit(&value, static_cast<cudaLimit>(99)));
  SHOW(cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1));
  size_t before, after, total;
  void* memory;
  CHECK(cudaMemGetInfo(&before, &total));
  CHECK(cudaMalloc(&memory, 64 << 20));
  CHECK(cudaMemGetInfo(&after, &total));
  std::printf("64 MiB fewer are free: %s\n", before - after == 64 << 20 ? "yes" : "no");
  CHECK(cudaFree(memory));
  char id[32];
  int found = -1;
  CHECK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
  CHECK(cudaDeviceGetByPCIBusId(&found, id));
  std::printf("the device at its place on the bus: %d\n", found);
  SHOW(cudaDeviceGetPCIBusId(id, sizeof id, 1000));
  SHOW(cudaDeviceGetAttribute(&found, static_cast<cudaDeviceAttr>(9999), 0));
  SHOW(cudaSetDeviceFlags(3));
  SHOW(cudaProfilerStart());
  SHOW(cudaProfilerStop());
  cudaGetLastError();
}

int destroyed = 0;
void destroy(void* by) { __atomic_fetch_add(&destroyed, *static_cast<int*>(by), __ATOMIC_SEQ_CST); }

void user_objects() {
  int one = 1, ten = 10;
  cudaUserObject_t first, second;
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaUserObjectCreate(&first, &one, destroy, 1, cudaUserObjectNoDestructorSync));
  CHECK(cudaUserObjectCreate(&second, &ten, destroy, 2, cudaUserObjectNoDestructorSync));
  CHECK(cudaGraphRetainUserObject(graph, first, 1, cudaGraphUserObjectMove));
  CHECK(cudaUserObjectRelease(second, 1));
  SHOW(cudaUserObjectCreate(&second, &ten, destroy, 1, 0));
  std::printf("destroyed: %d", __atomic_load_n(&destroyed, __ATOMIC_SEQ_CST));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaUserObjectRelease(second, 1));
  for (int i = 0; i < 1000 && __atomic_load_n(&destroyed, __ATOMIC_SEQ_CST) != 11; ++i) usleep(1000);
  std::printf(", then %d\n", __atomic_load_n(&destroyed, __ATOMIC_SEQ_CST));
  cudaGetLastError();
}

int main() {
  device();
  pitched();
  pools();
  streams();
  kernels();
  variables();
  hints();
  user_objects();
  return 0;
}
