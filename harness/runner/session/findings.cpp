// JSON to Finding, field by field.
#include "harness/runner/session/findings.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

namespace lanewise {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostFindings = 100;  // but for the first of each checker
constexpr std::size_t kMostOfAReport = 300;
constexpr std::size_t kLongestText = 2000;
constexpr std::int64_t kLargestElement = 16;
constexpr std::size_t kMostAllocations = 8;  // that one finding speaks of

std::string kept_text(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return "";
  return found->get_ref<const std::string&>().substr(0, kLongestText);
}

std::int64_t integer(const Json& object, const char* key, std::int64_t otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : otherwise;
}

std::array<std::uint32_t, 3> triple(const Json& object, const char* key) {
  std::array<std::uint32_t, 3> values{};
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return values;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, found->size()); ++i)
    if ((*found)[i].is_number_unsigned()) values[i] = (*found)[i].get<std::uint32_t>();
  return values;
}

CodeSite site_in(const Json& object) {
  CodeSite site;
  site.object = std::filesystem::path(kept_text(object, "object")).filename().string();
  site.offset = static_cast<std::uint64_t>(integer(object, "offset", 0));
  return site;
}

std::vector<OwnAllocation> allocations_in(const Json& object) {
  std::vector<OwnAllocation> allocations;
  const auto found = object.find("allocations");
  if (found == object.end() || !found->is_array()) return allocations;
  for (const Json& each : *found) {
    if (allocations.size() == kMostAllocations || !each.is_object()) break;
    OwnAllocation allocation{kept_text(each, "name"), site_in(each)};
    if (allocation.name.find('#') != std::string::npos) allocations.push_back(std::move(allocation));
  }
  return allocations;
}

bool operator==(const CodeSite& a, const CodeSite& b) { return a.object == b.object && a.offset == b.offset; }

// Where a finding's array was allocated, if the submission did that.
CodeSite array_site(const Finding& finding) {
  const auto found = std::find_if(finding.allocations.begin(), finding.allocations.end(),
                                  [&](const OwnAllocation& each) { return each.name == finding.array; });
  return found != finding.allocations.end() ? found->site : CodeSite{};
}

// Serial numbers of allocations say nothing from one case to the next.
bool is_same_array(const Finding& a, const Finding& b) {
  const CodeSite site = array_site(a);
  return site == array_site(b) && (!site.object.empty() || a.array == b.array);
}

bool is_same(const Finding& a, const Finding& b) {
  return a.tool == b.tool && a.kind == b.kind && a.place.file == b.place.file && a.place.line == b.place.line &&
         a.site == b.site && is_same_array(a, b);
}

}  // namespace

std::vector<Finding> parse_findings(std::string_view json, const std::string& case_name) {
  std::vector<Finding> findings;
  const Json parsed = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  const auto inside = parsed.is_object() ? parsed.find("findings") : parsed.end();
  const Json& array = inside != parsed.end() ? *inside : parsed;
  if (!array.is_array()) return findings;
  for (const Json& object : array) {
    if (findings.size() == kMostOfAReport) break;
    if (!object.is_object()) continue;
    Finding finding;
    finding.tool = kept_text(object, "tool");
    finding.kind = kept_text(object, "kind");
    if (finding.tool.empty() || finding.kind.empty()) continue;
    finding.kernel = kept_text(object, "kernel");
    finding.place.file = std::filesystem::path(kept_text(object, "file")).filename().string();
    finding.place.line = static_cast<int>(std::clamp<std::int64_t>(integer(object, "line", 0), 0, 1 << 24));
    finding.block = triple(object, "block");
    finding.thread = triple(object, "thread");
    finding.array = kept_text(object, "array");
    finding.index = integer(object, "index", 0);
    finding.sentence = kept_text(object, "sentence");
    finding.advice = kept_text(object, "advice");
    finding.count = std::max<std::int64_t>(1, integer(object, "count", 1));
    finding.case_name = case_name;
    if (const auto site = object.find("site"); site != object.end() && site->is_object()) finding.site = site_in(*site);
    finding.allocations = allocations_in(object);
    finding.shared_element_bytes = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(integer(object, "shared_element_bytes", 0), 0, kLargestElement));
    findings.push_back(std::move(finding));
  }
  return findings;
}

Finding findings_that_do_not_fit(const std::string& case_name) {
  Finding finding;
  finding.tool = "runtime";
  finding.kind = "too many findings";
  finding.sentence = "the checkers found more in this case than fits into a report";
  finding.advice = "Look at the smaller cases first: their mistakes most likely occur here too.";
  finding.case_name = case_name;
  return finding;
}

void rename_source(std::vector<Finding>& findings, const std::string& compiled_as, const std::string& own_name) {
  for (Finding& finding : findings)
    if (finding.place.file == compiled_as) finding.place.file = own_name;
}

void merge_findings(std::vector<Finding>& all, const std::vector<Finding>& more) {
  for (const Finding& finding : more) {
    const auto known =
        std::find_if(all.begin(), all.end(), [&finding](const Finding& other) { return is_same(finding, other); });
    if (known != all.end())
      known->count += finding.count;
    else if (all.size() < kMostFindings || std::none_of(all.begin(), all.end(), [&finding](const Finding& other) {
               return other.tool == finding.tool;
             }))
      all.push_back(finding);
  }
}

void add_other_places(std::vector<Finding>& all, const std::vector<Finding>& more) {
  const auto is_of_known_place = [&all](const Finding& finding) {
    return std::any_of(all.begin(), all.end(), [&finding](const Finding& other) {
      return other.tool == finding.tool && other.kind == finding.kind && other.place.file == finding.place.file &&
             other.place.line == finding.place.line;
    });
  };
  std::vector<Finding> others;
  std::remove_copy_if(more.begin(), more.end(), std::back_inserter(others), is_of_known_place);
  merge_findings(all, others);
}

}  // namespace lanewise
