// JSON to CounterSums: every number of a kernel's totals, traffic and operations, by its own name.
#include "harness/runner/counter_report.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace lanewise {
namespace {

using Json = nlohmann::json;

std::uint64_t number(const Json& object, const char* key) {
  if (!object.is_object()) return 0;
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

// Of several kernels, the largest counts: "global_atomic_max_depth".
bool is_maximum(const std::string& name) { return name.find("_max_") != std::string::npos; }

void add_numbers(const Json& object, CounterSums& sums) {
  for (const auto& [name, value] : object.items()) {
    if (!value.is_number_unsigned()) continue;
    std::uint64_t& sum = sums[name];
    sum = is_maximum(name) ? std::max(sum, value.get<std::uint64_t>()) : sum + value.get<std::uint64_t>();
  }
}

void add_all(const Json& kernel, const char* group, CounterSums& sums) {
  const auto found = kernel.find(group);
  if (found != kernel.end() && found->is_object()) add_numbers(*found, sums);
}

void add_lines(const Json& kernel, std::map<std::pair<std::string, int>, CounterSums>& lines) {
  const auto found = kernel.find("lines");
  if (found == kernel.end() || !found->is_array()) return;
  for (const Json& line : *found) {
    if (!line.is_object()) continue;
    const auto file = line.find("file");
    const std::uint64_t at = std::min<std::uint64_t>(number(line, "line"), 1 << 24);
    if (at == 0 || file == line.end() || !file->is_string()) continue;
    const std::string name = std::filesystem::path(file->get_ref<const std::string&>()).filename().string();
    CounterSums& sums = lines[{name, static_cast<int>(at)}];
    add_numbers(line, sums);
    sums.erase("line");
  }
}

// What a kernel takes of a multiprocessor: that of the one which executed most.
void take_resources(const Json& kernel, CounterSums& sums) {
  sums["registers"] = number(kernel, "registers");
  sums["shared_bytes"] = number(kernel, "static_shared_bytes") + number(kernel, "dynamic_shared_bytes");
  const auto occupancy = kernel.find("occupancy");
  for (const char* key : {"warps_per_sm", "max_warps_per_sm"})
    sums[key] = occupancy != kernel.end() ? number(*occupancy, key) : 0;
}

}  // namespace

Expected<CounterReport> read_counters(std::string_view json) {
  const Json document = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || document.value("schema", Json()) != "lanewise-vgpu-report")
    return Failure{"the virtual GPU's report cannot be read"};
  const auto kernels = document.find("kernels");
  if (kernels == document.end() || !kernels->is_array()) return Failure{"the virtual GPU's report has no counters"};
  CounterSums sums;
  std::map<std::pair<std::string, int>, CounterSums> lines;
  std::uint64_t most = 0;
  for (const Json& kernel : *kernels) {
    if (!kernel.is_object()) continue;
    for (const char* group : {"totals", "memory", "operations"}) add_all(kernel, group, sums);
    sums["launches"] += number(kernel, "launches");
    add_lines(kernel, lines);
    const auto totals = kernel.find("totals");
    const std::uint64_t executions = totals != kernel.end() ? number(*totals, "executions") : 0;
    if (executions < most) continue;
    most = executions;
    take_resources(kernel, sums);
  }
  CounterReport report;
  report.sums = std::move(sums);
  for (auto& [place, cost] : lines) report.lines.push_back({place.first, place.second, std::move(cost)});
  return report;
}

}  // namespace lanewise
