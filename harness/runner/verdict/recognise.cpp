// Compares wrong outputs with what each misconception would give.
#include "harness/runner/verdict/recognise.h"

#include <algorithm>

namespace lanewise {

namespace {

// Of one outcome: at a GPU's sizes, all together would take gigabytes.
constexpr std::size_t kMostBytesKept = std::size_t{16} << 20;

}  // namespace

std::shared_ptr<const std::vector<Array>> Outcomes::get(const Task& task, const Problem& problem,
                                                        std::size_t misconception) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_.resize(task.misconceptions.size());
    if (kept_[misconception]) return kept_[misconception];
  }
  auto outcome = std::make_shared<const std::vector<Array>>(task.misconceptions[misconception].outcome(problem));
  std::size_t bytes = 0;
  for (const Array& array : *outcome) bytes += array.bytes.size();
  if (bytes <= kMostBytesKept) {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_[misconception] = outcome;
  }
  return outcome;
}

std::vector<std::size_t> matching_misconceptions(const Task& task, const Problem& problem,
                                                 const std::vector<Array>& got, Outcomes& outcomes) {
  std::vector<std::size_t> matches;
  for (std::size_t i = 0; i < task.misconceptions.size(); ++i)
    if (task.judge(problem, *outcomes.get(task, problem, i), got).right) matches.push_back(i);
  return matches;
}

void name_misconception(const Task& task, const Matches& matches, std::vector<CaseVerdict>& cases) {
  std::vector<std::size_t> explained(task.misconceptions.size());
  for (const auto& match : matches)
    for (const std::size_t i : match) ++explained[i];
  const auto best = std::max_element(explained.begin(), explained.end());  // the first of equals: the lab's order
  const auto wrong = static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), [](const CaseVerdict& verdict) {
    return verdict.outcome == CaseOutcome::kWrong && !verdict.judgement.right;
  }));
  if (best == explained.end() || *best == 0 || *best * 2 < wrong) return;
  const auto index = static_cast<std::size_t>(best - explained.begin());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (std::find(matches[i].begin(), matches[i].end(), index) == matches[i].end()) continue;
    cases[i].misconception = task.misconceptions[index].name;
    cases[i].hint = task.misconceptions[index].hint;
  }
}

}  // namespace lanewise
