// PTX text to Module.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "harness/vgpu/ptx/lexer.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu::ptx {

/// Fat binaries pad PTX with zeros.
void drop_padding(std::string& text);

/// Parses a whole PTX module. Syntax only: whether an instruction can be executed is decided when it is decoded.
/// Hostile text gives a Diagnostic, never a crash.
std::variant<Module, Diagnostic> parse(std::string text);

/// Parses a `part` of the `text`, which several modules have in common; no padding. Lines count from where the part
/// begins.
std::variant<Module, Diagnostic> parse_part(std::shared_ptr<const std::string> text, std::string_view part);

}  // namespace vgpu::ptx
