// The lab sort as the harness sees it: an array put in order by digits, and by merging.
#include "harness/lab/lab.h"

#include "labs/sort/keys.h"
#include "labs/sort/merge_mistakes.h"
#include "labs/sort/radix_mistakes.h"

namespace lanewise::labs {
namespace {

Task task(const std::string& name,
          std::function<std::variant<Problem, MissingData>(const Parameters&, std::uint64_t)> make,
          std::vector<Misconception> misconceptions) {
  Task task;
  task.name = name;
  task.make = std::move(make);
  task.oracle = [](const Problem& problem) { return std::vector<Array>{sort_lab::sorted(problem)}; };
  task.judge = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got) {
    return judge_exact(expected, got);
  };
  // Any sort reads every key and writes every key. One look at a key is counted as an operation; how often it is moved
  // and looked at is up to the method.
  task.work = [](const Problem& problem) {
    const auto n = static_cast<double>(integer_scalar(problem, "n"));
    return Work{2 * n * sizeof(std::uint32_t), n};
  };
  task.misconceptions = std::move(misconceptions);
  return task;
}

}  // namespace

Lab sort() {
  return {"sort",
          {task("radix_sort", &sort_lab::make_unsigned, sort_lab::radix_mistakes()),
           task("merge_sort", &sort_lab::make_signed, sort_lab::merge_mistakes())}};
}

}  // namespace lanewise::labs
