#include "harness/vgpu/machine/noted_reads.h"

namespace vgpu {

// Not inline, as all that is compiled for newer processors must not define what others share. Memory that is not used
// stays untouched.
void NotedReads::make_room() { units_.reset(new Unit[kRoom + sizeof(Addresses) / sizeof(Unit)]); }

}  // namespace vgpu
