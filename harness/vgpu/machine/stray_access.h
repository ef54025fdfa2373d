// Accesses that are not plainly inside device or shared memory: host memory that the device may use, and faults.
#pragma once

#include <cstdint>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {

struct StrayAccess {
  bool faulted;
};

/// Called when some address of an access failed the quick check. Addresses of host memory that was registered with the
/// device are translated in place, so that the access can go ahead; otherwise the warp is stopped with the fault the
/// hardware would give.
StrayAccess look_at_stray_access(Warp& warp, const Insn* insn, ptx::Space space, AccessKind kind, std::uint32_t bytes,
                                 Mask lanes, std::uint64_t* addresses);

}  // namespace vgpu
