// PTX text to Module.
#pragma once

#include <string>
#include <variant>

#include "harness/vgpu/ptx/lexer.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu::ptx {

/// Parses a whole PTX module. Syntax only: whether an instruction can be executed is decided when it is decoded.
/// Hostile text gives a Diagnostic, never a crash.
std::variant<Module, Diagnostic> parse(std::string text);

}  // namespace vgpu::ptx
