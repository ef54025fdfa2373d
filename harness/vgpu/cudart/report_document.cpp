#include "harness/vgpu/cudart/report_document.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/vgpu/machine/symbol_names.h"

namespace vgpu::cudart {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 2;

/// A template's name can be longer than everything else: it must not crowd the rest out.
std::string cut(const std::string& text) {
  constexpr std::size_t kLongestText = 2000;
  return text.substr(0, kLongestText);
}

Json triple(const Extent3& e) { return {e.x, e.y, e.z}; }

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json json_of(const LoadedObjects::Place& place) { return {{"object", cut(place.object)}, {"offset", place.offset}}; }

/// Those that a text speaks of: "allocation#3".
Json allocations_in(const std::string& text, const CallPlaces& places) {
  Json array = Json::array();
  std::set<std::string> seen;
  for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
    std::size_t begin = at, end = at + 1;
    while (begin > 0 && std::isalpha(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    const std::string name = text.substr(begin, end - begin);
    const auto found = places.of_allocations.find(name);
    if (found == places.of_allocations.end() || found->second.object.empty() || !seen.insert(name).second) continue;
    array.push_back(json_of(found->second));
    array.back()["name"] = name;
  }
  return array;
}

Json json_of(const std::vector<Finding>& findings, const CallPlaces& places) {
  Json array = Json::array();
  for (const Finding& f : findings) {
    array.push_back({{"tool", f.tool},
                     {"kind", cut(f.kind)},
                     {"kernel", cut(f.kernel)},
                     {"file", cut(f.file)},
                     {"line", f.line},
                     {"block", triple(f.block)},
                     {"thread", triple(f.thread)},
                     {"array", cut(f.array)},
                     {"index", f.index},
                     {"sentence", cut(f.sentence)},
                     {"advice", cut(f.advice)},
                     {"count", f.count}});
    if (f.severity != Severity::kError)
      array.back()["severity"] = f.severity == Severity::kWarning ? "warning" : "note";
    if (f.shared_element_bytes != 0) array.back()["shared_element_bytes"] = f.shared_element_bytes;
    const auto site = places.of_sites.find(f.site);
    if (site != places.of_sites.end() && !site->second.object.empty()) array.back()["site"] = json_of(site->second);
    if (Json allocations = allocations_in(f.array + " " + f.sentence, places); !allocations.empty())
      array.back()["allocations"] = std::move(allocations);
  }
  return array;
}

// --- the device ---

/// Zero where the profile does not say.
std::uint64_t attribute(const DeviceProfile& profile, const char* name) {
  const auto found = profile.attributes.find(name);
  return found == profile.attributes.end() || found->second < 0 ? 0 : static_cast<std::uint64_t>(found->second);
}

Json known_or_null(std::uint64_t value) { return value != 0 ? Json(value) : Json(nullptr); }

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

std::uint64_t per_second(double per_nanosecond) {
  constexpr double kNanoseconds = 1e9;
  return whole(per_nanosecond * kNanoseconds);
}

Json json_of(const DeviceProfile& profile, const std::string& name) {
  constexpr std::uint64_t kKilo = 1000, kBitsOfByte = 8;
  constexpr std::uint64_t kTransfersOfClock = 2;  // double data rate
  constexpr std::uint64_t kOperationsOfFma = 2;
  const std::uint64_t clock = attribute(profile, "ClockRate") * kKilo;
  const std::uint64_t memory_clock = attribute(profile, "MemoryClockRate") * kKilo;
  const std::uint64_t bus_bytes = attribute(profile, "GlobalMemoryBusWidth") / kBitsOfByte;
  return {{"name", profile.name},
          {"profile", name.find('\n') == std::string::npos ? name : profile.name},
          {"compute_capability", std::to_string(profile.compute_major) + "." + std::to_string(profile.compute_minor)},
          {"sm_count", profile.sm_count},
          {"warp_size", kLanes},
          {"max_warps_per_sm", profile.sm_max_threads / kLanes},
          {"l2_bytes", known_or_null(attribute(profile, "L2CacheSize"))},
          {"dram_bytes_per_second", known_or_null(memory_clock * kTransfersOfClock * bus_bytes)},
          {"reached_dram_bytes_per_second", per_second(profile.dram_bytes_per_nanosecond())},
          {"l2_bytes_per_second", per_second(profile.rates.l2_bytes_per_clock * profile.gigahertz())},
          {"fp32_flops_per_second", known_or_null(profile.sm_count * profile.fp32_fmas * kOperationsOfFma * clock)},
          {"fp64_flops_per_second", known_or_null(profile.sm_count * profile.fp64_fmas * kOperationsOfFma * clock)}};
}

// --- kernels ---

const char* name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::kThreads:
      return "warps";
    case OccupancyLimit::kBlocks:
      return "blocks";
    case OccupancyLimit::kRegisters:
      return "registers";
    case OccupancyLimit::kShared:
      return "shared memory";
    case OccupancyLimit::kNone:
      break;
  }
  return "none";
}

const char* name_of(ptx::Space space) {
  return space == ptx::Space::kShared ? "shared" : space == ptx::Space::kLocal ? "local" : "global";
}

const char* name_of(AccessKind kind) {
  return kind == AccessKind::kLoad ? "load" : kind == AccessKind::kStore ? "store" : "atomic";
}

/// Adds the counters that are not 0.
void put(Json& to, const Counts& counts) {
  for (const NamedCounter& counter : kNamedCounters)
    if (counts.*counter.value != 0) to[counter.name] = counts.*counter.value;
}

Json json_of(const AccessPattern& pattern) {
  Json addresses = Json::array();
  for (int lane = 0; lane < kLanes; ++lane)
    addresses.push_back((pattern.lanes >> lane & 1) != 0 ? Json(pattern.addresses[lane]) : Json(nullptr));
  const bool has_index = !pattern.array.empty();
  return {{"file", cut(pattern.file)},
          {"line", pattern.line},
          {"space", name_of(pattern.space)},
          {"kind", name_of(pattern.kind)},
          {"bytes", pattern.bytes},
          {"block", triple(pattern.block)},
          {"warp", pattern.warp},
          {"addresses", std::move(addresses)},
          {"array", cut(pattern.array)},
          {"first_index", has_index ? Json(pattern.first_index) : Json(nullptr)},
          {"sectors", pattern.sectors},
          {"ideal_sectors", pattern.ideal_sectors},
          {"wavefronts", pattern.wavefronts},
          {"ideal_wavefronts", pattern.ideal_wavefronts}};
}

Json json_of(const vgpu::Timeline& timeline) {
  if (!timeline.recorded) return nullptr;
  Json warps = Json::array();
  for (std::size_t w = 0; w < timeline.warps.size(); ++w) {
    Json spans = Json::array();
    for (const TimelineSpan& span : timeline.warps[w])
      spans.push_back({span.begin, span.end, span.active_lanes, span.line,
                       span.state == TimelineSpan::State::kRuns ? "run" : "barrier"});
    warps.push_back({{"warp", w}, {"spans", std::move(spans)}});
  }
  return {{"block", triple(timeline.block)}, {"truncated", timeline.truncated}, {"warps", std::move(warps)}};
}

/// The counter that says what each line has to do with it; null where none does.
Json counter_of(Bound bound, const Counts& totals) {
  const auto larger = [&](std::uint64_t Counts::*one, const char* its_name, std::uint64_t Counts::*other,
                          const char* other_name) { return totals.*one >= totals.*other ? its_name : other_name; };
  const char* const sectors = larger(&Counts::global_load_sectors, "global_load_sectors", &Counts::global_store_sectors,
                                     "global_store_sectors");
  switch (bound) {
    case Bound::kIssue:
    case Bound::kArithmetic:
    case Bound::kMatch:
      return "executions";
    case Bound::kShared:
      return larger(&Counts::shared_load_wavefronts, "shared_load_wavefronts", &Counts::shared_store_wavefronts,
                    "shared_store_wavefronts");
    case Bound::kSharedAtomics:
      return "shared_atomic_depth";
    case Bound::kL1:
    case Bound::kL2:
    case Bound::kDram:
    case Bound::kHost:
      return sectors;
    case Bound::kAtomics:
      return "global_atomic_sectors";
    case Bound::kLatency:
      return totals.barriers > totals.global_load_requests ? "barriers" : "global_load_requests";
    case Bound::kLaunch:
      break;
  }
  return nullptr;
}

Json json_of(const KernelTime& time, const Counts& totals) {
  constexpr const char* kParts[kBounds] = {"launch", "latency", "issue", "arithmetic", "shared", "shared_atomics",
                                           "l1",     "l2",      "dram",  "atomics",    "match",  "host"};
  const auto bounded = [&](double nanoseconds, Bound bound) -> Json {
    return {{"nanoseconds", whole(nanoseconds)},
            {"bound_by", name_of(bound)},
            {"bound_counter", counter_of(bound, totals)}};
  };
  Json parts = Json::object();
  for (std::size_t n = 0; n < kBounds; ++n)
    if (const std::uint64_t nanoseconds = whole(time.parts[n]); nanoseconds != 0) parts[kParts[n]] = nanoseconds;
  Json json = bounded(time.nanoseconds, time.bound());
  json["at_scale"] = bounded(time.at_scale, time.bound_at_scale());
  json["parts"] = std::move(parts);
  return json;
}

Json json_of(const ModelledTotal& modelled, double TimeSpan::*clock) {
  const auto busy = [&](Busy kind) { return whole(modelled.busy[static_cast<std::size_t>(kind)].*clock); };
  return {{"nanoseconds", whole(modelled.time.*clock)},
          {"kernels", busy(Busy::kKernel)},
          {"fills", busy(Busy::kFill)},
          {"copies_within", busy(Busy::kCopyWithin)},
          {"copies_in", busy(Busy::kCopyIn)},
          {"copies_out", busy(Busy::kCopyOut)},
          {"launching", busy(Busy::kLaunching)},
          {"allocating", busy(Busy::kAllocating)},
          {"pinning", busy(Busy::kPinning)}};
}

Json json_of(const ModelledTotal& modelled) {
  Json json = json_of(modelled, &TimeSpan::nanoseconds);
  json["at_scale"] = json_of(modelled, &TimeSpan::at_scale);
  json["scale"] = whole(kScale);
  json["serial"] = whole(modelled.time.serial);
  json["serial_kernels"] = whole(modelled.busy[static_cast<std::size_t>(Busy::kKernel)].serial);
  json["longest_serial_kernel"] = whole(modelled.longest_serial_kernel);
  json["host_requests"] = modelled.host_requests;
  json["host_waits"] = modelled.host_waits;
  json["device_span"] = whole(modelled.device_span);
  json["host_bytes"] = modelled.host_bytes;
  json["copied_sectors"] = modelled.copied_sectors;
  return json;
}

const char* name_of(Busy kind) {
  constexpr const char* kNames[] = {"kernel", "fill",       "copy within", "copy in", "copy out",
                                    "launch", "allocation", "pinning",     "wait"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Every nanosecond of the total is in one of these: what goes on at the same time as something before it is not told
/// again.
Json shares_of(const Report& report) {
  constexpr const char* kNames[kShares] = {"kernels", "copies", "fills", "allocating", "requesting"};
  const double total = report.modelled.time.nanoseconds;
  Json shares = Json::object();
  Spans so_far;
  std::uint64_t told = 0;
  for (std::size_t n = 0; n < kShares; ++n) {
    for (const ActivitiesOfDevice& each : report.activities) so_far.add(each.activities->spans(Share(n)));
    const std::uint64_t with_this = whole(std::min(so_far.length(), total));
    shares[kNames[n]] = with_this - told;
    told = with_this;
  }
  shares["idle"] = whole(total) - told;
  return shares;
}

Json json_of(const ActivitiesOfDevice& of_device, double time_began) {
  Json list = Json::array();
  for (const Activity& activity : of_device.activities->listed())
    list.push_back({{"kind", name_of(activity.kind)},
                    {"device", of_device.device},
                    {"stream", activity.stream == 0 ? Json(nullptr) : Json(activity.stream - 1)},
                    {"begin", whole(std::max(activity.begin - time_began, 0.0))},
                    {"end", whole(std::max(activity.end - time_began, 0.0))},
                    {"name", cut(activity.what.name)},
                    {"bytes", activity.what.bytes}});
  return list;
}

Json json_of(const KernelCounts& kernel, const LaunchResources* resources, std::uint32_t max_warps) {
  Json occupancy = nullptr;
  if (resources != nullptr)
    occupancy = {{"blocks_per_sm", resources->occupancy.blocks_per_sm},
                 {"warps_per_sm", resources->occupancy.blocks_per_sm * resources->warps},
                 {"max_warps_per_sm", max_warps},
                 {"limiter", name_of(resources->occupancy.limit)}};
  Json totals = Json::object();
  put(totals, kernel.totals);
  Json lines = Json::array();
  for (const LineCounts& line : kernel.lines) {
    Json one = {{"file", cut(line.file)}, {"line", line.line}};
    put(one, line.counts);
    lines.push_back(std::move(one));
  }
  Json patterns = Json::array();
  for (const AccessPattern& pattern : kernel.patterns) patterns.push_back(json_of(pattern));
  return {{"name", cut(readable_function_name(kernel.mangled_name))},
          {"launches", kernel.launches},
          {"grid", triple(kernel.grid)},
          {"block", triple(kernel.block)},
          {"registers", resources != nullptr ? Json(resources->registers) : Json(nullptr)},
          {"static_shared_bytes", kernel.static_shared_bytes},
          {"dynamic_shared_bytes", kernel.dynamic_shared_bytes},
          {"occupancy", std::move(occupancy)},
          {"totals", std::move(totals)},
          {"memory",
           {{"l2_read_sectors", kernel.traffic.l2_read_sectors},
            {"l2_write_sectors", kernel.traffic.l2_write_sectors},
            {"l2_hits", kernel.traffic.l2_hits},
            {"dram_read_bytes", kernel.traffic.dram_read_bytes},
            {"dram_write_bytes", kernel.traffic.dram_write_bytes}}},
          {"modelled", json_of(kernel.time, kernel.totals)},
          {"operations",
           {{"fp16", kernel.operations.fp16}, {"fp32", kernel.operations.fp32}, {"fp64", kernel.operations.fp64}}},
          {"lines", std::move(lines)},
          {"patterns", std::move(patterns)},
          {"timeline", json_of(kernel.timeline)}};
}

}  // namespace

std::string findings_as_json(const std::vector<Finding>& findings, const CallPlaces& places) {
  return dump(json_of(findings, places));
}

std::string report_as_json(const Report& report) {
  Json document = {{"schema", "lanewise-vgpu-report"}, {"version", kVersion}};
  document["device"] = report.profile != nullptr ? json_of(*report.profile, report.profile_name) : Json(nullptr);
  document["findings"] = json_of(report.findings, report.places);
  if (!report.notes.empty()) document["notes"] = json_of(report.notes, report.places);
  if (!report.unchecked.empty()) {
    Json unchecked = Json::array();
    for (const std::string& sentence : report.unchecked) unchecked.push_back(cut(sentence));
    document["unchecked"] = std::move(unchecked);
  }
  if (report.counted) {
    document["modelled"] = json_of(report.modelled);
    if (!report.activities.empty()) {
      document["modelled"]["shares"] = shares_of(report);
      Json activities = Json::array();
      std::uint64_t left_out = 0;
      for (const ActivitiesOfDevice& each : report.activities) {
        for (Json& activity : json_of(each, report.time_began)) activities.push_back(std::move(activity));
        left_out += each.activities->left_out();
      }
      document["activities"] = std::move(activities);
      document["activities_left_out"] = left_out;
    }
    const std::uint32_t max_warps = report.profile != nullptr ? report.profile->sm_max_threads / kLanes : 0;
    Json kernels = Json::array();
    for (const KernelCounts& kernel : report.kernels) {
      const auto found = report.resources->find(kernel.mangled_name);
      kernels.push_back(json_of(kernel, found != report.resources->end() ? &found->second : nullptr, max_warps));
    }
    document["kernels"] = std::move(kernels);
    std::string arrays;
    for (const KernelCounts& kernel : report.kernels)
      for (const AccessPattern& pattern : kernel.patterns) arrays += pattern.array + " ";
    if (Json allocations = allocations_in(arrays, report.places); !allocations.empty())
      document["allocations"] = std::move(allocations);
  }
  return dump(document);
}

}  // namespace vgpu::cudart
