#include "harness/vgpu/fidelity/counters_document.h"

#include <nlohmann/json.hpp>

namespace vgpu::fidelity {
namespace {

using nlohmann::json;

void add_numbers(const json& object, std::map<std::string, double>& to) {
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.items())
    if (value.is_number()) to[name] = value.get<double>();
}

CountedKernel kernel_of(const json& object) {
  CountedKernel kernel;
  kernel.name = object.at("name").get<std::string>();
  kernel.launches = object.at("launches").get<double>();
  add_numbers(object.at("totals"), kernel.counts);
  if (const auto memory = object.find("memory"); memory != object.end()) add_numbers(*memory, kernel.counts);
  if (const auto occupancy = object.find("occupancy"); occupancy != object.end() && occupancy->is_object())
    kernel.blocks_per_sm = occupancy->at("blocks_per_sm").get<double>();
  return kernel;
}

}  // namespace

std::variant<CountersDocument, std::string> read_counters(const std::string& text) {
  try {
    const json document = json::parse(text);
    if (!document.is_object() || document.value("schema", "") != "lanewise-vgpu-report")
      return std::string("it is not a report of the virtual GPU");
    CountersDocument counters;
    counters.l2_bytes = document.at("device").at("l2_bytes").get<double>();
    if (const auto kernels = document.find("kernels"); kernels != document.end())
      for (const json& kernel : *kernels) counters.kernels.push_back(kernel_of(kernel));
    return counters;
  } catch (const json::exception& error) {
    return std::string(error.what());
  }
}

}  // namespace vgpu::fidelity
