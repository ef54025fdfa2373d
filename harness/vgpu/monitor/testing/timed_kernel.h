// The modelled time of kernels on an H200.
#pragma once

#include <gtest/gtest.h>

#include <variant>

#include "harness/vgpu/cost/profile.h"
#include "harness/vgpu/monitor/testing/counted_kernel.h"
#include "harness/vgpu/monitor/watchers.h"

namespace vgpu::test {

inline const DeviceProfile& h200() {
  static const DeviceProfile kProfile = std::get<DeviceProfile>(load_profile("h200"));
  return kProfile;
}

/// Of a kernel that is counted as the runtime has it counted.
inline KernelTime time_of_kernel(const CountedKernel& kernel) {
  Counters counters;
  counters.set_caches(cache_sizes_of(h200()));
  counters.set_profile(&h200());
  Watchers watchers;
  watchers.watch_with({&counters});
  Program program = program_of(kernel);
  program.options.observer = &watchers;
  program.options.sm_count = h200().sm_count;
  program.options.resident_blocks = 8 * h200().sm_count;
  program.options.instruction_budget = 1 << 20;  // rather than wait forever
  run_cleanly(program, {Bytes(kernel.buffer_bytes)});
  return counters.kernels().at(0).time;
}

inline double clocks_of(const KernelTime& time, Bound bound) {
  return time.parts[static_cast<std::size_t>(bound)] * h200().gigahertz();
}

}  // namespace vgpu::test
