// What the functions of libcuda.so.1 are made of: calls of the runtime's, the current context, and errors.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <new>
#include <type_traits>

#include "harness/vgpu/cudart/extensions.h"
#include "harness/vgpu/libraries/runtime_functions.h"

namespace vgpu::libraries {

/// A function of the runtime's, by name.
#define VGPU_RUNTIME(name)                                            \
  ([] {                                                               \
    static auto* const kFunction = in_runtime<decltype(name)>(#name); \
    return kFunction;                                                 \
  }())

/// As the driver says what the runtime said. What it has told is not the runtime's last error.
CUresult result_of(cudaError_t error);
inline CUresult result_of(CUresult result) { return result; }

/// Whether cuInit was called, or the runtime has done as much.
CUresult need_initialised();
/// Whether the calling thread has a context, its own or that of the runtime.
CUresult need_context();

/// While it lives, the runtime takes calls for those of the program that return there. The outermost one counts.
class CallSite {
 public:
  explicit CallSite(const void* site);
  ~CallSite();
  CallSite(const CallSite&) = delete;
  CallSite& operator=(const CallSite&) = delete;

 private:
  const void* before_ = nullptr;
};

/// What a function does that has a `need`, for the program's call that returns to `site`.
template <CUresult (*need)(), class Body>
CUresult called_from(const void* site, Body body) noexcept {
  try {
    const CallSite call_site(site);
    const CUresult error = need();
    return error == CUDA_SUCCESS ? result_of(body()) : error;
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

/// Says that something is not available, and fails.
CUresult refuse(const char* what);

inline void* pointer_to(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

/// A structure of one interface as that of the other: they differ in name.
template <class To, class From>
To same_bytes(const From& from) {
  static_assert(sizeof(To) == sizeof from && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// The device of a context, or of the current one for null; -1 if there is no such context.
int device_of(CUcontext context);
/// The context by which the driver's API knows what the runtime does on a device.
CUcontext primary_context(int device);
/// The calling thread's; null if it has none.
CUcontext current_context();

/// The stream that a function of the per-thread kind means.
inline CUstream per_thread(CUstream stream) { return stream == nullptr ? CU_STREAM_PER_THREAD : stream; }

}  // namespace vgpu::libraries

#define VGPU_DRIVER_API extern "C" __attribute__((visibility("default")))

/// The whole body of a function: an expression whose value is an error of the runtime's or a result.
#define VGPU_IN_CONTEXT(...) return called_from<&need_context>(__builtin_return_address(0), [&] { return __VA_ARGS__; })
#define VGPU_INITIALISED(...) \
  return called_from<&need_initialised>(__builtin_return_address(0), [&] { return __VA_ARGS__; })
