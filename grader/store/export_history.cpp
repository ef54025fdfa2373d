// Goes through the runs: a course has some hundred of them, of some thousand scores.
#include "grader/store/export_history.h"

namespace lanewise {

Expected<std::vector<ScoreInRun>> export_history(Store& store, const std::string& student, const std::string& lab) {
  const auto runs = store.runs();
  if (!runs) return runs.failure();
  std::vector<ScoreInRun> history;
  for (const StoredRun& run : *runs) {
    const auto scores = store.scores(run.number);
    if (!scores) return scores.failure();
    for (const StoredScore& score : *scores)
      if (score.student == student && score.lab == lab) history.push_back({run, score});
  }
  return history;
}

}  // namespace lanewise
