// Where host code trips over a device pointer, the program's last words say so.
#pragma once

namespace vgpu::link {

/// From now on, if LANEWISE_VGPU_EXPLAIN is set, as `lanewise run` does, and the program does not handle SIGSEGV
/// itself.
void explain_crashes();

}  // namespace vgpu::link
