// A source as the words and signs that it is made of: what remains if layout and comments do not matter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

struct SourceToken {
  std::string text;  ///< printable ASCII without blanks: a name, a sign, `1` for any number, `""` for any string
  int line = 0;      ///< in the source, from 1
};

/// Of C++ or CUDA, of any bytes. Directives that include are left out, of other directives the '#'.
std::vector<SourceToken> source_tokens(std::string_view source);

}  // namespace lanewise
