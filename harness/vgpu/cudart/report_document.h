// The report on a program, as JSON text.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/vgpu/cost/occupancy.h"
#include "harness/vgpu/cost/profile.h"
#include "harness/vgpu/cudart/activities.h"
#include "harness/vgpu/cudart/device_clock.h"
#include "harness/vgpu/cudart/loaded_objects.h"
#include "harness/vgpu/monitor/counts.h"
#include "harness/vgpu/monitor/finding.h"

namespace vgpu::cudart {

/// The resources of a multiprocessor that a kernel's first launch uses.
struct LaunchResources {
  std::uint32_t registers = 0;  ///< of a thread
  std::uint32_t warps = 0;      ///< of a block
  Occupancy occupancy;
};

/// By mangled name; kernels without machine code are missing.
using ResourcesOfKernels = std::map<std::string, LaunchResources>;

/// What the device, or several of them, have been busy with since counting began.
struct ModelledTotal {
  TimeSpan time;  ///< from begin to end; less than the sum of the others where they went on at the same time
  std::array<TimeSpan, kBusyKinds> busy{};
  double longest_serial_kernel = 0;  ///< TimeSpan::serial of the kernel that has the most of it
  std::uint64_t host_requests = 0;   ///< kernels, copies, fills and graphs that the host has asked for
  std::uint64_t host_waits = 0;      ///< how often it stood still until the device had caught up
  double device_span = 0;            ///< nanoseconds in which kernels, copies or fills went on, each moment once
  /// Copied between host and device, or in memory that both can reach.
  std::uint64_t host_bytes = 0;
  std::uint64_t copied_sectors = 0;  ///< read and written by copies from device memory to device memory
};

/// Where calls were made in the program's host code: what findings and notes are about, and what allocated memory.
struct CallPlaces {
  std::map<std::uint64_t, LoadedObjects::Place> of_sites;      ///< by Finding::site
  std::map<std::string, LoadedObjects::Place> of_allocations;  ///< by the name that findings use: "allocation#3"
};

/// What one device and the host did for each other.
struct ActivitiesOfDevice {
  int device = 0;
  const Activities* activities = nullptr;
};

/// An array of findings: {tool, kind, kernel, file, line, block, thread, array, index, sentence, advice, count}, and
/// where they are known {shared_element_bytes, site: {object, offset}, allocations: [{name, object, offset}]}.
std::string findings_as_json(const std::vector<Finding>& findings, const CallPlaces& places);

/// The whole report on a program: the device, findings, and the cost of its kernels.
struct Report {
  const DeviceProfile* profile = nullptr;  ///< null if there is no device
  std::string profile_name;
  std::vector<Finding> findings;
  std::vector<Finding> notes;          ///< what may be right as it is
  CallPlaces places;                   ///< of both
  std::vector<std::string> unchecked;  ///< what checkers could not check completely, in sentences
  bool counted = false;                ///< whether counters were on; without them there are no kernels
  std::vector<KernelCounts> kernels;
  ModelledTotal modelled;
  double time_began = 0;                       ///< of the modelled total, by the devices' clocks
  std::vector<ActivitiesOfDevice> activities;  ///< since then
  const ResourcesOfKernels* resources = nullptr;
};

/// An object of schema "lanewise-vgpu-report", as harness/vgpu/README.md describes it. The same run gives the same
/// text.
std::string report_as_json(const Report& report);

}  // namespace vgpu::cudart
