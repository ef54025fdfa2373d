// Sorts labs by their order and writes a row for each.
#include "labs/course_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace lanewise {
namespace {

constexpr std::size_t kMostNamed = 5;

std::string tasks_text(const LabFile& lab) {
  if (lab.tasks.size() > kMostNamed)
    return fmt::format("{}, from `{}` to `{}`", lab.tasks.size(), lab.tasks.front().name, lab.tasks.back().name);
  std::vector<std::string> names;
  for (const TaskFile& task : lab.tasks) names.push_back("`" + task.name + "`");
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string course_map(std::vector<LabFile> labs) {
  std::sort(labs.begin(), labs.end(), [](const LabFile& a, const LabFile& b) { return a.order < b.order; });
  std::string text =
      "| order | lab | tasks | week | hours | lecture | prerequisites | textbook chapter |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const LabFile& lab : labs)
    text += fmt::format("| {0} | [{1}]({1}/README.md): {2} | {3} | {4} | {5} | {6} | {7} | {8} |\n", lab.order, lab.id,
                        lab.title, tasks_text(lab), lab.week, lab.hours, lab.lecture,
                        lab.prerequisites.empty() ? "C: pointers, arrays, loops"
                                                  : fmt::format("{}", fmt::join(lab.prerequisites, ", ")),
                        lab.chapter);
  return text;
}

}  // namespace lanewise
