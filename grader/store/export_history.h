// What a student's work came to, run after run.
#pragma once

#include <string>
#include <vector>

#include "grader/store/store.h"
#include "harness/lab/failure.h"

namespace lanewise {

struct ScoreInRun {
  StoredRun run;
  StoredScore score;
};

/// All scores of a student at a lab, of every run that came to its end; by run, then as in Store::scores. `student` and
/// `lab` are compared whole.
Expected<std::vector<ScoreInRun>> export_history(Store& store, const std::string& student, const std::string& lab);

}  // namespace lanewise
