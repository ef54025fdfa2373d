// Texts as they stand in a TOML file that we write.
#pragma once

#include <string>

namespace lanewise {

/// In quotes. Names of files, cases and devices have no line breaks; one becomes a blank.
inline std::string toml_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

}  // namespace lanewise
