// What a source says of its own mutants: which of them behave as the original does, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/vgpu/sweep/mutator.h"
#include "harness/vgpu/sweep/source_lexer.h"

namespace vgpu::sweep {

/// From a comment of the form
///   sweep: equivalent shift-bound 2: the reason
/// at the end of the line with the mutated code or above it. The number counts the operator's mutations in that line;
/// several are separated by commas.
struct Equivalent {
  std::uint32_t comment_line = 0;
  std::size_t mutation = 0;  ///< index into the list the markers were read for
  std::string reason;
};

/// A comment that is meant as a marker and is none, or that fits no mutation.
struct MarkerProblem {
  std::uint32_t line = 0;
  std::string sentence;
};

std::variant<std::vector<Equivalent>, MarkerProblem> read_equivalents(const SourceText& text,
                                                                      const std::vector<Mutation>& mutations);

}  // namespace vgpu::sweep
