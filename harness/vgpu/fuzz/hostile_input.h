// The ways in for bytes that nobody vouches for, as far as a program is loaded: what the fuzzers and the mutation test
// call.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vgpu::fuzz {

/// What became of an input. Each of them is fine; a crash, a hang or an error without words is not.
enum class Outcome : unsigned char {
  kNotLoadable,  ///< no PTX, or a variable cannot be placed
  kRefused,      ///< a kernel cannot be decoded
  kDecoded,
};

/// Parses the text, places its variables on a small device and decodes every kernel, with and without monitors. Nothing
/// is launched. An error that has no words aborts.
Outcome load_ptx(std::string_view text);

/// Reads a fat binary, and the resources of the kernels in every piece of machine code it holds. True if it was one.
bool read_fat_binary(const std::byte* data, std::size_t bytes);

}  // namespace vgpu::fuzz
