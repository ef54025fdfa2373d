// A device profile of what labs/measure/device_profile.cu has read and measured.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vgpu {

/// A number that was measured, beside that of the profile that the rest was taken from.
struct MeasuredNumber {
  std::string key;  ///< "rates.dram_percent"
  std::int64_t measured = 0;
  std::int64_t known = 0;
};

struct MeasuredProfile {
  std::string toml;  ///< parse_profile() reads it; a comment behind each number says where it comes from
  std::vector<MeasuredNumber> numbers;
};

/// `printed`: the program's lines. What it has not measured is taken from `like`, or from the built-in profile of the
/// nearest compute capability if that is empty. A sentence if lines are missing or there is no such profile.
std::variant<MeasuredProfile, std::string> measured_profile(const std::string& printed, const std::string& like);

}  // namespace vgpu
