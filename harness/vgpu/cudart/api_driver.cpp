// The way from the runtime to the driver's API, which is not there.
#include "harness/vgpu/cudart/entry.h"

using namespace vgpu::cudart;

/// As the runtime answers for a function that the driver does not have.
VGPU_API cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned, unsigned long long,
                                                      cudaDriverEntryPointQueryResult* status) {
  return call([&](Runtime& runtime) -> cudaError_t {
    if (symbol == nullptr || function == nullptr) return cudaErrorInvalidValue;
    runtime.note("not available",
                 std::string("the driver's function ") + symbol +
                     " was looked up: the driver API is not available on "
                     "the virtual GPU",
                 "");
    *function = nullptr;
    if (status != nullptr) *status = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function, unsigned version,
                                                           unsigned long long flags,
                                                           cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, version, flags, status);
}
#undef cudaGetDriverEntryPoint
VGPU_API cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}
VGPU_API cudaError_t cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function, unsigned long long flags,
                                                  cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}
