// JSON to CounterSums: every number of a kernel's totals, traffic and operations, by its own name.
#include "harness/runner/counter_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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

void add_all(const Json& kernel, const char* group, CounterSums& sums) {
  const auto found = kernel.find(group);
  if (found == kernel.end() || !found->is_object()) return;
  for (const auto& [name, value] : found->items()) {
    if (!value.is_number_unsigned()) continue;
    std::uint64_t& sum = sums[name];
    sum = is_maximum(name) ? std::max(sum, value.get<std::uint64_t>()) : sum + value.get<std::uint64_t>();
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

Expected<CounterSums> read_counters(std::string_view json) {
  const Json document = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || document.value("schema", Json()) != "lanewise-vgpu-report")
    return Failure{"the virtual GPU's report cannot be read"};
  const auto kernels = document.find("kernels");
  if (kernels == document.end() || !kernels->is_array()) return Failure{"the virtual GPU's report has no counters"};
  CounterSums sums;
  std::uint64_t most = 0;
  for (const Json& kernel : *kernels) {
    if (!kernel.is_object()) continue;
    for (const char* group : {"totals", "memory", "operations"}) add_all(kernel, group, sums);
    sums["launches"] += number(kernel, "launches");
    const auto totals = kernel.find("totals");
    const std::uint64_t executions = totals != kernel.end() ? number(*totals, "executions") : 0;
    if (executions < most) continue;
    most = executions;
    take_resources(kernel, sums);
  }
  return sums;
}

}  // namespace lanewise
