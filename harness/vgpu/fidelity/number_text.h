// Numbers in readable form.
#pragma once

#include <string>

namespace vgpu::fidelity {

/// "1,234,567"; "31.25" for a number that is not whole.
std::string number_text(double value);

}  // namespace vgpu::fidelity
