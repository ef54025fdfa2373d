// The lab vecadd as the harness sees it: two tasks over the same vectors, one in host and one in device memory.
#include "harness/lab/lab.h"

#include "labs/vecadd/misconceptions.h"
#include "labs/vecadd/vectors.h"

namespace lanewise::labs {
namespace {

Task task(const std::string& name, Space space, std::vector<Misconception> misconceptions) {
  Task task;
  task.name = name;
  task.make = [space](const Parameters& parameters, std::uint64_t seed) {
    return vecadd_lab::make(space, parameters, seed);
  };
  task.oracle = [](const Problem& problem) { return std::vector<Array>{vecadd_lab::sums(problem)}; };
  task.judge = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got) {
    return judge_ulps(expected, got, 1);
  };
  // Each input is read once and the output written once; one addition an element.
  task.work = [](const Problem& problem) {
    const auto n = static_cast<double>(integer_scalar(problem, "n"));
    return Work{3 * n * sizeof(float), n};
  };
  task.misconceptions = std::move(misconceptions);
  return task;
}

}  // namespace

Lab vecadd() {
  // Elements that no thread of vec_add computes come back as whatever the device memory held.
  auto host_mistakes = vecadd_lab::transfer_mistakes();
  for (const std::byte fresh : vecadd_lab::kFresh)
    for (auto& mistake : vecadd_lab::kernel_mistakes(fresh)) host_mistakes.push_back(std::move(mistake));
  return {"vecadd",
          {task("vec_add", Space::kHost, std::move(host_mistakes)),
           task("vec_add_device", Space::kDevice, vecadd_lab::kernel_mistakes(kPoison))}};
}

}  // namespace lanewise::labs
