// Makes labs/<lab>/speed.toml from the virtual GPU's observations of a ladder's steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/bench/ladder_steps.h"
#include "grader/bench/ladder_table.h"
#include "harness/lab/speed_file.h"

namespace lanewise {

/// The marks of one ladder as `compiler` builds it. The failure says what is missing (a step, or its time), or that the
/// naive step is not slower than the reference.
Expected<SpeedMarks> speed_marks_of(const Ladder& ladder, const std::vector<StepObservation>& steps,
                                    const std::string& compiler);

/// `file` with the marks of one task by any version of one toolchain replaced, or added behind those of others, in the
/// order of lab.toml; marks of tasks that are not in lab.toml are dropped.
SpeedMarksFile with_marks(SpeedMarksFile file, const LabFile& lab, const SpeedMarks& marks);

/// The observations of one ladder's steps.
struct ObservedLadder {
  const Ladder* ladder = nullptr;
  const std::vector<StepObservation>* steps = nullptr;
};

/// The result of updating a lab's speed.toml.
struct SpeedMarksUpdate {
  bool is_changed = false;            ///< it was stale; it is up to date now, unless it was only compared
  std::vector<std::string> troubles;  ///< a sentence for each task without marks; or why the file cannot be used
};

/// Brings labs/<lab>/speed.toml up to date with ladders of that lab, or only checks whether it is (`only_look`). Tasks
/// whose ladder lacks the baseline or the reference keep the marks they have, as do other toolchains. A check ignores
/// what another version made.
SpeedMarksUpdate update_speed_marks(const LabFile& lab, const std::vector<ObservedLadder>& ladders,
                                    const std::string& compiler, bool only_look);

}  // namespace lanewise
