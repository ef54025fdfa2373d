// Mathematical functions that clang calls and leaves to the device's library: __nv_sinf and the like, by the host's
// libm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace vgpu {

/// Where the arguments of one lane's call lie.
using MathArguments = const std::byte* const*;

struct MathFunction {
  std::string_view name;
  std::size_t arguments;
  std::size_t number_bytes;  ///< of its floating-point arguments: 4 or 8
  void (*run)(MathArguments arguments, std::byte* result);
};

/// The function of that name; null if there is none. Errors are within what the CUDA Programming Guide allows:
/// FIDELITY.md lists them.
const MathFunction* math_function_named(std::string_view name);

/// The first of them, and one past the last.
std::pair<const MathFunction*, const MathFunction*> math_functions();

}  // namespace vgpu
