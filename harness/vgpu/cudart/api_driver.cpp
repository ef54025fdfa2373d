// What is not there: the way from the runtime to the driver's API, and calls that are yet to come.
#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/extensions.h"

using namespace vgpu::cudart;

/// What a call that is not there yet does: it says so, by name, and fails.
VGPU_API int vgpuRefuseCall(const char* name) {
  return call([&](Runtime& runtime) {
    const std::string sentence =
        std::string(name != nullptr ? name : "a call") + " is not available on the virtual GPU";
    if (runtime.note("not available", sentence, "")) say(sentence);
    return cudaErrorNotSupported;
  });
}

/// As the runtime answers for a function that the driver does not have. Programs under `lanewise run` have a driver,
/// and look there themselves (link/driver_calls.cpp).
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
