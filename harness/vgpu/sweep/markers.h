// What a source says about its own mutants: which of them cannot be found, and why.
#pragma once

#include <cstdint>
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
struct Marker {
  std::uint32_t line = 0;     ///< of the comment
  std::size_t mutation = 0;   ///< index into the list the markers were read for
  bool is_equivalent = true;  ///< the mutant behaves like the original; otherwise "missed": no checker finds it
  std::string reason;
};

/// A comment meant as a marker that is malformed or matches no mutation.
struct MarkerProblem {
  std::uint32_t line = 0;
  std::string sentence;
};

std::variant<std::vector<Marker>, MarkerProblem> read_markers(const SourceText& text,
                                                              const std::vector<Mutation>& mutations);

}  // namespace vgpu::sweep
