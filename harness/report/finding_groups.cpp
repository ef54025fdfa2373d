// Groups findings by place and kind.
#include "harness/report/finding_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace lanewise {
namespace {

constexpr std::size_t kArraysListed = 3;

std::pair<int, int> lines_of_race(const Finding& finding) {
  return std::minmax({finding.place.line, other_line(finding)});
}

bool is_same_mistake(const Finding& a, const Finding& b) {
  if (a.tool != b.tool || a.place.file != b.place.file || a.place.line <= 0) return false;
  if (other_line(a) > 0 && other_line(b) > 0) return lines_of_race(a) == lines_of_race(b);
  return a.place.line == b.place.line && a.kind == b.kind;
}

}  // namespace

std::vector<FindingGroup> group_findings(const std::vector<Finding>& findings) {
  std::vector<FindingGroup> groups;
  for (const Finding& finding : findings) {
    const auto known = std::find_if(groups.begin(), groups.end(), [&finding](const FindingGroup& group) {
      return is_same_mistake(*group.shown, finding);
    });
    if (known == groups.end()) {
      groups.push_back({&finding, {}, finding.count});
      continue;
    }
    known->same.push_back(&finding);
    known->count += finding.count;
  }
  std::stable_partition(groups.begin(), groups.end(),
                        [](const FindingGroup& group) { return explains_others(*group.shown); });
  return groups;
}

bool explains_others(const Finding& finding) { return finding.tool == "synccheck"; }

int other_line(const Finding& finding) {
  const std::string words = " in line ";
  const std::size_t at = finding.tool == "racecheck" ? finding.kind.rfind(words) : std::string::npos;
  return at == std::string::npos ? 0 : std::atoi(finding.kind.c_str() + at + words.size());
}

std::string arrays_text(const FindingGroup& group) {
  std::vector<std::string> arrays;
  const auto add = [&arrays](const Finding& finding) {
    const std::string element =
        finding.element.empty() ? fmt::format("{}[{}]", finding.array, finding.index) : finding.element;
    const auto is_of_array = [&finding](const std::string& known) { return known.rfind(finding.array + "[", 0) == 0; };
    if (!finding.array.empty() && std::none_of(arrays.begin(), arrays.end(), is_of_array)) arrays.push_back(element);
  };
  add(*group.shown);
  for (const Finding* finding : group.same) add(*finding);
  std::string text;
  for (std::size_t i = 0; i < std::min(arrays.size(), kArraysListed); ++i) text += (i == 0 ? "" : ", ") + arrays[i];
  if (arrays.size() > kArraysListed) text += fmt::format(" and {} more", arrays.size() - kArraysListed);
  return text;
}

}  // namespace lanewise
