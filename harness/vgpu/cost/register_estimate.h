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

/// Those that a thread is taken to occupy while it runs. What ptxas would spill below such a limit costs nothing here,
/// so that one is believed only where the estimate may be so much too high.
std::uint32_t occupied_registers(const ptx::Function& kernel);

}  // namespace vgpu
