// Where the runtime and the driver's API meet in the program's process: neither way crosses to the devices.
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "harness/vgpu/cudart/extensions.h"
#include "harness/vgpu/link/remote_call.h"

using namespace vgpu::link;

namespace {

/// Where libcuda.so.1 is, as `lanewise run` says it: read before the program can say anything else.
const std::string driver_folder = [] {
  const char* const folder = std::getenv("LANEWISE_VGPU_LIBRARIES");
  return std::string(folder != nullptr ? folder : "");
}();

/// The driver API's function for a version of CUDA. False if there is no driver API to ask.
bool look_in_driver(const char* symbol, void*& function, unsigned version, unsigned long long flags,
                    cudaDriverEntryPointQueryResult& status) {
  static void* const kDriver =
      driver_folder.empty() ? nullptr : dlopen((driver_folder + "/libcuda.so.1").c_str(), RTLD_LAZY);
  using Look = int(const char*, void**, int, unsigned long long, int*);
  auto* const look = kDriver != nullptr ? reinterpret_cast<Look*>(dlsym(kDriver, "cuGetProcAddress_v2")) : nullptr;
  if (look == nullptr) return false;
  function = nullptr;
  int result = 0;  // the values of CUdriverProcAddressQueryResult are the runtime's
  look(symbol, &function, static_cast<int>(version), flags, &result);
  status = static_cast<cudaDriverEntryPointQueryResult>(result);
  return true;
}

}  // namespace

VGPU_API cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                                      unsigned long long flags,
                                                      cudaDriverEntryPointQueryResult* status) {
  VGPU_HOST_CALL();
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const bool is_asked = symbol != nullptr && function != nullptr;
  if (!is_asked || !look_in_driver(symbol, *function, version, flags, found))
    return remote<Call::cudaGetDriverEntryPointByVersion, &::cudaGetDriverEntryPointByVersion>(symbol, function,
                                                                                               version, flags, status);
  if (status != nullptr) *status = found;
  return cudaSuccess;
}
VGPU_API cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function, unsigned version,
                                                           unsigned long long flags,
                                                           cudaDriverEntryPointQueryResult* status) {
  VGPU_HOST_CALL();
  if (flags == cudaEnableDefault) flags = cudaEnablePerThreadDefaultStream;
  return cudaGetDriverEntryPointByVersion(symbol, function, version, flags, status);
}
VGPU_API cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  VGPU_HOST_CALL();
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}
VGPU_API cudaError_t cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function, unsigned long long flags,
                                                  cudaDriverEntryPointQueryResult* status) {
  VGPU_HOST_CALL();
  return cudaGetDriverEntryPointByVersion_ptsz(symbol, function, CUDART_VERSION, flags, status);
}

VGPU_API const void* vgpuSetCallSite(const void* site) { return HostCall::set(site); }
