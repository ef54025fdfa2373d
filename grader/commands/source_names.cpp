#include "grader/commands/source_names.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "harness/lab/read_file.h"
#include "harness/lab/text_lines.h"
#include "harness/runner/verdict/allocated_variable.h"
#include "harness/toolchain/addr2line.h"
#include "harness/toolchain/compiler.h"

namespace lanewise {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kLargestSource = 16 << 20;

/// A call in host code, as the report has it.
using Site = std::pair<std::string, std::uint64_t>;

Site site_in(const Json& object) { return {object.value("object", ""), object.value("offset", std::uint64_t{0})}; }

class SourceNames {
 public:
  SourceNames(const Json& report, const Installation& installation) {
    std::map<std::string, std::set<std::uint64_t>> wanted;
    const auto want = [&wanted](const Json& object) {
      const auto [file, offset] = site_in(object);
      if (!file.empty()) wanted[file].insert(offset);
    };
    const auto want_allocations = [&want](const Json& object) {
      for (const Json& allocation : object.value("allocations", Json::array())) want(allocation);
    };
    want_allocations(report);
    for (const char* const list : {"findings", "notes"})
      for (const Json& finding : report.value(list, Json::array())) {
        if (finding.contains("site")) want(finding["site"]);
        want_allocations(finding);
      }
    for (const auto& [file, offsets] : wanted) {
      const auto answer = ask_compiler(addr2line_command(installation, file, offsets));
      for (auto& [offset, places] : read_addr2line(answer ? *answer : "")) {
        // Those further out are where an inlined function of the toolkit's or the system's was called.
        const auto own = std::find_if(places.begin(), places.end(), [](const AddressPlace& place) {
          return place.file.string().rfind("/usr/", 0) != 0 && place.file.filename() != "runtime_templates.h";
        });
        if (own != places.end()) places_[{file, offset}] = *own;
      }
    }
  }

  bool empty() const { return places_.empty(); }

  const AddressPlace* place_of(const Json& site) const {
    const auto found = places_.find(site_in(site));
    return found != places_.end() ? &found->second : nullptr;
  }

  /// "d_a" for "allocation#3"; the same again if it is not known.
  std::string name_of(const Json& allocation) {
    std::string name = allocation.value("name", "");
    const AddressPlace* const place = place_of(allocation);
    if (place == nullptr) return name;
    const auto [lines, is_new] = sources_.try_emplace(place->file.string());
    if (is_new)
      if (const auto text = read_file(place->file, kLargestSource)) lines->second = lines_of(*text);
    const std::string variable = allocated_variable(lines->second, place->line);
    return variable.empty() ? name : variable;
  }

 private:
  std::map<Site, AddressPlace> places_;
  std::map<std::string, std::vector<std::string>> sources_;  ///< by path
};

void rename_in(Json& object, const char* key, const std::string& name, const std::string& by) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return;
  std::string text = found->get<std::string>();
  rename_allocation(text, name, by);
  *found = text;
}

/// Of one finding, or one note.
void put_source_names(Json& finding, SourceNames& names) {
  if (const auto site = finding.find("site"); site != finding.end() && finding.value("line", 0) == 0)
    if (const AddressPlace* const place = names.place_of(*site)) {
      finding["file"] = place->file.string();
      finding["line"] = place->line;
    }
  for (const Json& allocation : finding.value("allocations", Json::array()))
    for (const char* key : {"array", "sentence"})
      rename_in(finding, key, allocation.value("name", ""), names.name_of(allocation));
}

}  // namespace

std::string with_source_names(std::string report, const Installation& installation) {
  Json document = Json::parse(report, nullptr, false);
  if (!document.is_object()) return report;
  SourceNames names(document, installation);
  if (names.empty()) return report;
  for (const char* const list : {"findings", "notes"})
    if (const auto found = document.find(list); found != document.end())
      for (Json& finding : *found) put_source_names(finding, names);
  const Json allocations = document.value("allocations", Json::array());
  if (const auto kernels = document.find("kernels"); kernels != document.end())
    for (Json& kernel : *kernels)
      for (Json& pattern : kernel["patterns"])
        for (const Json& allocation : allocations)
          rename_in(pattern, "array", allocation.value("name", ""), names.name_of(allocation));
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lanewise
