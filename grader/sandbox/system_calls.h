// Which system calls are refused in the sandbox, as a program for the kernel.
#pragma once

#include "harness/lab/failure.h"
#include "harness/runner/confinement.h"
#include "harness/runner/descriptor.h"

namespace lanewise {

/// The filter for one kind of work, in a file in memory that has no name. A worker locks itself down further once its
/// runtime is up (harness/worker/lockdown.h): what a CUDA runtime may need to get there is left to it.
Expected<Descriptor> make_call_filter(ForeignWork work);

}  // namespace lanewise
