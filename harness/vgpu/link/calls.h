// The calls that cross from a program to its devices: all functions of the virtual GPU's runtime, by number.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#undef cudaGetDriverEntryPoint  // the per-thread variants are functions of their own

#include "harness/vgpu/link/calls.inc"  // declarations: the toolkit's headers lack those that nvcc alone calls

namespace vgpu::link {

enum class Call : std::uint16_t {
#define CALL(name) name,
#include "harness/vgpu/link/calls.inc"
#undef CALL
  kCount,
  /// Not of the API: what comes first on a connection. Answered by the staging memory.
  kHello = 0xFFFF,
};

}  // namespace vgpu::link
