// Compares wrong outputs with what each misconception would give.
#include "harness/runner/verdict/recognise.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/vgpu/monitor/checker_names.h"

namespace lanewise {

namespace {

// Of one outcome: at a GPU's sizes, all together would take gigabytes.
constexpr std::size_t kMostBytesKept = std::size_t{16} << 20;

// Outputs up to this size cost next to nothing to compare once more.
constexpr std::size_t kSmall = std::size_t{1} << 20;

std::size_t total_bytes(const std::vector<Array>& arrays) {
  return std::accumulate(arrays.begin(), arrays.end(), std::size_t{0},
                         [](std::size_t sum, const Array& array) { return sum + array.bytes.size(); });
}

bool is_checker(const std::string& tool) {
  return std::find(vgpu::kCheckerNames.begin(), vgpu::kCheckerNames.end(), tool) != vgpu::kCheckerNames.end();
}

}  // namespace

std::shared_ptr<const std::vector<Array>> Outcomes::get(const Task& task, const Problem& problem,
                                                        std::size_t misconception) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_.resize(task.misconceptions.size());
    if (kept_[misconception]) return kept_[misconception];
  }
  auto outcome = std::make_shared<const std::vector<Array>>(task.misconceptions[misconception].outcome(problem));
  if (total_bytes(*outcome) <= kMostBytesKept) {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_[misconception] = outcome;
  }
  return outcome;
}

std::vector<Match> matching_misconceptions(const Task& task, const Problem& problem, const std::vector<Array>& expected,
                                           const std::vector<Array>& got, Outcomes& outcomes,
                                           std::set<std::size_t>& ruled_out) {
  std::vector<Match> matches;
  for (std::size_t i = 0; i < task.misconceptions.size(); ++i) {
    if (ruled_out.count(i) != 0) continue;
    const auto outcome = outcomes.get(task, problem, i);
    if (outcome->empty()) continue;
    if (task.judge(problem, *outcome, got).right)
      matches.push_back({i, true});
    else if (task.resembles && task.resembles(problem, *outcome, got) && !task.resembles(problem, *outcome, expected))
      matches.push_back({i, false});  // what resembles the right answer, too, explains nothing
    else if (total_bytes(got) <= kSmall && !is_harmless(task, problem, expected, i, outcomes))
      ruled_out.insert(i);
  }
  return matches;
}

bool is_harmless(const Task& task, const Problem& problem, const std::vector<Array>& expected,
                 std::size_t misconception, Outcomes& outcomes) {
  if (task.misconceptions[misconception].depends_on_order) return true;
  const auto outcome = outcomes.get(task, problem, misconception);
  return outcome->empty() || task.judge(problem, expected, *outcome).right ||
         (task.resembles && task.resembles(problem, expected, *outcome));
}

bool yields(const Misconception& misconception, const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [&misconception](const Finding& finding) {
    const bool bears_on_values =
        is_checker(finding.tool) && finding.kind != "leak" && finding.kind != "not all checked";
    return bears_on_values && misconception.seen_by.count(finding.tool) == 0;
  });
}

void name_misconception(const Task& task, const Matches& matches, const Harmless& harmless,
                        std::vector<CaseVerdict>& cases) {
  struct Explained {
    std::size_t cases = 0, exactly = 0;
  };
  std::vector<Explained> explained(task.misconceptions.size());
  for (const auto& of_case : matches)
    for (const Match& match : of_case) {
      ++explained[match.misconception].cases;
      explained[match.misconception].exactly += match.is_exact ? 1 : 0;
    }
  const auto wrong = static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), [](const CaseVerdict& verdict) {
    return verdict.outcome == CaseOutcome::kWrong && !verdict.judgement.right;
  }));
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < explained.size(); ++i)
    if (explained[i].cases > 0 && explained[i].cases * 2 >= wrong) candidates.push_back(i);

  const auto is_match = [&matches](std::size_t number, std::size_t i) {
    return std::any_of(matches[number].begin(), matches[number].end(),
                       [i](const Match& match) { return match.misconception == i; });
  };
  for (std::size_t number = 0; number < cases.size() && !candidates.empty(); ++number) {
    const CaseOutcome outcome = cases[number].outcome;
    if (outcome != CaseOutcome::kWrong && outcome != CaseOutcome::kRight) continue;
    const auto doubtful =
        std::stable_partition(candidates.begin(), candidates.end(), [&](std::size_t i) { return is_match(number, i); });
    const std::vector<std::size_t> left = {doubtful, candidates.end()};
    candidates.erase(doubtful, candidates.end());
    if (left.empty()) continue;
    const std::vector<std::size_t> kept = harmless(number, left);
    candidates.insert(candidates.end(), kept.begin(), kept.end());
  }
  if (candidates.empty()) return;
  std::sort(candidates.begin(), candidates.end());  // the first of equals: the lab's order
  const std::size_t best =
      *std::max_element(candidates.begin(), candidates.end(), [&explained](std::size_t a, std::size_t b) {
        return std::pair{explained[a].cases, explained[a].exactly} <
               std::pair{explained[b].cases, explained[b].exactly};
      });
  for (std::size_t number = 0; number < cases.size(); ++number) {
    if (!is_match(number, best)) continue;
    cases[number].misconception = task.misconceptions[best].name;
    cases[number].hint = task.misconceptions[best].hint;
  }
}

}  // namespace lanewise
