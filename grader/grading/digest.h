// One hash of several contents, which also depends on where each one ends.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace lanewise {

/// SHA-256 of the parts, each with its size before it, as 64 hexadecimal digits.
std::string digest_of(std::initializer_list<std::string_view> parts);

/// SHA-256 of the bytes alone, as `sha256sum` prints it.
std::string sha256_of(std::string_view bytes);

}  // namespace lanewise
