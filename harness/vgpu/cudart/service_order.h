// When work of several streams is done if each engine of a device serves what is ready first.
//
// How long each piece takes has to be known. Times are found by playing through what the host did, in its order: it
// asks for work, is busy itself, and waits. While it waits, engines begin whatever can begin first; of what is ready at
// the same time, what was asked for first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/vgpu/cudart/activities.h"
#include "harness/vgpu/cudart/device_clock.h"

namespace vgpu::cudart {

/// Kernels and what is within the device; copies in; copies out.
inline constexpr std::size_t kEngines = 3;
constexpr std::size_t engine_of(Busy kind) { return kind == Busy::kCopyIn ? 1 : kind == Busy::kCopyOut ? 2 : 0; }

/// What keeps one engine, or the host, busy for some time.
struct BusyPart {
  Busy kind = Busy::kKernel;
  TimeSpan time;
  ActivityName what;
};

/// One piece of work, as far as time is concerned.
struct TimedWork {
  std::uint64_t stream = 0;                              ///< its id
  std::vector<BusyPart> parts;                           ///< one after another
  std::vector<std::shared_ptr<TimedWork>> served_after;  ///< until it is timed for good
  TimeSpan begins, ends;                                 ///< of what is not done, `begins` is the earliest known so far
};

/// Something that the host did.
struct Happening {
  enum Kind : std::uint8_t {
    kHost,     ///< it was busy
    kRequest,  ///< it has asked for `work`
    kWait      ///< it has waited for `work`; for all work so far, if that is null
  };
  Kind kind = kHost;
  std::shared_ptr<TimedWork> work;
  BusyPart busy;
};

/// How far everybody is.
struct ServiceState {
  TimeSpan host_now, latest;
  std::array<TimeSpan, kEngines> engine_free{};
  std::uint64_t host_waits = 0;
};

/// Sets `begins` and `ends` of all that was asked for, lists what went on in `activities`, and returns how far
/// everybody is after it. Work that is waited for but was not asked for here keeps its times.
ServiceState serve(const std::vector<Happening>& happenings, const ServiceState& before, const TimeSpan& reach,
                   std::vector<Activity>& activities);

}  // namespace vgpu::cudart
