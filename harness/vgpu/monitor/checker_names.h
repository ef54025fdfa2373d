// What the checkers are called, wherever one is chosen or its findings are looked for.
#pragma once

#include <array>

namespace vgpu {

/// In the order in which they see an access: what memcheck holds back does not take place.
inline constexpr std::array<const char*, 4> kCheckerNames = {"memcheck", "initcheck", "racecheck", "synccheck"};

}  // namespace vgpu
