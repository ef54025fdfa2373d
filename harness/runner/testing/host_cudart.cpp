// A CUDA runtime without a device: memory is host memory and nothing can be launched. With it the conversation between
// runner and worker is tested apart from any GPU, virtual or not. Like a GPU's, its memory can be mapped by two
// processes: a handle is the descriptor of a memory file.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
  *properties = {};
  std::strcpy(properties->name, "host memory");
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  *pointer = bytes == 0 ? nullptr : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t /*stream*/) {
  return cudaMalloc(pointer, bytes);
}

cudaError_t cudaFree(void* pointer) {
  std::free(pointer);
  return cudaSuccess;
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t /*stream*/) { return cudaFree(pointer); }

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind /*kind*/) {
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}

// A test leaves an error behind by calling cudaFuncSetCacheConfig, which nothing else here needs.
static cudaError_t last_error = cudaSuccess;
cudaError_t cudaFuncSetCacheConfig(const void* /*function*/, cudaFuncCache /*config*/) {
  last_error = cudaErrorInvalidConfiguration;
  return last_error;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorInvalidConfiguration ? "cudaErrorInvalidConfiguration" : "cudaErrorUnknown";
}

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorInvalidConfiguration ? "invalid configuration argument" : "unknown error";
}

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t /*stream*/) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/) { return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = nullptr;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t /*event*/, cudaStream_t /*stream*/) { return cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t /*event*/) { return cudaSuccess; }
// As after a call of a millisecond.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t /*start*/, cudaEvent_t /*end*/) {
  *milliseconds = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*device*/) {
  *value = attribute == cudaDevAttrL2CacheSize ? 1 << 20 : attribute == cudaDevAttrComputeCapabilityMajor ? 9 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit /*limit*/) {
  *value = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit /*limit*/, size_t /*value*/) { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t cudaHostRegister(void* /*pointer*/, size_t /*bytes*/, unsigned /*flags*/) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void* /*pointer*/) { return cudaSuccess; }

namespace {

CUresult result_of(bool is_done) { return is_done ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN; }

CUresult get_attribute(int* value, CUdevice_attribute /*attribute*/, CUdevice /*device*/) {
  *value = 1;
  return CUDA_SUCCESS;
}
CUresult get_granularity(size_t* bytes, const CUmemAllocationProp* /*wanted*/,
                         CUmemAllocationGranularity_flags /*kind*/) {
  *bytes = 2 << 20;
  return CUDA_SUCCESS;
}
CUresult create(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* /*wanted*/,
                unsigned long long /*flags*/) {
  const int descriptor = memfd_create("device", MFD_CLOEXEC);
  *handle = static_cast<CUmemGenericAllocationHandle>(descriptor);
  return result_of(descriptor != -1 && ftruncate(descriptor, static_cast<off_t>(bytes)) == 0);
}
CUresult export_handle(void* descriptor, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType /*type*/,
                       unsigned long long /*flags*/) {
  *static_cast<int*>(descriptor) = dup(static_cast<int>(handle));
  return result_of(*static_cast<int*>(descriptor) != -1);
}
CUresult import_handle(CUmemGenericAllocationHandle* handle, void* descriptor, CUmemAllocationHandleType /*type*/) {
  const int copy = dup(static_cast<int>(reinterpret_cast<std::intptr_t>(descriptor)));
  *handle = static_cast<CUmemGenericAllocationHandle>(copy);
  return result_of(copy != -1);
}
CUresult reserve(CUdeviceptr* address, size_t bytes, size_t /*alignment*/, CUdeviceptr wanted,
                 unsigned long long /*flags*/) {
  void* const reserved = mmap(reinterpret_cast<void*>(wanted), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *address = reinterpret_cast<CUdeviceptr>(reserved);
  return result_of(reserved != MAP_FAILED);
}
CUresult map(CUdeviceptr address, size_t bytes, size_t /*offset*/, CUmemGenericAllocationHandle handle,
             unsigned long long /*flags*/) {
  void* const at = reinterpret_cast<void*>(address);
  return result_of(mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, static_cast<int>(handle), 0) == at);
}
CUresult set_access(CUdeviceptr /*address*/, size_t /*bytes*/, const CUmemAccessDesc* /*access*/, size_t /*count*/) {
  return CUDA_SUCCESS;
}
CUresult unmap(CUdeviceptr address, size_t bytes) {
  return result_of(munmap(reinterpret_cast<void*>(address), bytes) == 0);
}
CUresult free_address(CUdeviceptr /*address*/, size_t /*bytes*/) { return CUDA_SUCCESS; }
CUresult release(CUmemGenericAllocationHandle handle) { return result_of(close(static_cast<int>(handle)) == 0); }
CUresult load_module(CUmodule* /*module*/, const void* /*image*/) { return CUDA_ERROR_NOT_SUPPORTED; }

}  // namespace

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned /*version*/,
                                             unsigned long long /*flags*/, cudaDriverEntryPointQueryResult* result) {
  struct Entry {
    const char* name;
    void* function;
  };
  const auto nothing_is_loaded = reinterpret_cast<void*>(load_module);
  const Entry entries[] = {{"cuDeviceGetAttribute", reinterpret_cast<void*>(get_attribute)},
                           {"cuMemGetAllocationGranularity", reinterpret_cast<void*>(get_granularity)},
                           {"cuMemCreate", reinterpret_cast<void*>(create)},
                           {"cuMemExportToShareableHandle", reinterpret_cast<void*>(export_handle)},
                           {"cuMemImportFromShareableHandle", reinterpret_cast<void*>(import_handle)},
                           {"cuMemAddressReserve", reinterpret_cast<void*>(reserve)},
                           {"cuMemAddressFree", reinterpret_cast<void*>(free_address)},
                           {"cuMemMap", reinterpret_cast<void*>(map)},
                           {"cuMemUnmap", reinterpret_cast<void*>(unmap)},
                           {"cuMemSetAccess", reinterpret_cast<void*>(set_access)},
                           {"cuMemRelease", reinterpret_cast<void*>(release)},
                           {"cuModuleLoadData", nothing_is_loaded},
                           {"cuModuleGetFunction", nothing_is_loaded},
                           {"cuLaunchKernel", nothing_is_loaded}};
  *function = nullptr;
  for (const Entry& entry : entries)
    if (std::strcmp(entry.name, symbol) == 0) *function = entry.function;
  *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

}  // extern "C"
