// The calls that cross from a program to its devices: all functions of the virtual GPU's runtime, by number.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "harness/vgpu/cudart/library_work.h"

#undef cudaGetDriverEntryPoint  // the per-thread variants are functions of their own

#include "harness/vgpu/link/calls.inc"  // declarations: the toolkit's headers lack those that nvcc alone calls

namespace vgpu::link {

enum class Call : std::uint16_t {
#define CALL(name) name,
#include "harness/vgpu/link/calls.inc"
#undef CALL
  kCount,
  // Not of the API.
  kHello = 0xFFFF,  ///< what comes first on a connection; answered by the staging memory
  kEnd = 0xFFFE,    ///< the program ends as it means to: what it has enqueued is to be done
};

}  // namespace vgpu::link
