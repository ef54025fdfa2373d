// Accesses that are not plainly inside the device's own or shared memory: host memory and other devices' memory that it
// may use, and faults.
#pragma once

#include <cstdint>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {

struct StrayAccess {
  bool faulted;
};

/// Called when some address of an access failed the quick check. Addresses of registered host memory and of peers are
/// translated in place, so that the access can go ahead; otherwise the warp is stopped with the fault the
/// hardware would give.
StrayAccess look_at_stray_access(Warp& warp, const Insn* insn, ptx::Space space, AccessKind kind, std::uint32_t bytes,
                                 Mask lanes, std::uint64_t* addresses);

/// Outcome of an access to a cluster's shared memory.
struct ClusterAccess {
  Mask lanes = 0;  ///< that may go ahead
  bool faulted = false;
};

/// Looks at an access by shared addresses of which some are another block's: shows it to the observer, block by block,
/// and makes the addresses count from the warp's own shared memory, whosever they are.
ClusterAccess look_at_cluster_access(Warp& warp, const Insn* insn, AccessKind kind, std::uint32_t bytes, Mask lanes,
                                     std::uint64_t* addresses);

}  // namespace vgpu
