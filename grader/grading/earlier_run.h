// The newest completed run of grading, with the class that it saw: the starting point of later commands.
#pragma once

#include <filesystem>
#include <string>

#include "grader/grading/class_record.h"
#include "grader/store/store.h"
#include "harness/lab/failure.h"

namespace lanewise {

struct EarlierRun {
  std::string trouble;  ///< a sentence: why there is no such run; the rest is then empty
  StoredRun run;
  ClassRecord record;
};

/// Why nothing was graded into `out` yet, as a sentence; empty if something was.
std::string why_not_graded(const std::filesystem::path& out);

/// Fails if the store cannot be read. `out` is its folder, as messages name it.
Expected<EarlierRun> earlier_run(Store& store, const std::filesystem::path& out);

}  // namespace lanewise
