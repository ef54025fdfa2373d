// speed.toml of a lab: how long the naive step and the reference take in the virtual GPU's model. Students, who have no
// solutions/, are graded against it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/lab_file.h"

namespace lanewise {

/// One task's two marks, as one compiler builds it.
struct SpeedMarks {
  std::string task;
  std::string case_name;   ///< the case that was modelled
  std::string baseline;    ///< file name of the naive step
  std::string reference;   ///< file name
  std::string compiler;    ///< that built both steps: "nvcc 13.0.88"
  double baseline_ns = 0;  ///< modelled nanoseconds of a whole call
  double reference_ns = 0;
  double lasting_ns = 0;  ///< SpeedVerdict::lasting: the most of all steps as fast as the reference; 0: not known
  double lasting_kernel_ns = 0;  ///< likewise
};

/// The whole file.
struct SpeedMarksFile {
  std::string profile;  ///< the device: "h200"
  std::vector<SpeedMarks> tasks;
};

/// Reads folder/speed.toml; the result is empty if there is no such file.
Expected<SpeedMarksFile> read_speed_marks(const std::filesystem::path& folder);

/// The text that read_speed_marks reads.
std::string speed_marks_text(const SpeedMarksFile& file);

/// The marks of that task; null if there are none, or if they are for another case, step or device than lab.toml now
/// names. Compilers differ in what a step takes: marks are those of the toolchain of that name, or another one's if it
/// has none.
const SpeedMarks* find_marks(const SpeedMarksFile& marks, const LabFile& lab, const TaskFile& task,
                             const std::string& toolchain);

/// "nvcc" of the compiler "nvcc 13.0.88".
std::string toolchain_of(const std::string& compiler);

}  // namespace lanewise
