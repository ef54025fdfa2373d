// Mangled names made readable.
#pragma once

#include <string>

namespace vgpu {

/// "blur(unsigned char const*, ...)" for "_Z4blurPKh..."; the name itself if it is not mangled.
std::string readable_function_name(const std::string& mangled);

/// The bare name of a variable: "tile" for "_ZZ6matmulPKfS0_PfiE4tile".
std::string readable_variable_name(const std::string& mangled);

}  // namespace vgpu
