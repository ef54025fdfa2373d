// The report document of a run (LANEWISE_VGPU_REPORT) as plain data: findings, and the cost of each kernel and line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/monitor/finding.h"

namespace vgpu::report {

inline constexpr const char* kSchema = "lanewise-vgpu-report";
inline constexpr std::int64_t kVersion = 2;

/// The counters of a line or of a whole kernel, under the document's names; README.md says what each means.
struct Counters {
  std::uint64_t executions = 0, thread_executions = 0;
  std::uint64_t branches = 0, divergent_branches = 0;
  std::uint64_t barriers = 0, barrier_wait = 0;
  std::uint64_t global_load_requests = 0, global_load_sectors = 0, global_load_ideal_sectors = 0;
  std::uint64_t global_store_requests = 0, global_store_sectors = 0, global_store_ideal_sectors = 0;
  std::uint64_t other_load_requests = 0, other_load_sectors = 0;
  std::uint64_t other_store_requests = 0, other_store_sectors = 0;
  std::uint64_t local_load_requests = 0, local_load_sectors = 0, local_store_requests = 0, local_store_sectors = 0;
  std::uint64_t shared_load_requests = 0, shared_load_wavefronts = 0, shared_load_conflicts = 0;
  std::uint64_t shared_store_requests = 0, shared_store_wavefronts = 0, shared_store_conflicts = 0;
  std::uint64_t global_atomic_requests = 0, global_atomic_sectors = 0, global_atomic_depth = 0,
                global_atomic_max_depth = 0;
  std::uint64_t shared_atomic_requests = 0, shared_atomic_conflicts = 0, shared_atomic_depth = 0,
                shared_atomic_max_depth = 0;
};

struct CounterField {
  const char* name;  ///< in the document
  std::uint64_t Counters::*value;
};
/// All counters.
const std::vector<CounterField>& counter_fields();

struct LineCounters {
  std::string file;
  std::uint32_t line = 0;  ///< 0: the program was compiled without -lineinfo
  Counters counters;
};

/// The worst access of one kind at one line.
struct Pattern {
  std::string file;
  std::uint32_t line = 0;
  std::string space;        ///< "global", "shared" or "local"
  std::string kind;         ///< "load", "store" or "atomic"
  std::uint32_t bytes = 0;  ///< of one lane
  Extent3 block{0, 0, 0};
  std::uint32_t warp = 0;
  std::array<std::optional<std::uint64_t>, kLanes> addresses;  ///< none: the lane is inactive
  std::string array;                                           ///< name of the array; may be empty
  std::optional<std::int64_t> first_index;                     ///< element of it that the first lane accesses
  std::uint64_t sectors = 0, ideal_sectors = 0;
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;
};

/// What the warps of one block did over time. Time is in steps: in each, every warp executes one instruction.
struct Timeline {
  enum class State : std::uint8_t { kRun, kBarrier, kWarpSync };
  struct Span {
    std::uint64_t begin = 0, end = 0;
    std::uint32_t lanes = 0;  ///< active
    std::uint32_t line = 0;   ///< where it begins
    State state = State::kRun;
  };
  struct Warp {
    std::uint32_t warp = 0;
    std::vector<Span> spans;
  };
  Extent3 block{0, 0, 0};
  bool truncated = false;
  std::vector<Warp> warps;
};

struct Occupancy {
  std::uint32_t blocks_per_sm = 0, warps_per_sm = 0, max_warps_per_sm = 0;
  std::string limiter;
};

struct MemoryTraffic {
  std::uint64_t l2_read_sectors = 0, l2_write_sectors = 0, l2_hits = 0, dram_read_bytes = 0, dram_write_bytes = 0;
};

/// Floating-point operations of all threads; a fused multiply-add is two.
struct Operations {
  std::uint64_t fp16 = 0, fp32 = 0, fp64 = 0;

  std::uint64_t all() const { return fp16 + fp32 + fp64; }
};

/// What the time model says of all launches of a kernel.
struct ModelledKernel {
  std::uint64_t nanoseconds = 0;
  std::string bound_by;  ///< in words: "memory"
};

struct KernelReport {
  std::string name;
  std::uint64_t launches = 0;
  Extent3 grid, block;                     ///< of the first launch
  std::optional<std::uint32_t> registers;  ///< per thread
  std::uint64_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::optional<Occupancy> occupancy;
  Counters totals;
  MemoryTraffic memory;
  Operations operations;
  std::optional<ModelledKernel> modelled;
  std::vector<LineCounters> lines;
  std::vector<Pattern> patterns;
  std::optional<Timeline> timeline;
};

struct Device {
  std::string name;  ///< empty if there is none
  std::uint32_t sm_count = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t dram_bytes_per_second = 0;  ///< 0 in these: not known
  std::optional<std::uint64_t> l2_bytes_per_second;
  std::uint64_t fp32_flops_per_second = 0;
  std::optional<std::uint64_t> fp64_flops_per_second;
};

/// What the host, or an engine of a device, did for a while, in modelled nanoseconds from the beginning.
struct Activity {
  std::string
      kind;  ///< "kernel", "fill", "copy in", "copy out", "copy within", "launch", "allocation", "pinning", "wait"
  std::uint32_t device = 0;
  std::optional<std::uint64_t> stream;  ///< 0: the default one; none: the host
  std::uint64_t begin = 0, end = 0;
  std::string name;         ///< of the kernel or the call; may be empty
  std::uint64_t bytes = 0;  ///< 0: it is not about bytes
};

/// How long one kind of work was under way, and for how much of that nothing listed before it was.
struct TimeShare {
  std::uint64_t busy = 0, alone = 0;
};

/// Where the modelled time went: what is `alone` and `idle` add up to it.
struct TimeShares {
  TimeShare kernels, copies, fills, allocating, requesting;
  std::uint64_t idle = 0;
};

struct Document {
  Device device;
  std::vector<Finding> findings;
  std::vector<Finding> notes;                ///< what may be right as it is
  std::vector<std::string> unchecked;        ///< what checkers could not check completely, in sentences
  std::vector<KernelReport> kernels;         ///< empty if nothing was counted
  std::optional<std::uint64_t> nanoseconds;  ///< of all kernels, copies and memsets together, as modelled
  std::optional<TimeShares> shares;          ///< of those
  std::vector<Activity> activities;
  std::uint64_t activities_left_out = 0;
};

/// Reads the document; a sentence if the text is cut short, of another schema or version, or incomplete. Unknown keys
/// are ignored.
std::variant<Document, std::string> parse_document(std::string_view json);

}  // namespace vgpu::report
