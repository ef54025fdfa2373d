// Every misconception held against the right answer and those before it, case by case.
#include "harness/declared/recognisable.h"

#include <algorithm>
#include <set>

#include "harness/runner/problems.h"

namespace lanewise {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kMostBytes = 1'000'000;

bool is_small(const Problem& problem) {
  std::size_t bytes = 0;
  for (const ArrayShape& output : problem.outputs) bytes += byte_count(output);
  return bytes <= kMostBytes;
}

}  // namespace

std::vector<std::string> unrecognisable(const std::string& lab, const Task& task, const TaskFile& file) {
  std::vector<std::string> names;  // not recognised yet
  const auto is_open = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const Misconception& mistake : task.misconceptions)
    if (!is_open(mistake.name)) names.push_back(mistake.name);
  for (const CaseFile& each : file.cases) {
    if (each.group != "check") continue;
    if (names.empty()) break;
    const auto made = make_problem(task, each, case_seed(kSeed, lab, task.name, each.name));
    const auto* const problem = std::get_if<Problem>(&made);
    if (!problem || !is_small(*problem)) continue;
    const std::vector<Array> expected = task.oracle(*problem);
    std::vector<std::vector<Array>> outcomes;
    for (const Misconception& mistake : task.misconceptions) {
      outcomes.push_back(mistake.outcome(*problem));
      if (outcomes.back().empty() || !is_open(mistake.name)) continue;      // it cannot tell, or need not
      if (task.judge(*problem, expected, outcomes.back()).right) continue;  // this case does not show it
      const auto first = std::find_if(outcomes.begin(), outcomes.end(), [&](const std::vector<Array>& earlier) {
        return !earlier.empty() && task.judge(*problem, earlier, outcomes.back()).right;
      });
      if (task.misconceptions[static_cast<std::size_t>(first - outcomes.begin())].name == mistake.name)
        names.erase(std::remove(names.begin(), names.end(), mistake.name), names.end());
    }
  }
  return names;
}

std::vector<std::string> accepting_zeros(const std::string& lab, const Task& task, const TaskFile& file) {
  std::vector<std::string> names;
  for (const CaseFile& each : file.cases) {
    if (!(each.points > 0)) continue;
    const auto made = make_problem(task, each, case_seed(kSeed, lab, task.name, each.name));
    const auto* const problem = std::get_if<Problem>(&made);
    if (!problem) continue;
    const std::vector<Array> expected = task.oracle(*problem);
    std::vector<Array> zeros = expected;
    for (Array& array : zeros) std::fill(array.bytes.begin(), array.bytes.end(), std::byte{0});
    const auto are_same = [](const Array& one, const Array& other) { return one.bytes == other.bytes; };
    const bool is_zero = std::equal(zeros.begin(), zeros.end(), expected.begin(), are_same);
    if (!is_zero && task.judge(*problem, expected, zeros).right) names.push_back(each.name);
  }
  return names;
}

}  // namespace lanewise
