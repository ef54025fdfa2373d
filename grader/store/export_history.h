// A student's scores, run after run.
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

/// All scores of a student at a lab, from every completed run; by run, then as in Store::scores. `student` and `lab`
/// must match exactly.
Expected<std::vector<ScoreInRun>> export_history(Store& store, const std::string& student, const std::string& lab);

}  // namespace lanewise
