// Many variants of a source in one program: nvcc takes longer to start than to compile a kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/vgpu/sweep/source_lexer.h"

namespace vgpu::sweep {

/// Joins variants into a source of which `PROGRAM N` runs the main function of the N-th. Each variant has its own
/// namespace; #include lines come before all of them, once, so sources must keep those at file scope, and their main
/// function must return its value. Compiler and runtime take the N-th for line by line of a file variant_N.
class Bundle {
 public:
  /// The source without its #include lines, but otherwise of the same length: what variants are made from.
  static std::string without_includes(std::string_view source, const std::vector<Directive>& directives);

  Bundle(const std::vector<Directive>& directives, const std::vector<std::string>& variants);

  const std::string& text() const { return text_; }

  /// Variants that the compiler rejected, by its lines of the form "FILE(LINE): error".
  static std::vector<std::size_t> variants_with_errors(std::string_view compiler_output);

 private:
  std::string text_;
};

}  // namespace vgpu::sweep
