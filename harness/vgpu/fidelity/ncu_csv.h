// Reads what `ncu --csv --page raw --print-kernel-base mangled --print-units base` prints: one row per launch, one
// column per metric. Files of the same form with a column "Launches" have several launches per row (profiles.h).
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

/// What Nsight Compute measured for a launch of a kernel, or for several together.
struct Profile {
  std::string program;                    ///< the process's name
  std::string kernel;                     ///< as the column "Kernel Name" has it
  std::map<std::string, double> metrics;  ///< those that have a number
  double launches = 1;
};

/// In the order of the rows, or a sentence that says what is wrong with the text. Lines that ncu or the program printed
/// before the table are skipped, and so are units; there may be several tables.
std::variant<std::vector<Profile>, std::string> read_ncu_csv(std::string_view text);

}  // namespace vgpu::fidelity
