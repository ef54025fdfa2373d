// dlopen and dlsym of the CUDA runtime, and the calls that bring it fully up.
#include "harness/worker/runtime.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <new>
#include <type_traits>

namespace lanewise {
namespace {

// Looks names up one after the other and remembers the first that is missing.
class Loader {
 public:
  explicit Loader(void* library) : library_(library) {}

  template <class Function>
  void find(const char* name, Function& function) {
    void* const symbol = dlsym(library_, name);
    if (!symbol && missing_.empty()) missing_ = name;
    function = reinterpret_cast<Function>(symbol);
  }

  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

// The driver's functions by name, for the CUDA version whose declarations this is compiled with. None if one is
// missing.
CudaRuntime::Driver find_driver(void* library) {
  const auto entry_point = reinterpret_cast<decltype(&::cudaGetDriverEntryPointByVersion)>(
      dlsym(library, "cudaGetDriverEntryPointByVersion"));
  if (!entry_point) return {};
  bool is_complete = true;
  const auto find = [&](const char* name, auto& function) {
    void* symbol = nullptr;
    cudaDriverEntryPointQueryResult result{};
    if (entry_point(name, &symbol, CUDART_VERSION, cudaEnableDefault, &result) != cudaSuccess ||
        result != cudaDriverEntryPointSuccess)
      symbol = nullptr;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
    is_complete = is_complete && symbol != nullptr;
  };
  CudaRuntime::Driver driver;
  find("cuDeviceGetAttribute", driver.get_attribute);
  find("cuMemGetAllocationGranularity", driver.get_granularity);
  find("cuMemCreate", driver.create);
  find("cuMemExportToShareableHandle", driver.export_handle);
  find("cuMemImportFromShareableHandle", driver.import);
  find("cuMemAddressReserve", driver.reserve);
  find("cuMemAddressFree", driver.free_address);
  find("cuMemMap", driver.map);
  find("cuMemUnmap", driver.unmap);
  find("cuMemSetAccess", driver.set_access);
  find("cuMemRelease", driver.release);
  find("cuModuleLoadData", driver.load_module);
  find("cuModuleGetFunction", driver.get_function);
  find("cuLaunchKernel", driver.launch);
  return is_complete ? driver : CudaRuntime::Driver{};
}

constexpr std::size_t kPage = 4096;
static_assert(sizeof(CudaRuntime) <= kPage, "the runtime's functions have one page");

}  // namespace

SealedRuntime::SealedRuntime() {
  void* const page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::bad_alloc();
  runtime_ = new (page) CudaRuntime;
}

SealedRuntime::~SealedRuntime() { munmap(runtime_, kPage); }

std::string SealedRuntime::seal() {
  return mprotect(runtime_, kPage, PROT_READ) == 0 ? "" : "the runtime's functions could not be sealed";
}

std::string load_runtime(const std::string& path, CudaRuntime& runtime) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    const char* const reason = dlerror();
    return std::string("the CUDA runtime cannot be loaded: ") + (reason ? reason : path.c_str());
  }
  Loader loader(library);
  loader.find("cudaGetDeviceCount", runtime.get_device_count);
  loader.find("cudaGetDeviceProperties", runtime.get_device_properties);
  loader.find("cudaRuntimeGetVersion", runtime.runtime_version);
  loader.find("cudaDriverGetVersion", runtime.driver_version);
  loader.find("cudaMalloc", runtime.allocate);
  loader.find("cudaFree", runtime.release);
  loader.find("cudaMemcpy", runtime.copy);
  loader.find("cudaMemset", runtime.fill);
  loader.find("cudaDeviceSynchronize", runtime.synchronise);
  loader.find("cudaGetLastError", runtime.take_last_error);
  loader.find("cudaGetErrorName", runtime.error_name);
  loader.find("cudaGetErrorString", runtime.error_text);
  loader.find("cudaStreamCreate", runtime.create_stream);
  loader.find("cudaStreamDestroy", runtime.destroy_stream);
  loader.find("cudaStreamSynchronize", runtime.synchronise_stream);
  loader.find("cudaEventCreate", runtime.create_event);
  loader.find("cudaEventRecord", runtime.record_event);
  loader.find("cudaEventDestroy", runtime.destroy_event);
  loader.find("cudaEventElapsedTime", runtime.elapsed_time);
  loader.find("cudaDeviceGetAttribute", runtime.get_attribute);
  loader.find("cudaDeviceGetLimit", runtime.get_limit);
  loader.find("cudaDeviceSetLimit", runtime.set_limit);
  loader.find("cudaCtxResetPersistingL2Cache", runtime.reset_persisting_cache);
  loader.find("cudaHostRegister", runtime.pin);
  loader.find("cudaHostUnregister", runtime.unpin);
  loader.find("cudaMallocAsync", runtime.allocate_async);
  loader.find("cudaFreeAsync", runtime.release_async);
  if (!loader.missing().empty()) return "the CUDA runtime " + path + " lacks the function " + loader.missing();

  if (!dlsym(library, "vgpuReadMemory")) {
    runtime.driver = find_driver(library);
    return "";
  }
  loader.find("vgpuNameAllocation", runtime.vgpu.name_allocation);
  loader.find("vgpuSetReadOnly", runtime.vgpu.set_read_only);
  loader.find("vgpuForgetContents", runtime.vgpu.forget_contents);
  loader.find("vgpuPinForCopies", runtime.vgpu.pin_for_copies);
  loader.find("vgpuTimeAnew", runtime.vgpu.time_anew);
  loader.find("vgpuReadMemory", runtime.vgpu.read_memory);
  if (!loader.missing().empty()) return "the virtual GPU's runtime " + path + " lacks the function " + loader.missing();
  return "";
}

std::string describe_error(const CudaRuntime& runtime, const char* call, cudaError_t error) {
  return std::string(call) + " failed: " + runtime.error_text(error) + " (" + runtime.error_name(error) + ")";
}

std::string warm_up(const CudaRuntime& runtime) {
  int devices = 0;
  if (const cudaError_t error = runtime.get_device_count(&devices); error != cudaSuccess)
    return describe_error(runtime, "cudaGetDeviceCount", error);
  if (devices == 0) return "the CUDA runtime finds no device";

  void* memory = nullptr;
  void* pooled = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  struct Step {
    const char* call;
    cudaError_t error;
  };
  // In order; a braced list is evaluated left to right, and each step needs those before it.
  const Step steps[] = {
      {"cudaMalloc", runtime.allocate(&memory, 1 << 16)},
      {"cudaMemset", runtime.fill(memory, 0, 1 << 16)},
      {"cudaStreamCreate", runtime.create_stream(&stream)},
      {"cudaEventCreate", runtime.create_event(&event)},
      {"cudaMallocAsync", runtime.allocate_async(&pooled, 1 << 16, stream)},
      {"cudaFreeAsync", runtime.release_async(pooled, stream)},
      {"cudaEventRecord", runtime.record_event(event, stream)},
      {"cudaStreamSynchronize", runtime.synchronise_stream(stream)},
      {"cudaEventDestroy", runtime.destroy_event(event)},
      {"cudaStreamDestroy", runtime.destroy_stream(stream)},
      {"cudaFree", runtime.release(memory)},
      {"cudaDeviceSynchronize", runtime.synchronise()},
  };
  for (const Step& step : steps)
    if (step.error != cudaSuccess) return describe_error(runtime, step.call, step.error);
  return "";
}

}  // namespace lanewise
