// The cost of kernels, as plain data: by kernel and by source line. Every number is an integer, so that the same run
// gives the same text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/vgpu/cost/memory_traffic.h"
#include "harness/vgpu/cost/time_model.h"
#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// Sums over the warp instructions of a line, or of a kernel. PTX instructions are counted; those of machine code
/// differ in number. A request is one memory instruction of one warp, a sector 32 bytes of memory, a wavefront what
/// shared memory can serve at a time.
struct Counts {
  std::uint64_t executions = 0;         ///< instructions of warps
  std::uint64_t thread_executions = 0;  ///< active threads of each, summed
  std::uint64_t branches = 0;           ///< conditional ones
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;      ///< arrivals of warps
  std::uint64_t barrier_wait = 0;  ///< steps that warps waited there: see BlockTime

  std::uint64_t global_load_requests = 0;
  std::uint64_t global_load_sectors = 0;
  std::uint64_t global_load_ideal_sectors = 0;  ///< that hold as many bytes as were requested, each counted once
  std::uint64_t global_store_requests = 0;
  std::uint64_t global_store_sectors = 0;
  std::uint64_t global_store_ideal_sectors = 0;
  std::uint64_t other_load_requests = 0;  ///< textures, surfaces, bulk copies; constants: lanes' further addresses
  std::uint64_t other_load_sectors = 0;
  std::uint64_t other_store_requests = 0;
  std::uint64_t other_store_sectors = 0;
  std::uint64_t local_load_requests = 0;
  std::uint64_t local_load_sectors = 0;
  std::uint64_t local_store_requests = 0;
  std::uint64_t local_store_sectors = 0;

  std::uint64_t shared_load_requests = 0;
  std::uint64_t shared_load_wavefronts = 0;
  std::uint64_t shared_load_conflicts = 0;  ///< wavefronts in excess of those needed without conflicts
  std::uint64_t shared_store_requests = 0;
  std::uint64_t shared_store_wavefronts = 0;
  std::uint64_t shared_store_conflicts = 0;

  std::uint64_t global_atomic_requests = 0;  ///< atom and red
  std::uint64_t global_atomic_sectors = 0;   ///< each as often as lanes access its busiest address
  std::uint64_t global_atomic_depth = 0;     ///< most lanes of a request on one address, summed over requests
  std::uint64_t global_atomic_max_depth = 0;
  std::uint64_t shared_atomic_requests = 0;
  std::uint64_t shared_atomic_conflicts = 0;  ///< wavefronts beyond those of lanes at different banks
  std::uint64_t shared_atomic_depth = 0;
  std::uint64_t shared_atomic_max_depth = 0;
};

/// A counter by its name in reports.
struct NamedCounter {
  const char* name;
  std::uint64_t Counts::*value;
  bool is_maximum = false;  ///< for several lines, take the maximum rather than the sum
};

inline constexpr NamedCounter kNamedCounters[] = {
    {"executions", &Counts::executions},
    {"thread_executions", &Counts::thread_executions},
    {"branches", &Counts::branches},
    {"divergent_branches", &Counts::divergent_branches},
    {"barriers", &Counts::barriers},
    {"barrier_wait", &Counts::barrier_wait},
    {"global_load_requests", &Counts::global_load_requests},
    {"global_load_sectors", &Counts::global_load_sectors},
    {"global_load_ideal_sectors", &Counts::global_load_ideal_sectors},
    {"global_store_requests", &Counts::global_store_requests},
    {"global_store_sectors", &Counts::global_store_sectors},
    {"global_store_ideal_sectors", &Counts::global_store_ideal_sectors},
    {"other_load_requests", &Counts::other_load_requests},
    {"other_load_sectors", &Counts::other_load_sectors},
    {"other_store_requests", &Counts::other_store_requests},
    {"other_store_sectors", &Counts::other_store_sectors},
    {"local_load_requests", &Counts::local_load_requests},
    {"local_load_sectors", &Counts::local_load_sectors},
    {"local_store_requests", &Counts::local_store_requests},
    {"local_store_sectors", &Counts::local_store_sectors},
    {"shared_load_requests", &Counts::shared_load_requests},
    {"shared_load_wavefronts", &Counts::shared_load_wavefronts},
    {"shared_load_conflicts", &Counts::shared_load_conflicts},
    {"shared_store_requests", &Counts::shared_store_requests},
    {"shared_store_wavefronts", &Counts::shared_store_wavefronts},
    {"shared_store_conflicts", &Counts::shared_store_conflicts},
    {"global_atomic_requests", &Counts::global_atomic_requests},
    {"global_atomic_sectors", &Counts::global_atomic_sectors},
    {"global_atomic_depth", &Counts::global_atomic_depth},
    {"global_atomic_max_depth", &Counts::global_atomic_max_depth, true},
    {"shared_atomic_requests", &Counts::shared_atomic_requests},
    {"shared_atomic_conflicts", &Counts::shared_atomic_conflicts},
    {"shared_atomic_depth", &Counts::shared_atomic_depth},
    {"shared_atomic_max_depth", &Counts::shared_atomic_max_depth, true},
};

/// Adds the cost of another line.
inline void add(Counts& to, const Counts& more) {
  for (const NamedCounter& counter : kNamedCounters) {
    std::uint64_t& sum = to.*counter.value;
    const std::uint64_t value = more.*counter.value;
    sum = !counter.is_maximum ? sum + value : sum > value ? sum : value;
  }
}

struct LineCounts {
  std::string file;  ///< empty for code without lines
  std::uint32_t line = 0;
  Counts counts;
};

/// One access of one warp: the most wasteful of its line, space and kind.
struct AccessPattern {
  std::string file;
  std::uint32_t line = 0;
  ptx::Space space = ptx::Space::kGlobal;
  AccessKind kind = AccessKind::kLoad;
  std::uint32_t bytes = 0;  ///< of one lane
  Extent3 block{0, 0, 0};
  std::uint32_t warp = 0;
  Mask lanes = 0;
  std::uint64_t addresses[kLanes] = {};                ///< those of inactive lanes are meaningless
  std::string array;                                   ///< that the first lane's address lies in; may be empty
  std::int64_t first_index = 0;                        ///< of that lane
  std::uint32_t sectors = 0, ideal_sectors = 0;        ///< global and local memory
  std::uint32_t wavefronts = 0, ideal_wavefronts = 0;  ///< shared memory; of atomics: turns that lanes take
};

/// What a warp did for a while.
struct TimelineSpan {
  enum class State : std::uint8_t { kRuns, kAtBarrier };
  std::uint64_t begin = 0, end = 0;  ///< in steps: see BlockTime
  std::uint32_t active_lanes = 0;
  std::uint32_t line = 0;  ///< where it begins
  State state = State::kRuns;
};

struct Timeline {
  bool recorded = false;
  bool truncated = false;  ///< the block ran longer than is kept
  Extent3 block{0, 0, 0};
  std::vector<std::vector<TimelineSpan>> warps;
};

/// Floating-point operations of threads, by the width of their operands; a multiply-add counts two.
struct FloatOperations {
  std::uint64_t fp16 = 0, fp32 = 0, fp64 = 0;
};

/// All launches of one kernel together.
struct KernelCounts {
  std::string mangled_name;
  std::uint64_t launches = 0;
  Extent3 grid, block;  ///< of the first launch
  std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  Counts totals;
  TrafficCounts traffic;
  KernelTime time;  ///< zero where no profile is known
  FloatOperations operations;
  std::vector<LineCounts> lines;        ///< that executed something; by file and line
  std::vector<AccessPattern> patterns;  ///< by file, line, space and kind
  Timeline timeline;
};

}  // namespace vgpu
