#include "harness/vgpu/machine/device_runtime_calls.h"

#include <algorithm>

#include "harness/vgpu/machine/address_windows.h"
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/device_runtime.h"
#include "harness/vgpu/machine/lane_call.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/observer.h"

namespace vgpu {
namespace {

constexpr std::string_view kPrefix = "__cudaCDP2";

// cudaError_t as numbers: the machine includes nothing of CUDA.
constexpr int kSuccess = 0, kMemoryAllocation = 2, kNotSupported = 801;

struct Row {
  std::string_view name;  ///< without the prefix
  DeviceRuntimeCall call;
};
// With per-thread default streams the compiler calls those with _ptsz; default streams make no difference here.
constexpr Row kRows[] = {
    {"GetLastError", DeviceRuntimeCall::kGetLastError},
    {"PeekAtLastError", DeviceRuntimeCall::kPeekAtLastError},
    {"GetParameterBufferV2", DeviceRuntimeCall::kGetParameterBuffer},
    {"LaunchDeviceV2", DeviceRuntimeCall::kLaunchDevice},
    {"LaunchDeviceV2_ptsz", DeviceRuntimeCall::kLaunchDevice},
    {"StreamCreateWithFlags", DeviceRuntimeCall::kStreamCreate},
    {"StreamDestroy", DeviceRuntimeCall::kStreamDestroy},
    {"StreamWaitEvent", DeviceRuntimeCall::kStreamWaitEvent},
    {"StreamWaitEvent_ptsz", DeviceRuntimeCall::kStreamWaitEvent},
    {"EventCreateWithFlags", DeviceRuntimeCall::kEventCreate},
    {"EventRecord", DeviceRuntimeCall::kEventRecord},
    {"EventRecord_ptsz", DeviceRuntimeCall::kEventRecord},
    {"EventDestroy", DeviceRuntimeCall::kEventDestroy},
    {"GetDevice", DeviceRuntimeCall::kGetDevice},
    {"GetDeviceCount", DeviceRuntimeCall::kGetDeviceCount},
    {"Malloc", DeviceRuntimeCall::kMalloc},
    {"Free", DeviceRuntimeCall::kFree},
};

std::uint64_t number(Extent3 at, Extent3 of) {
  return at.x + std::uint64_t{of.x} * (at.y + std::uint64_t{of.y} * at.z);
}

DeviceRuntime::Caller caller_of(const Warp& warp, int lane) {
  const LaunchShape& shape = warp.block->launch().shape();
  return {number(warp.block->index(), shape.grid), number(warp.block->thread(warp, lane), shape.block)};
}

/// Whether the observer lets one lane write there.
bool is_let(const Warp& warp, const Insn* insn, int lane, ptx::Space space, std::uint64_t address,
            std::uint32_t bytes) {
  if (warp.observer == nullptr || !warp.observer->watches_accesses()) return true;
  std::uint64_t wide[kLanes];
  std::uint32_t narrow[kLanes];
  std::fill(std::begin(wide), std::end(wide), address);
  std::fill(std::begin(narrow), std::end(narrow), static_cast<std::uint32_t>(address));
  const bool is_narrow = space == ptx::Space::kShared;
  MemoryAccess access{&warp,
                      insn,
                      space,
                      AccessKind::kStore,
                      bytes,
                      Mask{1} << lane,
                      is_narrow ? narrow : nullptr,
                      is_narrow ? nullptr : wide,
                      address,
                      address,
                      address % bytes == 0};
  return warp.observer->access(access) != 0;
}

/// Writes a result through a pointer; false if there is no memory.
template <class T>
bool store(Warp& warp, const Insn* insn, int lane, std::uint64_t address, T value) {
  const Bytes bytes = bytes_at(warp, lane, address);
  if (bytes.at == nullptr || bytes.count < sizeof value) return false;
  const bool is_local = address - kLocalWindow < kWindowBytes, is_shared = address - kSharedWindow < kWindowBytes;
  const bool is_written = is_local || is_let(warp, insn, lane, is_shared ? ptx::Space::kShared : ptx::Space::kGlobal,
                                             is_shared ? address - kSharedWindow : address, sizeof value);
  if (is_written) std::memcpy(const_cast<std::byte*>(bytes.at), &value, sizeof value);
  return true;
}

}  // namespace

DeviceRuntimeCall device_runtime_call_named(std::string_view name) {
  if (name == "cudaGraphSetConditional") return DeviceRuntimeCall::kSetConditional;  // has no other name in PTX
  if (name.substr(0, kPrefix.size()) != kPrefix) return DeviceRuntimeCall::kNone;
  name.remove_prefix(kPrefix.size());
  for (const Row& row : kRows)
    if (row.name == name) return row.call;
  return DeviceRuntimeCall::kNone;
}

std::string device_runtime_name(std::string_view name) {
  constexpr std::string_view kPerThread = "_ptsz";
  if (name == "__cudaDeviceSynchronizeDeprecationAvoidance") return "cudaDeviceSynchronize";
  if (name.substr(0, kPrefix.size()) != kPrefix) return {};
  name.remove_prefix(kPrefix.size());
  if (name.size() > kPerThread.size() && name.substr(name.size() - kPerThread.size()) == kPerThread)
    name.remove_suffix(kPerThread.size());
  return "cuda" + std::string(name);
}

const char* call_device_runtime(Warp& warp, const Insn* insn, int lane, DeviceRuntimeCall which, const CallSite& site) {
  const LaunchOptions& options = warp.block->launch().options();
  LaneCall call(warp, lane, site);
  DeviceRuntime* const runtime = warp.block->launch().device_runtime();
  if (which == DeviceRuntimeCall::kSetConditional) {
    const bool is_known = runtime != nullptr &&
                          runtime->set_conditional(call.argument<std::uint64_t>(0), call.argument<std::uint32_t>(1));
    return is_known ? nullptr : "cudaGraphSetConditional() of a handle that no graph has";
  }
  if (runtime == nullptr) {
    if (which == DeviceRuntimeCall::kGetParameterBuffer)
      call.result<std::uint64_t>(0);
    else
      call.result<std::int32_t>(kNotSupported);
    return nullptr;
  }
  const DeviceRuntime::Caller caller = caller_of(warp, lane);
  const auto word = [&](std::size_t n) { return call.argument<std::uint64_t>(n); };
  const auto returns = [&](int error) {
    call.result<std::int32_t>(error);
    return static_cast<const char*>(nullptr);
  };
  /// A result through the first argument, and an error.
  const auto gives = [&](auto value, int error) {
    if (error == kSuccess && !store(warp, insn, lane, word(0), value))
      return "a call of the device's runtime with a pointer to no memory";
    return returns(error);
  };
  switch (which) {
    case DeviceRuntimeCall::kGetLastError:
      return returns(runtime->last_error(caller, true));
    case DeviceRuntimeCall::kPeekAtLastError:
      return returns(runtime->last_error(caller, false));
    case DeviceRuntimeCall::kGetParameterBuffer: {
      LaunchShape shape;
      shape.grid = call.argument<Extent3>(1);
      shape.block = call.argument<Extent3>(2);
      shape.dynamic_shared = call.argument<std::uint32_t>(3);
      call.result<std::uint64_t>(runtime->parameter_buffer(caller, word(0), shape));
      return nullptr;
    }
    case DeviceRuntimeCall::kLaunchDevice:
      return returns(runtime->launch(caller, word(0), word(1)));
    case DeviceRuntimeCall::kStreamCreate: {
      std::uint64_t stream = 0;
      const int error = runtime->create_stream(caller, call.argument<std::uint32_t>(1), stream);
      return gives(stream, error);
    }
    case DeviceRuntimeCall::kStreamDestroy:
      return returns(runtime->destroy_stream(caller, word(0)));
    case DeviceRuntimeCall::kStreamWaitEvent:
      return returns(runtime->use_event(caller, word(1), word(0)));
    case DeviceRuntimeCall::kEventCreate: {
      std::uint64_t event = 0;
      const int error = runtime->create_event(caller, call.argument<std::uint32_t>(1), event);
      return gives(event, error);
    }
    case DeviceRuntimeCall::kEventRecord:
      return returns(runtime->use_event(caller, word(0), word(1)));
    case DeviceRuntimeCall::kEventDestroy:
      return returns(runtime->destroy_event(caller, word(0)));
    case DeviceRuntimeCall::kGetDevice:
      return gives(std::int32_t{runtime->device_number()}, kSuccess);
    case DeviceRuntimeCall::kGetDeviceCount:
      return gives(std::int32_t{runtime->device_count()}, kSuccess);
    case DeviceRuntimeCall::kMalloc: {
      const std::uint64_t address = options.heap_allocate ? options.heap_allocate(word(1)) : 0;
      return gives(address, address != 0 ? kSuccess : kMemoryAllocation);
    }
    case DeviceRuntimeCall::kFree:
      if (word(0) != 0 && options.heap_free && !options.heap_free(word(0)))
        return "cudaFree() of a pointer that cudaMalloc() in device code did not return";
      return returns(kSuccess);
    case DeviceRuntimeCall::kSetConditional:  // has neither error nor result
    case DeviceRuntimeCall::kNone:
      break;
  }
  return returns(kNotSupported);
}

}  // namespace vgpu
