// What a program leaves behind on a device: memory that it has not freed, in notes.
#pragma once

#include <vector>

#include "harness/vgpu/cudart/device_state.h"
#include "harness/vgpu/monitor/finding.h"

namespace vgpu::cudart {

/// One note for each call in the source that allocated such memory, those with most bytes first; a last one for all
/// that would make the list long. None for a device that a kernel has broken: there, nothing can be freed.
std::vector<Finding> leaks_on(const DeviceState& device);

}  // namespace vgpu::cudart
