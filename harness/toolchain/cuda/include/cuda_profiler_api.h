// Where a profiler begins and ends: CUDA Runtime API, "Profiler Control".
#pragma once

#include "driver_types.h"

extern "C" {
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
}
