// What the runtime has to say at the end: findings of its own, and the report.
#include <algorithm>
#include <fstream>
#include <utility>
#include <variant>

#include "harness/vgpu/cudart/leaks.h"
#include "harness/vgpu/cudart/runtime.h"
#include "harness/vgpu/machine/number_text.h"
#include "harness/vgpu/monitor/array_names.h"

namespace vgpu::cudart {
namespace {

std::string in_one_line(const Finding& f) {
  const std::string place =
      f.line != 0 ? f.file.substr(f.file.rfind('/') + 1) + ":" + std::to_string(f.line) + ": " : "";
  const char* const severity = f.severity == Severity::kNote      ? "note: "
                               : f.severity == Severity::kWarning ? "warning: "
                                                                  : "";
  return severity + place + f.kind + ": " + f.sentence + (f.count > 1 ? " (" + with_commas(f.count) + " times)" : "") +
         (f.advice.empty() ? "" : ". " + f.advice);
}

/// Between two reports a program runs so many times as long as writing one takes.
constexpr int kTimesAsLong = 20;

}  // namespace

bool Runtime::note(const std::string& kind, const std::string& sentence, const std::string& advice,
                   const std::string& kernel, const std::string& file, std::uint32_t line) {
  const std::uint64_t site = this_thread().site;
  if (!findings.is_new(kind, file, line, sentence + std::to_string(site), 1)) return false;
  Finding finding;
  finding.tool = "runtime";
  finding.kind = kind;
  finding.kernel = kernel;
  finding.file = file;
  finding.line = line;
  finding.sentence = sentence;
  finding.advice = advice;
  finding.site = site;
  findings.add(std::move(finding));
  return true;
}

void Runtime::report_leaks() {
  for (DeviceState* const device : devices.all_made()) {
    const std::uint32_t reported_before = device->leaks_reported_up_to;
    for (const auto& [address, allocation] : device->memory->allocations()) {
      device->leaks_reported_up_to = std::max(device->leaks_reported_up_to, allocation.serial);
      const bool by_program = allocation.kind == MemoryKind::kDevice || is_host_visible(allocation.kind);
      if (allocation.freed || is_of_another_process(allocation) || !by_program || !allocation.name.empty() ||
          allocation.serial <= reported_before)
        continue;
      const std::string bytes = with_commas(allocation.bytes) + " bytes";
      const bool is_located = allocation.site != 0;
      if (!findings.is_new("leak", "", 0, is_located ? std::to_string(allocation.site) : bytes, 1)) continue;
      Finding finding;
      finding.tool = "memcheck";
      finding.kind = "leak";
      if (is_located) finding.array = name_of(allocation);
      finding.site = allocation.site;
      finding.sentence = is_located ? finding.array + ", " + bytes + " of device memory, was never freed"
                                    : "device memory of " + bytes + " was allocated and never freed";
      finding.advice = "Every cudaMalloc needs a cudaFree, on every path out of the function.";
      findings.add(std::move(finding));
    }
  }
}

std::vector<Finding> Runtime::found() const {
  std::vector<Finding> all = findings.all();
  for (Finding& finding : host_copies.findings()) all.push_back(std::move(finding));
  return all;
}

void Runtime::forget_found() {
  findings.clear();
  host_copies.clear();
}

std::vector<Finding> Runtime::noted() const {
  std::vector<Finding> all = host_copies.notes();
  all.insert(all.end(), left_at_resets_.begin(), left_at_resets_.end());
  if (!ended_as_meant_ || !looks_for_leaks_) return all;
  for (const DeviceState* const device : devices.all_made())
    for (Finding& leak : leaks_on(*device)) all.push_back(std::move(leak));
  for (Finding& left : handles_left()) all.push_back(std::move(left));
  return all;
}

std::vector<Finding> Runtime::handles_left() const {
  std::size_t streams = 0, textures = 0, surfaces = 0;
  for (const DeviceState* const device : devices.all_made()) {
    if (device->sticky != cudaSuccess) return {};
    streams += device->timeline.created();
    textures += device->images.textures.size();
    surfaces += device->images.surfaces.size();
  }
  streams -= std::min(streams, thread_streams_.size());
  const auto own_pools = static_cast<std::size_t>(std::count_if(pools.begin(), pools.end(), [](const auto& pool) {
    return !pool.second->is_default && !pool.second->destroyed;
  }));
  const std::pair<std::size_t, const char*> kinds[] = {
      {streams, "stream"},          {events.size(), "event"},
      {graphs.size(), "graph"},     {executable_graphs.size(), "executable graph"},
      {textures, "texture object"}, {surfaces, "surface object"},
      {own_pools, "memory pool"}};
  std::vector<std::string> parts;
  std::size_t all = 0;
  for (const auto& [count, name] : kinds) {
    all += count;
    if (count != 0) parts.push_back(with_commas(count) + " " + name + (count == 1 ? "" : "s"));
  }
  if (all == 0) return {};
  std::string list = parts[0];
  for (std::size_t n = 1; n < parts.size(); ++n) list += (n + 1 < parts.size() ? ", " : " and ") + parts[n];
  Finding note;
  note.tool = "memcheck";
  note.kind = "not destroyed";
  note.sentence = list + (all == 1 ? " was" : " were") + " never destroyed";
  note.count = all;
  return {note};
}

CallPlaces Runtime::call_places() const {
  CallPlaces places;
  for (const std::vector<Finding>& list : {found(), noted()})
    for (const Finding& finding : list) {
      if (finding.site == 0) continue;
      places.of_sites[finding.site] = loaded_objects.place_of(finding.site);
      // The memory itself may be gone with its device.
      if (finding.kind == "leak") places.of_allocations[finding.array] = places.of_sites[finding.site];
    }
  for (const DeviceState* const device : devices.all_made())
    for (const auto& [address, allocation] : device->memory->allocations())
      if (allocation.site != 0 && allocation.name.empty())
        places.of_allocations[name_of(allocation)] = loaded_objects.place_of(allocation.site);
  return places;
}

ModelledTotal Runtime::modelled_so_far() const {
  ModelledTotal total;
  for (const auto& [number, timeline] : devices.timelines()) {
    total.time = later(total.time, timeline->latest());
    for (std::size_t kind = 0; kind < kBusyKinds; ++kind) total.busy[kind] += timeline->busy()[kind];
    total.longest_serial_kernel = std::max(total.longest_serial_kernel, timeline->longest_serial_kernel());
    total.host_requests += timeline->host_requests();
    total.host_waits += timeline->host_waits();
    total.host_bytes += timeline->bytes_passed();
    total.copied_sectors += timeline->copied_sectors();
  }
  return total;
}

ModelledTotal Runtime::modelled() const {
  ModelledTotal total = modelled_so_far();
  total.time -= modelled_before_.time;
  for (std::size_t kind = 0; kind < kBusyKinds; ++kind) total.busy[kind] -= modelled_before_.busy[kind];
  total.host_requests -= modelled_before_.host_requests;
  total.host_waits -= modelled_before_.host_waits;
  Spans working;  // since counting began: activities of before are forgotten then
  for (const auto& [number, timeline] : devices.timelines())
    for (const Share share : {Share::kKernels, Share::kCopies, Share::kFills})
      working.add(timeline->activities().spans(share));
  total.device_span = working.length();
  total.host_bytes -= modelled_before_.host_bytes;
  total.copied_sectors -= modelled_before_.copied_sectors;
  // Memory that both can reach may have been there before, and little of it may have passed much.
  std::uint64_t shared = devices.program_bytes_shared();
  for (const DeviceState* const device : devices.all_made()) shared += device->memory->bytes_shared_with_host();
  total.host_bytes += std::max(shared, counters_.host_bytes());
  return total;
}

void Runtime::write_report(bool last) {
  if (options.report_path.empty()) return;
  const auto now = std::chrono::steady_clock::now();
  const std::size_t so_far = findings.all().size() + host_copies.size();
  const bool is_new = findings_reported_ != so_far;
  if (!last && !is_new && now < next_report_) return;
  findings_reported_ = so_far;

  Report report;
  std::variant<DeviceProfile, std::string> loaded;
  const std::vector<DeviceState*> made = devices.all_made();
  if (!made.empty())
    report.profile = &made[0]->profile;
  else if (loaded = load_profile(options.profile); std::holds_alternative<DeviceProfile>(loaded))
    report.profile = &std::get<DeviceProfile>(loaded);
  report.profile_name = options.profile;
  report.findings = found();
  report.notes = noted();
  report.places = call_places();
  report.unchecked = racecheck_.unchecked();
  report.counted = counts_;
  report.kernels = counters_.kernels();
  report.resources = &resources_of_kernels;
  report.modelled = modelled();
  report.time_began = modelled_before_.time.nanoseconds;
  for (const auto& [number, timeline] : devices.timelines())
    report.activities.push_back({number, &timeline->activities()});
  std::ofstream(options.report_path) << report_as_json(report);
  const auto written = std::chrono::steady_clock::now();
  next_report_ = written + kTimesAsLong * (written - now);
}

std::string Runtime::counts_as_json() {
  devices.finish_all();
  Report report;
  report.counted = counts_;
  report.kernels = counters_.kernels();
  for (KernelCounts& kernel : report.kernels) {
    kernel.patterns.clear();
    kernel.timeline = {};
  }
  const std::vector<DeviceState*> made = devices.all_made();
  if (!made.empty()) report.profile = &made[0]->profile;
  report.profile_name = options.profile;
  report.resources = &resources_of_kernels;
  report.modelled = modelled();
  return report_as_json(report);
}

void Runtime::at_exit() {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  if (std::exchange(ended_, true)) return;
  ended_as_meant_ = !is_gone_;
  printing = false;
  devices.finish_all();
  write_report(true);
  if (!options.report_path.empty()) return;
  for (const std::string& sentence : racecheck_.unchecked()) say(sentence);
  for (const Finding& f : found()) say(f.tool + ": " + in_one_line(f));
  for (const Finding& f : noted()) say(f.tool + ": note: " + in_one_line(f));
}

void Runtime::program_is_gone() {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  is_gone_ = true;
  if (ended_)
    write_report(true);
  else
    at_exit();
}

}  // namespace vgpu::cudart
