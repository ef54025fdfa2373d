// JSON to CounterSums: every number of a kernel's totals, traffic and operations, by its own name.
#include "harness/runner/session/counter_report.h"

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

std::string text(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json& member(const Json& object, const char* key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found != object.end() ? *found : kNothing;
}

// What takes longest of all: a kernel, with what that waits for, or something that is none. `clock`: of an object
// "modelled", the part that is meant.
template <class Clock>
ModelledSpan modelled_span(const Json& document, const Json& kernels, const Clock& clock) {
  ModelledSpan time;
  const Json& total = clock(member(document, "modelled"));
  time.nanoseconds = static_cast<double>(number(total, "nanoseconds"));
  std::uint64_t longest = 0;
  for (const Json& kernel : kernels) {
    const Json& modelled = clock(member(kernel, "modelled"));
    if (number(modelled, "nanoseconds") <= longest) continue;
    longest = number(modelled, "nanoseconds");
    time.bound_by = text(modelled, "bound_by");
    time.bound_counter = text(modelled, "bound_counter");
  }
  const std::uint64_t all_kernels = number(total, "kernels"), all = number(total, "nanoseconds");
  std::uint64_t on_device = number(total, "pinning");
  for (const char* kind : {"kernels", "fills", "copies_within", "copies_in", "copies_out"})
    on_device += number(total, kind);
  const std::pair<std::uint64_t, const char*> others[] = {
      {number(total, "copies_in") + number(total, "copies_out"), "copies between host and device"},
      {number(total, "copies_within"), "copies within the device"},
      {number(total, "fills"), "memsets"},
      {number(total, "pinning"), "pinning host memory"},
      // All the time in which the device has nothing to do.
      {all > on_device ? all - on_device : 0, "launches and allocations"}};
  std::uint64_t most = all_kernels;
  for (const auto& [nanoseconds, words] : others) {
    if (nanoseconds <= most) continue;
    most = nanoseconds;
    time.bound_by = words;
    time.bound_counter.clear();
  }
  return time;
}

ModelledTime modelled_time(const Json& document, const Json& kernels) {
  ModelledTime time;
  time.call = modelled_span(document, kernels, [](const Json& modelled) -> const Json& { return modelled; });
  time.at_scale = modelled_span(document, kernels,
                                [](const Json& modelled) -> const Json& { return member(modelled, "at_scale"); });
  time.scale = static_cast<double>(number(member(document, "modelled"), "scale"));
  time.serial = static_cast<double>(number(member(document, "modelled"), "serial"));
  time.serial_kernels = static_cast<double>(number(member(document, "modelled"), "serial_kernels"));
  time.longest_serial_kernel = static_cast<double>(number(member(document, "modelled"), "longest_serial_kernel"));
  const Json& device = member(document, "device");
  time.device = text(device, "name");
  time.bytes_per_second = static_cast<double>(number(device, "reached_dram_bytes_per_second"));
  time.flops_per_second = static_cast<double>(number(device, "fp32_flops_per_second"));
  return time;
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
  if (!kernels->empty()) {
    const Json& modelled = member(document, "modelled");
    sums["modelled_nanoseconds"] = number(modelled, "nanoseconds");
    for (const char* name : {"host_requests", "host_waits", "device_span", "copied_sectors"})
      sums[name] = number(modelled, name);
  }
  report.sums = std::move(sums);
  report.modelled = modelled_time(document, *kernels);
  report.host_bytes = number(member(document, "modelled"), "host_bytes");
  for (auto& [place, cost] : lines) report.lines.push_back({place.first, place.second, std::move(cost)});
  return report;
}

}  // namespace lanewise
