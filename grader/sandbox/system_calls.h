// The system calls that the sandbox refuses, as a filter program for the kernel.
#pragma once

#include "harness/lab/failure.h"
#include "harness/runner/confinement.h"
#include "harness/runner/descriptor.h"

namespace lanewise {

/// The filter for one kind of work, in an anonymous file in memory. A worker locks itself down further once its runtime
/// is up (harness/worker/lockdown.h): calls that a CUDA runtime may need until then are allowed here.
Expected<Descriptor> make_call_filter(ForeignWork work);

}  // namespace lanewise
