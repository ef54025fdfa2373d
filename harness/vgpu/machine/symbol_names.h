// Mangled names made readable.
#pragma once

#include <cstdint>
#include <string>

namespace vgpu {

/// "blur(unsigned char const*, ...)" for "_Z4blurPKh..."; the name itself if it is not mangled.
std::string readable_function_name(const std::string& symbol);

/// The bare name of a variable: "tile" for "_ZZ6matmulPKfS0_PfiE4tile". nvcc takes small shared arrays apart if all
/// their indices are constants; a piece has the name of its array: "borders" for "_ZZ4sortPiE7borders_$_1".
std::string readable_variable_name(const std::string& symbol);

/// Which element of its array a piece is: 1 for "_ZZ4sortPiE7borders_$_1"; 0 for what was not taken apart.
std::int64_t piece_number(const std::string& symbol);

}  // namespace vgpu
