// The source text of a report's lines, as far as it can be read and fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace vgpu::report {

struct SourceFile {
  std::string path;  ///< as the compiler recorded it
  std::string note;  ///< why there is no text, or why it may differ from the compiled text; otherwise empty
  /// Consecutive lines. A long file is shown only around the relevant lines.
  struct Piece {
    std::uint32_t first = 1;
    std::vector<std::string> lines;  ///< UTF-8; other bytes are replaced
  };
  std::vector<Piece> pieces;
};

/// Reads a file whole, or, if it is long, what is around the `wanted` lines. Takes what it needs from
/// `bytes_left`; once that is used up, texts stay away.
SourceFile read_source(const std::string& path, const std::set<std::uint32_t>& wanted, std::size_t& bytes_left);

}  // namespace vgpu::report
