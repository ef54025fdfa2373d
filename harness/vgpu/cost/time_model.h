// How long a device takes for a launch, from what was counted of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/vgpu/cost/instruction_cost.h"
#include "harness/vgpu/cost/profile.h"
#include "harness/vgpu/cost/warp_path.h"

namespace vgpu {

/// What one launch, or several, asked of the device.
struct LaunchWork {
  std::uint64_t blocks = 0;
  std::uint64_t resident_blocks = 1;  ///< of the device at a time
  bool is_in_graph = false;

  std::uint64_t issues = 0;                       ///< machine instructions of warps, as estimated
  std::array<std::uint64_t, kUnits> unit_uses{};  ///< of these, by the unit they take
  std::uint64_t shared_wavefronts = 0;            ///< loads and stores
  std::uint64_t shared_atomic_wavefronts = 0;
  std::uint64_t l1_wavefronts = 0;  ///< requests to global and local memory, four sectors at a time
  std::uint64_t load_sectors = 0;   ///< asked of the first-level cache
  std::uint64_t local_sectors = 0;  ///< of local memory, read and written
  std::uint64_t local_bytes = 0;    ///< of local memory that a block uses
  std::uint64_t l2_read_sectors = 0, l2_hits = 0;
  std::uint64_t l2_write_sectors = 0;  ///< atomics included
  std::uint64_t dram_bytes = 0;
  std::uint64_t left_hits = 0;      ///< of l2_hits, what launches before have left
  std::uint64_t left_bytes = 0;     ///< that DRAM would carry as well if they had left nothing
  std::uint64_t atomic_turns = 0;   ///< sectors that atomics in global memory change, turn by turn
  std::uint64_t hottest_turns = 0;  ///< of these, at the busiest line
  std::uint64_t host_bytes = 0;     ///< of memory that the host reaches, too
  std::uint64_t match_turns = 0;    ///< different values that warps compare: match takes one after the other
  WarpPath longest_path;            ///< of the slowest warp of the slowest block, without waiting for other blocks
  WarpPath furthest_path;           ///< of the warp that is done last, with it
  WarpPath chain;                   ///< how far one is ahead of the longest path of all whom it has waited for, at most
  WarpPath sum_of_paths;            ///< of the slowest warp of each block
};

/// What was done since. Blocks, paths, the busiest line and the bytes of the host are those of `all`.
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
  kMatch,    ///< __match_any_sync
  kHost,     ///< memory of the host's
};
inline constexpr std::size_t kBounds = 12;

/// In a student's words: "memory", "instruction issue".
const char* name_of(Bound bound);

/// Machine instructions of warps that a multiprocessor issues a clock.
double issues_per_clock(const DeviceProfile& profile);

/// How many times as large a call is taken to be whose time is told "at scale".
inline constexpr double kScale = 256;

/// Nanoseconds; all but the launch go on at the same time, so that the longest of them counts.
struct LaunchTime {
  std::array<double, kBounds> parts{};  ///< what each alone would take
  double nanoseconds = 0;               ///< the launch, and the longest of the others
  Bound bound = Bound::kLaunch;

  /// What the launch would take in a call that is kScale times as large, divided by kScale. Blocks are as many times as
  /// many and the same: every multiprocessor has some all the time; what other launches left has made room; a chain
  /// from block to block is as many times as long. By how much the longest block exceeds the average grows, too, but
  /// with the root of their number only, as the extreme of a sum of independent parts does.
  double at_scale = 0;
  Bound bound_at_scale = Bound::kLaunch;

  /// What the launch would still take on a device without end, where each block has a multiprocessor to itself. How
  /// this grows, only two sizes of a call can tell: more data may mean more blocks, or longer ones.
  double serial = 0;
};

/// Counters in, time out: the same on every host.
LaunchTime time_of(const LaunchWork& work, const DeviceProfile& profile);

/// All launches of a kernel together.
struct KernelTime {
  std::array<double, kBounds> parts{};
  std::array<double, kBounds> by_bound{};           ///< nanoseconds of the launches that wait for this most
  std::array<double, kBounds> by_bound_at_scale{};  ///< likewise
  double nanoseconds = 0, at_scale = 0;

  void add(const LaunchTime& launch);
  /// What takes most of its time.
  Bound bound() const;
  Bound bound_at_scale() const;
};

}  // namespace vgpu
