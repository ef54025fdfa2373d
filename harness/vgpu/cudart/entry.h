// How every API function begins and ends.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <mutex>
#include <new>
#include <optional>

#include "harness/vgpu/cudart/host_process.h"
#include "harness/vgpu/cudart/runtime.h"

namespace vgpu::cudart {

/// Runs `body` under the runtime's lock and remembers its error as the thread's last one.
template <class Body>
cudaError_t call(Body body) noexcept {
  cudaError_t error;
  try {
    Runtime& runtime = Runtime::get();
    const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
    // A function that a stream has called must not call in turn: what it would change is in use.
    error = HostProcess::is_in_function() ? cudaErrorNotPermitted : body(runtime);
  } catch (const std::bad_alloc&) {
    error = cudaErrorMemoryAllocation;
  } catch (...) {
    error = cudaErrorUnknown;
  }
  if (error != cudaSuccess) this_thread().last_error = error;
  return error;
}

/// The same for functions that need a working device: fails with the error of a kernel that broke it, before and after.
template <class Body>
cudaError_t device_call(Body body) noexcept {
  return call([&](Runtime& runtime) -> cudaError_t {
    cudaError_t error = cudaSuccess;
    DeviceState* const device = runtime.device(error);
    if (device == nullptr) return error;
    if (device->sticky != cudaSuccess) return device->sticky;
    error = body(runtime, *device);
    return device->sticky != cudaSuccess ? device->sticky : error;
  });
}

/// The same for functions that may wait for work elsewhere, and are forbidden while streams are captured.
template <class Body>
cudaError_t unsafe_call(Body body) noexcept {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    const cudaError_t refused = refuse_if_unsafe(runtime);
    return refused == cudaSuccess ? body(runtime, device) : refused;
  });
}

/// The same for functions that take a stream: `device` is the stream's, which need not be the current one.
template <class Body>
cudaError_t stream_call(cudaStream_t handle, Body body) noexcept {
  return device_call([&](Runtime& runtime, DeviceState& current) -> cudaError_t {
    const Runtime::StreamPlace place = runtime.stream(current, handle);
    if (place.stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (place.device->sticky != cudaSuccess) return place.device->sticky;
    if (place.stream == &place.device->timeline.legacy())
      if (const cudaError_t refused = refuse_if_legacy_blocked(runtime, *place.device); refused != cudaSuccess)
        return refused;
    const cudaError_t error = body(runtime, *place.device, *place.stream);
    return place.device->sticky != cudaSuccess ? place.device->sticky : error;
  });
}

/// How many bytes rows take from the beginning of the first to the end of the last; nothing if there is no such number.
inline std::optional<std::size_t> bytes_of_rows(std::size_t width, std::size_t height, std::size_t pitch) {
  std::size_t bytes = 0;
  if (width == 0 || height == 0) return 0;
  if (__builtin_mul_overflow(pitch, height - 1, &bytes) || __builtin_add_overflow(bytes, width, &bytes))
    return std::nullopt;
  return bytes;
}

inline std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// The stream that a call of the per-thread kind (`..._ptsz`) means.
inline cudaStream_t per_thread(cudaStream_t stream) { return stream == nullptr ? cudaStreamPerThread : stream; }

}  // namespace vgpu::cudart

/// API functions are exported from the library; everything else stays inside.
#define VGPU_API extern "C" __attribute__((visibility("default")))
