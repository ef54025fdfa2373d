// Puts lines and variables of the source where the runtime knew addresses and serial numbers.
#include "harness/runner/verdict/host_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/lab/text_lines.h"
#include "harness/runner/session/findings.h"
#include "harness/runner/verdict/allocated_variable.h"

namespace lanewise {
namespace {

class Locating {
 public:
  Locating(const HostSource& source, const HostLines& lines)
      : source_(source), lines_(lines), text_(lines_of(source.text)) {}

  SourcePlace place_of(const CodeSite& site) const {
    const auto found = site.object == source_.object ? lines_.find(site.offset) : lines_.end();
    return found != lines_.end() ? SourcePlace{source_.name, found->second} : SourcePlace{};
  }

  void locate(Finding& finding) const {
    if (finding.place.line == 0) finding.place = place_of(finding.site);
    std::map<std::string, int> times;  // a variable may have held several allocations
    for (const OwnAllocation& allocation : finding.allocations) ++times[variable_of(allocation)];
    for (const OwnAllocation& allocation : finding.allocations) {
      const SourcePlace place = place_of(allocation.site);
      std::string name = variable_of(allocation);
      if (name.empty())
        name = allocation.name;
      else if (times[name] > 1)
        name += allocation.name.substr(allocation.name.find('#'));
      const bool is_array = finding.array == allocation.name;
      rename_allocation(finding.array, allocation.name, name);
      rename_allocation(finding.sentence, allocation.name, name);
      if (is_array && place.line > 0 && place.line != finding.place.line)
        finding.sentence += fmt::format("; {} was allocated in line {}", name, place.line);
      if (is_array && place.line > 0 && finding.index >= 0 && finding.kind.rfind("out-of-bounds", 0) == 0)
        finding.advice += fmt::format(
            " If the index is right, line {} allocates too little: cudaMalloc counts in bytes.", place.line);
    }
    finding.allocations.clear();
  }

  void locate(CaseVerdict& verdict) const {
    verdict.place = place_of(verdict.crash_site);
    constexpr std::string_view kHostCode = "host code ";
    if (verdict.place.line > 0 && verdict.sentence.compare(0, kHostCode.size(), kHostCode) == 0)
      verdict.sentence.insert(kHostCode.size(), fmt::format("in line {} ", verdict.place.line));
    const OwnAllocation touched = std::exchange(verdict.touched, {});
    const SourcePlace made = place_of(touched.site);
    if (touched.name.empty() || made.line == 0) return;
    const std::string variable = variable_of(touched);
    if (!variable.empty()) rename_allocation(verdict.sentence, touched.name, variable);
    verdict.sentence += fmt::format("; {} was allocated in line {}", variable.empty() ? "it" : variable, made.line);
  }

 private:
  std::string variable_of(const OwnAllocation& allocation) const {
    const SourcePlace place = place_of(allocation.site);
    return place.line > 0 ? allocated_variable(text_, place.line) : "";
  }

  const HostSource& source_;
  const HostLines& lines_;
  std::vector<std::string> text_;
};

}  // namespace

std::set<std::uint64_t> host_offsets(const TaskVerdict& verdict, const HostSource& source) {
  std::set<std::uint64_t> offsets;
  const auto add = [&](const CodeSite& site) {
    if (site.object == source.object) offsets.insert(site.offset);
  };
  for (const Finding& finding : verdict.findings) {
    if (finding.place.line == 0) add(finding.site);
    for (const OwnAllocation& allocation : finding.allocations) add(allocation.site);
  }
  for (const CaseVerdict& each : verdict.cases) {
    add(each.crash_site);
    if (!each.touched.name.empty()) add(each.touched.site);
  }
  return offsets;
}

void locate_host_code(TaskVerdict& verdict, const HostSource& source, const HostLines& lines) {
  const Locating locating(source, lines);
  for (Finding& finding : verdict.findings) locating.locate(finding);
  std::vector<Finding> found = std::move(verdict.findings);
  verdict.findings.clear();
  merge_findings(verdict.findings, found);  // what differed in a serial number alone
  for (CaseVerdict& each : verdict.cases) locating.locate(each);
}

}  // namespace lanewise
