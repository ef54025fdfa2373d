// The parts of PTX that stand both at module level and inside functions: variable declarations and parameter lists.
#pragma once

#include <vector>

#include "harness/vgpu/ptx/module.h"
#include "harness/vgpu/ptx/token_stream.h"

namespace vgpu::ptx {

/// No single variable or parameter list of a sane program is larger; hostile sizes stop here.
inline constexpr std::uint64_t kLargestVariable = std::uint64_t{1} << 32;

/// The state space a declaration directive names (`global`, `shared`, ...), or kGeneric if it is none.
Space declared_space(std::string_view directive);

/// After the space directive: `.align 4 .b8 a[16] = {...}, b;` up to and with the semicolon.
std::vector<Variable> parse_variables(TokenStream& tokens, Space space, bool is_extern);

/// `( .param .u64 a, .param .align 8 .b8 b[16] )`, opening parenthesis included; sets offsets. Returns the block's
/// size.
std::uint32_t parse_parameters(TokenStream& tokens, std::vector<Parameter>& parameters);

}  // namespace vgpu::ptx
