// One hash of several contents, which cannot be shifted against each other.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace lanewise {

/// SHA-256 of the parts, each with its size before it, as 64 hexadecimal digits.
std::string digest_of(std::initializer_list<std::string_view> parts);

}  // namespace lanewise
