// Numbers as people read them.
#pragma once

#include <string>

namespace vgpu::fidelity {

/// "1,234,567"; "31.25" for what is no whole number.
std::string number_text(double value);

}  // namespace vgpu::fidelity
