// Which opcodes tests have executed, so that one can be named that none has.
#pragma once

#include "harness/vgpu/ptx/module.h"

namespace vgpu::test {

/// The environment variable that names a file; if it is set, the opcodes that this process recorded are written there
/// when it ends.
inline constexpr const char* kOpcodesFileVariable = "LANEWISE_TEST_OPCODES_FILE";
/// And the one that names the folder of these files.
inline constexpr const char* kOpcodesFolderVariable = "LANEWISE_TEST_OPCODES_FOLDER";

/// Notes every opcode in the module's functions.
void record_opcodes(const ptx::Module& module);

}  // namespace vgpu::test
