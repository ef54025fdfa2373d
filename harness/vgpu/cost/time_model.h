// How long a device takes for a launch, from what was counted of it.
#pragma once

#include <array>
#include <cstdint>

#include "harness/vgpu/cost/instruction_cost.h"
#include "harness/vgpu/cost/profile.h"
#include "harness/vgpu/cost/warp_path.h"

namespace vgpu {

/// What one launch, or several, asked of the device.
struct LaunchWork {
  std::uint64_t blocks = 0;
  std::uint64_t resident_blocks = 1;  ///< of the device at a time

  std::uint64_t issues = 0;                       ///< machine instructions of warps, as estimated
  std::array<std::uint64_t, kUnits> unit_uses{};  ///< of these, by the unit they take
  std::uint64_t shared_wavefronts = 0;            ///< loads and stores
  std::uint64_t shared_atomic_wavefronts = 0;
  std::uint64_t l1_wavefronts = 0;  ///< requests to global and local memory, four sectors at a time
  std::uint64_t load_sectors = 0;   ///< asked of the first-level cache
  std::uint64_t l2_read_sectors = 0, l2_hits = 0;
  std::uint64_t l2_write_sectors = 0;  ///< atomics included
  std::uint64_t dram_bytes = 0;
  std::uint64_t atomic_turns = 0;   ///< sectors that atomics in global memory change, turn by turn
  std::uint64_t hottest_turns = 0;  ///< of these, at the busiest line
  WarpPath longest_path;            ///< of the slowest warp of the slowest block
  WarpPath sum_of_paths;            ///< of the slowest warp of each block
};

/// What was done since. Blocks, paths and the busiest line are those of `all`.
LaunchWork operator-(LaunchWork all, const LaunchWork& before);

/// What a launch may have to wait for most.
enum class Bound : std::uint8_t {
  kLaunch,      ///< that it is launched at all
  kLatency,     ///< one thing after the other, with too little else to do meanwhile
  kIssue,       ///< schedulers
  kArithmetic,  ///< the units that compute
  kShared,
  kSharedAtomics,
  kL1,
  kL2,
  kDram,
  kAtomics,  ///< in global memory
};
inline constexpr std::uint32_t kBounds = 10;

/// In a student's words: "memory", "instruction issue".
const char* name_of(Bound bound);

/// Machine instructions of warps that a multiprocessor issues a clock.
double issues_per_clock(const DeviceProfile& profile);

/// Nanoseconds; all but the launch go on at the same time, so that the longest of them counts.
struct LaunchTime {
  std::array<double, kBounds> parts{};  ///< what each alone would take
  double nanoseconds = 0;               ///< the launch, and the longest of the others
  Bound bound = Bound::kLaunch;

  /// What it would add to a launch of the same kind that is so large that every multiprocessor has blocks all the time:
  /// what little blocks of a small problem leave idle is not there, how much longer some blocks take than others is.
  double at_scale = 0;
};

/// Counters in, time out: the same on every host.
LaunchTime time_of(const LaunchWork& work, const DeviceProfile& profile);

/// All launches of a kernel together.
struct KernelTime {
  std::array<double, kBounds> parts{};
  std::array<double, kBounds> by_bound{};  ///< nanoseconds of the launches that wait for this most
  double nanoseconds = 0, at_scale = 0;

  void add(const LaunchTime& launch);
  /// What takes most of its time.
  Bound bound() const;
};

}  // namespace vgpu
