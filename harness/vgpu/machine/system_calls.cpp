#include "harness/vgpu/machine/system_calls.h"

#include <cstring>
#include <string>

#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/device_math.h"
#include "harness/vgpu/machine/device_printf.h"
#include "harness/vgpu/machine/device_runtime_calls.h"
#include "harness/vgpu/machine/lane_call.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {
namespace {

void print(Warp& warp, int lane, LaneCall& call) {
  const std::string format = string_at(warp, lane, call.argument<std::uint64_t>(0));
  const Bytes block = bytes_at(warp, lane, call.argument<std::uint64_t>(1));
  int count = 0;
  const std::string text = format_device_printf(
      format, block.at, block.count, [&](std::uint64_t address) { return string_at(warp, lane, address); }, count);
  const LaunchOptions& options = warp.block->launch().options();
  if (options.print) options.print(text);
  call.result<std::int32_t>(count);
}

/// __assertfail(message, file, line, function, char size): worded as the CUDA runtime words it.
std::string assertion_text(Warp& warp, int lane, const LaneCall& call) {
  return string_at(warp, lane, call.argument<std::uint64_t>(1)) + ":" +
         std::to_string(call.argument<std::uint32_t>(2)) + ": " +
         string_at(warp, lane, call.argument<std::uint64_t>(3)) + ": block: " + spelled(warp.block->index()) +
         ", thread: " + spelled(warp.block->thread(warp, lane)) + " Assertion `" +
         string_at(warp, lane, call.argument<std::uint64_t>(0)) + "` failed.";
}

}  // namespace

SystemFunction system_function_named(std::string_view name) {
  if (name == "vprintf") return SystemFunction::kPrintf;
  if (name == "malloc") return SystemFunction::kMalloc;
  if (name == "free") return SystemFunction::kFree;
  if (name == "__assertfail") return SystemFunction::kAssertFail;
  if (const DeviceRuntimeCall call = device_runtime_call_named(name); call != DeviceRuntimeCall::kNone)
    return SystemFunction{static_cast<std::int64_t>(kDeviceRuntimeCalls) + static_cast<std::int64_t>(call)};
  if (math_function_named(name) != nullptr) return SystemFunction::kMath;
  return SystemFunction::kNone;
}

const Insn* call_system_function(Warp& warp, const Insn* insn, Mask lanes, SystemFunction function,
                                 const CallSite& site) {
  const LaunchOptions& options = warp.block->launch().options();
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    LaneCall call(warp, lane, site);
    switch (function) {
      case SystemFunction::kPrintf:
        print(warp, lane, call);
        break;
      case SystemFunction::kMalloc:
        call.result<std::uint64_t>(options.heap_allocate ? options.heap_allocate(call.argument<std::uint64_t>(0)) : 0);
        break;
      case SystemFunction::kFree: {
        const auto address = call.argument<std::uint64_t>(0);
        if (address != 0 && options.heap_free && !options.heap_free(address))
          return warp.fault(insn, FaultKind::kIllegalAddress, lane, "free() of a pointer that malloc() did not return");
        break;
      }
      case SystemFunction::kAssertFail:
        warp.block->report_fault(warp, insn, FaultKind::kAssert, lane, assertion_text(warp, lane, call));
        break;
      case SystemFunction::kMath:
        call.compute(*site.math);
        break;
      case SystemFunction::kNone:
        break;
      default: {
        const auto which = static_cast<DeviceRuntimeCall>(static_cast<std::int64_t>(function) -
                                                          static_cast<std::int64_t>(kDeviceRuntimeCalls));
        const char* const problem = call_device_runtime(warp, insn, lane, which, site);
        if (problem != nullptr) return warp.fault(insn, FaultKind::kIllegalAddress, lane, problem);
      }
    }
  }
  // A failed assertion ends its thread; the others go on, and may fail as well. The launch ends with the error.
  if (function == SystemFunction::kAssertFail) return warp.exit(insn, lanes);
  // Memory may have been allocated: what counts as device memory has grown.
  warp.global_span = warp.block->launch().memory().high() - warp.block->launch().memory().low();
  return insn + 1;
}

}  // namespace vgpu
