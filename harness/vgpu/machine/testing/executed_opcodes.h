// Which opcodes tests have executed, so that one can be named that none has.
#pragma once

#include "harness/vgpu/ptx/module.h"

namespace vgpu::test {

/// The environment variable that names a folder; if it is set, the opcodes that this process recorded are written there
/// when it ends, into a file named after the process's program.
inline constexpr const char* kOpcodesFolderVariable = "LANEWISE_TEST_OPCODES_FOLDER";

/// Notes every opcode in the module's functions.
void record_opcodes(const ptx::Module& module);

}  // namespace vgpu::test
