// The CUDA runtime's functions for device code, which libcudadevrt has on a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/machine/system_calls.h"

namespace vgpu {

enum class DeviceRuntimeCall : std::uint8_t {
  kNone,
  kGetLastError,
  kPeekAtLastError,
  kGetParameterBuffer,
  kLaunchDevice,
  kStreamCreate,
  kStreamDestroy,
  kStreamWaitEvent,
  kEventCreate,
  kEventRecord,
  kEventDestroy,
  kGetDevice,
  kGetDeviceCount,
  kMalloc,
  kFree,
  kSetConditional,
};

/// The SystemFunction of a call: this one, and the call's number more.
inline constexpr auto kDeviceRuntimeCalls = SystemFunction{static_cast<std::int64_t>(SystemFunction::kMath) + 1};

/// By the name in the PTX, such as "__cudaCDP2LaunchDeviceV2"; kNone if there is none.
DeviceRuntimeCall device_runtime_call_named(std::string_view name);

/// "cudaMemcpyAsync" for the name in the PTX of a function of the device's runtime, offered or not; else empty.
std::string device_runtime_name(std::string_view name);

/// Performs it for one lane. Null, or the sentence of an illegal address.
const char* call_device_runtime(Warp& warp, const Insn* insn, int lane, DeviceRuntimeCall call, const CallSite& site);

}  // namespace vgpu
