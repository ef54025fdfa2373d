// Links PTX modules, as nvlink links the machine code of a program built with -rdc=true: one module comes out.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "harness/vgpu/ptx/parser.h"

namespace vgpu::ptx {

/// The PTX of one translation unit.
struct Unit {
  std::string name;  ///< of the source file; empty: not known
  std::string text;
};

/// Parses all units and links them: names that are `.extern` in one stand for what another defines as `.visible` or
/// `.weak`. Names that only their own unit knows stay apart: where two units have the same one, the later gets a number
/// behind it, "name.2". A name without a definition is left to those who use it if it is a function's (the system has
/// some), and an error if it is a variable's. Hostile units give a Diagnostic, never a crash.
std::variant<Module, Diagnostic> link(std::vector<Unit> units);

}  // namespace vgpu::ptx
