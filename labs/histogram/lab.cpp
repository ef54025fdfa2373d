// The lab histogram as the harness sees it: the values of bytes counted, and the values of words counted.
#include "harness/lab/lab.h"

#include "labs/histogram/illustrate.h"
#include "labs/histogram/misconceptions.h"
#include "labs/histogram/oracle.h"
#include "labs/histogram/samples.h"

namespace lanewise::labs {
namespace {

Task task(const std::string& name,
          std::function<std::variant<Problem, MissingData>(const Parameters&, std::uint64_t)> make,
          std::vector<Misconception> misconceptions) {
  Task task;
  task.name = name;
  task.make = std::move(make);
  task.oracle = [](const Problem& problem) { return std::vector<Array>{histogram_lab::histogram_oracle(problem)}; };
  task.judge = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got) {
    return judge_exact(expected, got);
  };
  // The data is read once, every bin is written once; one addition an element.
  task.work = [](const Problem& problem) {
    return Work{
        static_cast<double>(find_array(problem.inputs, "data").bytes.size() + byte_count(problem.outputs.at(0))),
        static_cast<double>(integer_scalar(problem, "n"))};
  };
  task.misconceptions = std::move(misconceptions);
  task.illustrate = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got,
                       const std::filesystem::path& folder) {
    return histogram_lab::illustrate(expected.at(0), got.at(0), folder);
  };
  return task;
}

}  // namespace

Lab histogram() {
  return {"histogram",
          {task("histogram_bytes", &histogram_lab::make_bytes, histogram_lab::byte_mistakes()),
           task("histogram_wide", &histogram_lab::make_wide, histogram_lab::wide_mistakes())}};
}

}  // namespace lanewise::labs
