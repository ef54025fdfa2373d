// Reads what `ncu --csv --page raw --print-kernel-base mangled --print-units base` prints: a row a launch, a column a
// metric.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vgpu::fidelity {

/// One launch of a kernel as Nsight Compute measured it.
struct ProfiledLaunch {
  std::string program;                    ///< the process's name
  std::string kernel;                     ///< as the column "Kernel Name" has it
  std::map<std::string, double> metrics;  ///< those that have a number
};

/// The launches in the order of their rows, or a sentence that says what is wrong with the text. Lines that ncu or the
/// program printed before the table are passed over, and so are units; several tables may follow each other.
std::variant<std::vector<ProfiledLaunch>, std::string> read_ncu_csv(std::string_view text);

}  // namespace vgpu::fidelity
