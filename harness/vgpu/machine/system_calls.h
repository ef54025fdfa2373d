// Functions that device code may call without defining them: the system's printf, malloc, free, assert, and
// the mathematical ones of device_math.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/lanes.h"

namespace vgpu {

enum class SystemFunction : std::int64_t { kNone, kPrintf, kMalloc, kFree, kAssertFail, kMath };

/// The system function of that name, or kNone.
SystemFunction system_function_named(std::string_view name);

/// Performs it for `lanes`, one after the other, with arguments and results where `site` says in each lane's local
/// memory. Returns what the call instruction's handler returns.
const Insn* call_system_function(Warp& warp, const Insn* insn, Mask lanes, SystemFunction function,
                                 const CallSite& site);

}  // namespace vgpu
