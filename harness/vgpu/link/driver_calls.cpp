// Where the runtime and the driver's API meet in the program's process: calls in either direction stay in this process.
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "harness/vgpu/cudart/extensions.h"
#include "harness/vgpu/link/remote_call.h"

using namespace vgpu::link;

namespace {

/// Where libcuda.so.1 is, as `lanewise run` says it: read before the program can say anything else.
const std::string& kDriverFolder = *[] {  // never destroyed: the program may ask when it ends
  const char* const folder = std::getenv("LANEWISE_VGPU_LIBRARIES");
  return new std::string(folder != nullptr ? folder : "");
}();

/// The driver API's function for a version of CUDA. False if there is no driver API to ask.
bool look_in_driver(const char* symbol, void*& function, unsigned version, unsigned long long flags,
                    cudaDriverEntryPointQueryResult& status, cudaError_t& error) {
  static void* const kDriver =
      kDriverFolder.empty() ? nullptr : dlopen((kDriverFolder + "/libcuda.so.1").c_str(), RTLD_LAZY);
  using Look = int(const char*, void**, int, unsigned long long, int*);
  auto* const look = kDriver != nullptr ? reinterpret_cast<Look*>(dlsym(kDriver, "cuGetProcAddress_v2")) : nullptr;
  if (look == nullptr) return false;
  function = nullptr;
  int result = 0;  // the values of CUdriverProcAddressQueryResult are the runtime's
  error = look(symbol, &function, static_cast<int>(version), flags, &result) == 0 ? cudaSuccess : cudaErrorInvalidValue;
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
  cudaError_t error = cudaSuccess;
  if (!is_asked || !look_in_driver(symbol, *function, version, flags, found, error))
    return remote<Call::cudaGetDriverEntryPointByVersion, &::cudaGetDriverEntryPointByVersion>(symbol, function,
                                                                                               version, flags, status);
  if (error == cudaSuccess && status != nullptr) *status = found;
  return error;
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
