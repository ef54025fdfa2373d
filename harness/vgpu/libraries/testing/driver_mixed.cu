// A program that uses the runtime and the driver's API side by side, on the same memory, streams and context.
#include <cuda_runtime.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "driver_check.h"

namespace {

__device__ int of_program = 5;

__global__ void add(int* x, int what) { x[threadIdx.x] += what + of_program; }

#define NEED_RUNTIME(call) NEED(static_cast<CUresult>(call))

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::ifstream file(std::string(argv[1]) + "/driver_kernels.ptx");
  std::stringstream ptx;
  ptx << file.rdbuf();

  // The runtime's first call has made a context current, which the driver knows as the primary one.
  int* x = nullptr;
  CUcontext current = nullptr, primary = nullptr;
  NEED_RUNTIME(cudaMalloc(&x, 64 * sizeof(int)));
  NEED(cuCtxGetCurrent(&current));
  NEED(cuDevicePrimaryCtxRetain(&primary, 0));
  std::printf("one context: %d\n", current == primary && current != nullptr);
  std::thread([] { SHOW(cuCtxSynchronize()); }).join();

  // The driver fills, the runtime adds, a module's kernel adds, all in one stream.
  cudaStream_t stream = nullptr;
  CUmodule module = nullptr;
  CUfunction combine = nullptr;
  NEED_RUNTIME(cudaStreamCreate(&stream));
  NEED(cuModuleLoadData(&module, ptx.str().c_str()));
  NEED(cuModuleGetFunction(&combine, module, "combine"));
  NEED(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(x), 100, 64, stream));
  add<<<1, 64, 0, stream>>>(x, 1);
  struct {
    double scale;
    int shift;
  } pair{1, 0};
  char few = 0;
  int n = 64;
  void* parameters[] = {&x, &x, &few, &pair, &n};
  NEED(cuLaunchKernel(combine, 1, 1, 1, 64, 1, 1, 0, stream, parameters, nullptr));
  int host[64] = {};
  NEED_RUNTIME(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
  NEED(cuStreamSynchronize(stream));
  std::printf("together: %d %d\n", host[0], host[63]);

  // The runtime launches the module's kernel; the driver launches the program's.
  NEED_RUNTIME(cudaLaunchKernel(combine, 1, 64, parameters, 0, stream));
  cudaFunction_t own = nullptr;
  int two = 2;
  void* of_add[] = {&x, &two};
  NEED_RUNTIME(cudaGetFuncBySymbol(&own, reinterpret_cast<const void*>(add)));
  NEED(cuLaunchKernel(own, 1, 1, 1, 64, 1, 1, 0, stream, of_add, nullptr));
  NEED_RUNTIME(cudaStreamSynchronize(stream));
  NEED(cuMemcpyDtoH(host, reinterpret_cast<CUdeviceptr>(x), sizeof host));
  std::printf("crosswise: %d %d\n", host[0], host[63]);

  // A library that the runtime has loaded.
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  void* table = nullptr;
  size_t bytes = 0;
  NEED_RUNTIME(cudaLibraryLoadData(&library, ptx.str().c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  NEED_RUNTIME(cudaLibraryGetKernel(&kernel, library, "combine"));
  NEED_RUNTIME(cudaLibraryGetGlobal(&table, &bytes, library, "table"));
  NEED_RUNTIME(cudaMemcpy(host, table, bytes, cudaMemcpyDefault));
  NEED_RUNTIME(cudaLaunchKernel(kernel, 1, 64, parameters, 0, stream));
  NEED_RUNTIME(cudaStreamSynchronize(stream));
  std::printf("table: %zu bytes, %d to %d\n", bytes, host[0], host[3]);
  unsigned kernels = 0;
  CUmodule of_library = nullptr;
  NEED_RUNTIME(cudaLibraryGetKernelCount(&kernels, library));
  std::vector<cudaKernel_t> all(kernels);
  NEED_RUNTIME(cudaLibraryEnumerateKernels(all.data(), kernels, library));
  std::printf("kernels: %d\n", kernels > 1 && std::find(all.begin(), all.end(), kernel) != all.end());
  NEED(cuLibraryGetModule(&of_library, reinterpret_cast<CUlibrary>(library)));
  NEED_RUNTIME(cudaLibraryUnload(library));
  SHOW(cuLibraryGetModule(&of_library, reinterpret_cast<CUlibrary>(library)));
  SHOW(static_cast<CUresult>(cudaLibraryUnload(library)));

  CUstream copied = nullptr, own_stream = nullptr;
  NEED(cuStreamCreate(&copied, CU_STREAM_NON_BLOCKING));
  NEED(cuStreamCreate(&own_stream, CU_STREAM_NON_BLOCKING));

  // Pools, advice about managed memory, and settings of streams.
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool pool = nullptr;
  CUdeviceptr pooled = 0, managed = 0;
  cuuint64_t used = 0;
  NEED(cuMemPoolCreate(&pool, &properties));
  NEED(cuMemAllocFromPoolAsync(&pooled, 4096, pool, own_stream));
  NEED(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  NEED(cuMemsetD2D16Async(pooled, 64, 0x102, 4, 8, own_stream));
  NEED(cuMemcpyDtoHAsync(host, pooled + 448, 8, own_stream));
  NEED(cuMemFreeAsync(pooled, own_stream));
  NEED(cuStreamSynchronize(own_stream));
  NEED(cuMemPoolDestroy(pool));
  int read_mostly = 0, prefetched_to = 7;
  NEED(cuMemAllocManaged(&managed, 8192, CU_MEM_ATTACH_GLOBAL));
  NEED(cuMemAdvise(managed, 8192, CU_MEM_ADVISE_SET_READ_MOSTLY, properties.location));
  NEED(cuMemPrefetchAsync(managed, 8192, properties.location, 0, own_stream));
  NEED(cuMemRangeGetAttribute(&read_mostly, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed, 8192));
  NEED(cuMemRangeGetAttribute(&prefetched_to, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, managed, 8192));
  NEED(cuMemFree(managed));
  CUstreamAttrValue value = {};
  value.syncPolicy = CU_SYNC_POLICY_YIELD;
  NEED(cuStreamSetAttribute(own_stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  NEED(cuStreamCopyAttributes(copied, own_stream));
  value.syncPolicy = CU_SYNC_POLICY_AUTO;
  NEED(cuStreamGetAttribute(copied, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  std::printf("pool: %d %x, advice: %d %d, policy: %d\n", used >= 4096, host[1], read_mostly, prefetched_to,
              value.syncPolicy == CU_SYNC_POLICY_YIELD);
  NEED(cuStreamDestroy(copied));
  NEED(cuStreamDestroy(own_stream));

  // For a default stream of each thread: what null means depends on the function that is asked for.
  using Fill = CUresult (*)(CUdeviceptr, unsigned, size_t, CUstream);
  using Wait = CUresult (*)(CUstream);
  void *fill = nullptr, *wait = nullptr;
  NEED(cuGetProcAddress("cuMemsetD32Async", &fill, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, nullptr));
  NEED(cuGetProcAddress("cuStreamSynchronize", &wait, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, nullptr));
  NEED(reinterpret_cast<Fill>(fill)(reinterpret_cast<CUdeviceptr>(x), 9, 64, nullptr));
  NEED(reinterpret_cast<Wait>(wait)(CU_STREAM_PER_THREAD));
  NEED(cuMemcpyDtoH(host, reinterpret_cast<CUdeviceptr>(x), sizeof host));
  std::printf(
      "per thread: %d, functions of their own: %d\n", host[63],
      fill != reinterpret_cast<void*>(&cuMemsetD32Async) && wait != reinterpret_cast<void*>(&cuStreamSynchronize));

  // The driver's functions by name; their errors are not the runtime's last one.
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  (void)cudaGetLastError();
  NEED_RUNTIME(cudaGetDriverEntryPointByVersion("cuMemFree", &found, 12000, cudaEnableDefault, &status));
  std::printf("found: %d %d\n", status == cudaDriverEntryPointSuccess, found == reinterpret_cast<void*>(&cuMemFree));
  SHOW(reinterpret_cast<CUresult (*)(CUdeviceptr)>(found)(1));
  std::printf("the runtime's last error: %s\n", cudaGetErrorName(cudaGetLastError()));
  NEED_RUNTIME(cudaGetDriverEntryPointByVersion("cuNone", &found, 12000, cudaEnableDefault, &status));
  std::printf("not found: %d %d\n", status == cudaDriverEntryPointSymbolNotFound, found == nullptr);

  NEED(cuModuleUnload(module));
  NEED(cuMemFree(reinterpret_cast<CUdeviceptr>(x)));
  NEED_RUNTIME(cudaStreamDestroy(stream));
  NEED(cuDevicePrimaryCtxRelease(0));
  return 0;
}
