// Reads what `ncu --csv --page raw --print-kernel-base mangled --print-units base` prints: a row a launch, a column a
// metric. Files of the same shape with a column "Launches" hold several launches a row (profiles.h).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vgpu::fidelity {

inline constexpr const char* kProgramColumn = "Process Name";
inline constexpr const char* kKernelColumn = "Kernel Name";
inline constexpr const char* kLaunchesColumn = "Launches";

/// What Nsight Compute measured of a launch of a kernel, or of several together.
struct Profile {
  std::string program;                    ///< the process's name
  std::string kernel;                     ///< as the column "Kernel Name" has it
  std::map<std::string, double> metrics;  ///< those that have a number
  double launches = 1;
};

/// In the order of the rows, or a sentence that says what is wrong with the text. Lines that ncu or the program printed
/// before the table are passed over, and so are units; several tables may follow each other.
std::variant<std::vector<Profile>, std::string> read_ncu_csv(std::string_view text);

}  // namespace vgpu::fidelity
