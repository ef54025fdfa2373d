// The CUDA runtime this worker was told to use, loaded by path: NVIDIA's or the virtual GPU's.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace lanewise {

/// What the worker itself calls. Every pointer is set once load_runtime succeeded, except those of the extensions; that
/// is before a submission is loaded, so nothing that one defines can come in between.
struct CudaRuntime {
  decltype(&::cudaGetDeviceCount) get_device_count = nullptr;
  decltype(&::cudaGetDeviceProperties) get_device_properties = nullptr;  // CUDA 12 has only the name at the same place
  decltype(&::cudaRuntimeGetVersion) runtime_version = nullptr;
  decltype(&::cudaDriverGetVersion) driver_version = nullptr;
  cudaError_t (*allocate)(void**, std::size_t) = nullptr;  // cudaMalloc
  decltype(&::cudaFree) release = nullptr;
  decltype(&::cudaMemcpy) copy = nullptr;
  decltype(&::cudaMemset) fill = nullptr;
  decltype(&::cudaDeviceSynchronize) synchronise = nullptr;
  decltype(&::cudaGetLastError) take_last_error = nullptr;
  decltype(&::cudaGetErrorName) error_name = nullptr;
  decltype(&::cudaGetErrorString) error_text = nullptr;
  decltype(&::cudaStreamCreate) create_stream = nullptr;
  decltype(&::cudaStreamDestroy) destroy_stream = nullptr;
  decltype(&::cudaStreamSynchronize) synchronise_stream = nullptr;
  decltype(&::cudaEventCreate) create_event = nullptr;
  decltype(&::cudaEventRecord) record_event = nullptr;
  decltype(&::cudaEventDestroy) destroy_event = nullptr;
  decltype(&::cudaEventElapsedTime) elapsed_time = nullptr;
  decltype(&::cudaDeviceGetAttribute) get_attribute = nullptr;
  decltype(&::cudaDeviceGetLimit) get_limit = nullptr;
  decltype(&::cudaDeviceSetLimit) set_limit = nullptr;
  decltype(&::cudaCtxResetPersistingL2Cache) reset_persisting_cache = nullptr;
  decltype(&::cudaHostRegister) pin = nullptr;
  decltype(&::cudaHostUnregister) unpin = nullptr;
  decltype(&::cudaMallocAsync) allocate_async = nullptr;
  decltype(&::cudaFreeAsync) release_async = nullptr;

  /// Of the virtual GPU only (harness/vgpu/cudart/extensions.h): all set or all null.
  struct Extensions {
    void (*name_allocation)(const void*, const char*, unsigned) = nullptr;
    void (*set_read_only)(const void*) = nullptr;
    void (*forget_contents)(const void*) = nullptr;
    void (*pin_for_copies)(void*, std::size_t) = nullptr;
    void (*time_anew)() = nullptr;
    int (*read_memory)(void*, const void*, std::size_t) = nullptr;
  } vgpu;

  /// Of the driver, where there is one: all set or all null. For memory that two processes map (shared_block.h), and
  /// for a kernel of the harness's own (empty_kernel.h).
  struct Driver {
    decltype(&::cuDeviceGetAttribute) get_attribute = nullptr;
    decltype(&::cuMemGetAllocationGranularity) get_granularity = nullptr;
    decltype(&::cuMemCreate) create = nullptr;
    decltype(&::cuMemExportToShareableHandle) export_handle = nullptr;
    decltype(&::cuMemImportFromShareableHandle) import = nullptr;
    decltype(&::cuMemAddressReserve) reserve = nullptr;
    decltype(&::cuMemAddressFree) free_address = nullptr;
    decltype(&::cuMemMap) map = nullptr;
    decltype(&::cuMemUnmap) unmap = nullptr;
    decltype(&::cuMemSetAccess) set_access = nullptr;
    decltype(&::cuMemRelease) release = nullptr;
    decltype(&::cuModuleLoadData) load_module = nullptr;
    decltype(&::cuModuleGetFunction) get_function = nullptr;
    decltype(&::cuLaunchKernel) launch = nullptr;
  } driver;

  bool is_virtual() const { return vgpu.read_memory != nullptr; }
  bool has_driver() const { return driver.launch != nullptr; }
};

/// The runtime's functions where nobody writes by mistake or by design: a submission lives in the same process, and a
/// pointer of its own among these would have it called outside the time that is taken.
class SealedRuntime {
 public:
  SealedRuntime();
  ~SealedRuntime();
  SealedRuntime(const SealedRuntime&) = delete;
  SealedRuntime& operator=(const SealedRuntime&) = delete;

  /// Only until it is sealed.
  CudaRuntime& writable() { return *runtime_; }
  const CudaRuntime& get() const { return *runtime_; }

  /// Makes the page read-only. Returns a sentence, empty on success.
  std::string seal();

 private:
  CudaRuntime* runtime_;  // on a page of its own
};

/// Loads the library at `path` for the whole process, so that a submission linked with one of that name uses it too.
/// Returns a sentence, empty on success.
std::string load_runtime(const std::string& path, CudaRuntime& runtime);

/// Makes the runtime start all it ever starts (context, threads, memory pools): once the process is locked down it
/// cannot. Returns a sentence, empty on success.
std::string warm_up(const CudaRuntime& runtime);

/// "cudaMalloc failed: out of memory (cudaErrorMemoryAllocation)"
std::string describe_error(const CudaRuntime& runtime, const char* call, cudaError_t error);

}  // namespace lanewise
