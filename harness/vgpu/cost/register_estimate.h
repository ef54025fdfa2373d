// How many registers ptxas would allot to a kernel, estimated from its PTX: for kernels without machine code.
#pragma once

#include <cstdint>

#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// Registers of a thread, as cudaFuncAttributes::numRegs counts them: those that hold what is still needed where that
/// is most, and a few more, within what .maxntid, .reqntid, .minnctapersm and .maxnreg allow.
///
/// Of the 756 kernels of solutions/ and programs/ (nvcc 13.0 for sm_90; registers that ptxas reports less those
/// estimated): half lie between -3 and 1, nine of ten between -5 and 12, all between -34 and 28.
std::uint32_t estimated_registers(const ptx::Function& kernel);

}  // namespace vgpu
