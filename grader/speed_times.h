// labs/<lab>/speed.toml out of what the virtual GPU said of a ladder's steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/ladder_steps.h"
#include "grader/ladder_table.h"
#include "harness/lab/speed_file.h"

namespace lanewise {

/// The marks of one ladder. The failure says what is missing: a step, its time, or that the naive step is not slower
/// than the reference.
Expected<SpeedMarks> speed_marks_of(const Ladder& ladder, const std::vector<StepObservation>& steps);

/// `file` with the marks of one task replaced or added, in the order of lab.toml; those of tasks that are not in
/// lab.toml are dropped.
SpeedMarksFile with_marks(SpeedMarksFile file, const LabFile& lab, const SpeedMarks& marks);

/// What was seen of one ladder's steps.
struct ObservedLadder {
  const Ladder* ladder = nullptr;
  const std::vector<StepObservation>* steps = nullptr;
};

/// What became of a lab's speed.toml.
struct SpeedMarksUpdate {
  bool is_changed = false;            ///< it was not what it has to be; it is now, unless it was only looked at
  std::vector<std::string> troubles;  ///< tasks without marks, a sentence each; or why the file cannot be used
};

/// Brings labs/<lab>/speed.toml up to date with ladders of that lab, or only looks whether it is. Tasks whose ladder
/// lacks the baseline or the reference keep the marks they have. What another compiler made is left alone when only
/// looking.
SpeedMarksUpdate update_speed_marks(const LabFile& lab, const std::vector<ObservedLadder>& ladders,
                                    const std::string& compiler, bool only_look);

}  // namespace lanewise
