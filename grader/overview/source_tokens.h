// A source as tokens: what remains if layout and comments do not matter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

struct SourceToken {
  std::string text;  ///< printable ASCII without blanks: a name, punctuation, `1` for any number, `""` for any string
  int line = 0;      ///< in the source, from 1
};

/// Accepts C++ or CUDA, or any bytes. Include directives are left out, and the '#' of other directives.
std::vector<SourceToken> source_tokens(std::string_view source);

}  // namespace lanewise
