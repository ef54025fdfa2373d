// A run without a class, or no run at all, is not a failure of the store.
#include "grader/grading/earlier_run.h"

#include "grader/workplace/workplace.h"

namespace lanewise {

namespace fs = std::filesystem;

std::string why_not_graded(const fs::path& out) {
  std::error_code error;
  return fs::exists(out / "grades.db", error)
             ? ""
             : shown_path(out) + ": there is no grades.db in it; grade the class with lanewise grade first";
}

Expected<EarlierRun> earlier_run(Store& store, const fs::path& out) {
  EarlierRun earlier;
  const auto found = store.finished_class();
  if (!found) return found.failure();
  if (!*found) {
    earlier.trouble = shown_path(out) + ": no run of lanewise grade was completed; run that command again first";
  } else if ((*found)->json.empty()) {
    earlier.trouble =
        shown_path(out) +
        ": its last run is from a lanewise that did not record who submitted what; run lanewise grade again once";
  } else {
    auto record = read_class_json((*found)->json);
    if (!record) return Failure{shown_path(out) + ": " + record.sentence()};
    earlier.run = (*found)->run;
    earlier.record = std::move(*record);
  }
  return earlier;
}

}  // namespace lanewise
