// speed.toml of a lab: how long the virtual GPU's model takes the naive step and the reference to last. Students, who
// have no solutions/, are graded against it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/lab_file.h"

namespace lanewise {

/// One task's two marks.
struct SpeedMarks {
  std::string task;
  std::string case_name;   ///< that was modelled
  std::string baseline;    ///< file name of the naive step
  std::string reference;   ///< file name
  double baseline_ns = 0;  ///< modelled nanoseconds of a whole call
  double reference_ns = 0;
};

/// The whole file.
struct SpeedMarksFile {
  std::string profile;   ///< the device: "h200"
  std::string compiler;  ///< nvcc that built both steps: "13.0.88"
  std::vector<SpeedMarks> tasks;
};

/// Reads folder/speed.toml; nothing in it if there is no such file.
Expected<SpeedMarksFile> read_speed_marks(const std::filesystem::path& folder);

/// What read_speed_marks reads.
std::string speed_marks_text(const SpeedMarksFile& file);

/// The marks of that task, or null; null too if they were made for another case, step or device than lab.toml names
/// now.
const SpeedMarks* find_marks(const SpeedMarksFile& marks, const LabFile& lab, const TaskFile& task);

}  // namespace lanewise
