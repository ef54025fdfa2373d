// What one kernel has cost so far, instruction by instruction, and how that adds up by line.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "harness/vgpu/cost/instruction_cost.h"
#include "harness/vgpu/cost/time_model.h"
#include "harness/vgpu/cost/warp_path.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/monitor/access_shape.h"
#include "harness/vgpu/monitor/counts.h"

namespace vgpu {

/// What an instruction's accesses to one space have cost.
struct AccessTally {
  AccessKind kind = AccessKind::kLoad;
  std::uint64_t requests = 0;
  std::uint64_t units = 0;  ///< sectors; of shared memory, wavefronts
  std::uint64_t ideal = 0;
  std::uint64_t lines = 0;  ///< of loads and stores; of constants, clocks that their cache is occupied by
  std::uint64_t depth = 0;  ///< of atomics: most lanes on one address, summed
  std::uint32_t max_depth = 0;
  std::int32_t worst = -1;           ///< how bad the worst access was; -1: there was none
  AccessPattern* pattern = nullptr;  ///< that access
};

/// How the accesses of an instruction are counted.
struct AccessRoute {
  AccessTally* tallies = nullptr;  ///< by space, see KernelTally::space_index; null: the instruction is no access
  bool by_other_unit = false;      ///< textures, surfaces, bulk copies, constants: not by the pipe that requests are of
  bool is_copy = false;            ///< asynchronous, of a few bytes a lane
  bool is_bulk_copy = false;       ///< shown piece by piece
  bool is_constant = false;
  bool is_of_rows = false;  ///< ldmatrix, stmatrix
  bool past_l1 = false;
  bool acquires = false;   ///< what other blocks wrote before
  bool announces = false;  ///< a store of what others may wait for: see Announcements
  bool looks = false;      ///< for what others write, or may do so
  bool swaps = false;      ///< an atomic whose success may be waited for
  AtomicTurns turns = AtomicTurns::kEachLane;
};

/// Instructions have their numbers in the kernel, which are the same wherever and whenever it is loaded.
class KernelTally {
 public:
  /// For kernels with the code of this one.
  /// `resources`: what ptxas says of it; null if nothing.
  KernelTally(const Kernel& kernel, const ptx::KernelResources* resources);

  static constexpr std::uint32_t kSpaces = 3;
  static std::uint32_t space_index(ptx::Space space) {
    return space == ptx::Space::kShared ? 0 : space == ptx::Space::kGlobal ? 1 : 2;
  }

  /// One more launch begins.
  void begin_launch(const Launch& launch);

  void add_run(std::uint32_t first, std::uint32_t last, std::uint32_t threads) {
    RunTally &begin = runs_[first], &end = runs_[last + 1];
    ++begin.executions, --end.executions;
    begin.threads += threads, end.threads -= threads;
  }
  void add_divergence(std::uint32_t branch) { ++divergences_[branch]; }
  void add_barrier(std::uint32_t instruction) { ++barriers_[instruction].arrivals; }
  void add_match(std::uint32_t different) { match_turns_ += different; }
  /// Bytes from or to another block's shared memory, which is reached by sectors (CUDA Hopper Tuning Guide).
  void add_remote(std::uint64_t bytes) { remote_bytes_ += bytes; }
  void add_barrier_wait(std::uint32_t instruction, std::uint64_t steps) { barriers_[instruction].wait += steps; }
  const AccessRoute& route(std::uint32_t instruction) const { return routes_[instructions_[instruction].route]; }
  /// Keeps an access as the worst of its instruction.
  void keep_pattern(AccessTally& tally, std::int32_t how_bad, std::uint32_t instruction, AccessPattern pattern);

  /// Bytes of a thread's local memory, if ptxas uses it for want of registers.
  std::uint32_t spilled_bytes() const { return spilled_bytes_; }

  bool waits_at_barrier(std::uint32_t instruction) const { return instructions_[instruction].waits; }
  std::uint32_t line_of(std::uint32_t instruction) const { return lines_[instructions_[instruction].line].line; }

  /// See PathStep.
  std::uint8_t wait_of(std::uint32_t instruction) const { return instructions_[instruction].wait; }
  /// What a warp executes from one instruction to another, both included, in a row.
  Stretch stretch(std::uint32_t first, std::uint32_t last) const {
    const Before &begin = before_[first], &end = before_[last + 1];
    const std::int64_t waits = end.path.global_waits - begin.path.global_waits;
    return {end.path - begin.path, waits > 0 ? wait_bits(begin.path.global_waits, waits) : 0,
            end.issues - begin.issues};
  }

  TrafficCounts traffic;
  KernelTime time;
  Timeline timeline;

  /// Of all launches so far, what instructions and accesses tell; the rest is not filled in.
  LaunchWork work() const;

  /// Whether any of its instructions may look there for what others write.
  bool looks_in(ptx::Space space) const { return space == ptx::Space::kShared ? looks_in_shared_ : looks_in_global_; }

  /// Everything so far.
  KernelCounts counts() const;

 private:
  /// What does not change from run to run.
  struct Instruction {
    std::uint32_t line = 0;                     ///< index into lines_
    std::uint32_t route = 0;                    ///< index into routes_
    bool is_counted = false;                    ///< some PTX instructions are made of several; meeting points of none
    bool branches = false;                      ///< conditionally
    std::uint8_t wait = PathStep::kNone;        ///< see PathStep
    bool waits = true;                          ///< at a barrier, rather than only arriving
    std::uint8_t fp16 = 0, fp32 = 0, fp64 = 0;  ///< operations of a thread
    InstructionCost cost;
    Spills spills;
  };
  struct Line {
    std::string file;
    std::uint32_t line = 0;
  };
  /// Differences to the instruction before: adding them up gives how often each was executed.
  struct RunTally {
    std::int64_t executions = 0, threads = 0;
  };
  /// Sums of what comes before an instruction.
  struct Before {
    WarpPath path;
    std::int64_t issues = 0;
  };
  struct BarrierTally {
    std::uint64_t arrivals = 0, wait = 0;
  };

  static std::uint64_t wait_bits(std::int64_t first, std::int64_t count) {
    constexpr std::int64_t kBits = PathStep::kWaits;
    if (count >= kBits) return ~std::uint64_t{0};
    const std::uint64_t bits = (std::uint64_t{1} << count) - 1;
    const std::int64_t by = first % kBits;
    return by == 0 ? bits : bits << by | bits >> (kBits - by);
  }
  void add_function(const Code& code, const ptx::KernelResources* resources);
  std::uint32_t route_of_memory_barrier(const ptx::Instruction& instruction);
  std::uint32_t route_of(const ptx::Function& function, const ptx::Instruction& instruction,
                         const std::vector<bool>& uniform);

  std::string mangled_name_;
  std::uint64_t launches_ = 0;
  bool looks_in_shared_ = false, looks_in_global_ = false;
  std::uint64_t match_turns_ = 0;  ///< see LaunchWork
  std::uint32_t spilled_bytes_ = 0;
  std::uint64_t remote_bytes_ = 0;
  Extent3 grid_, block_;
  std::uint32_t static_shared_bytes_ = 0, dynamic_shared_bytes_ = 0;
  std::vector<Line> lines_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> line_indices_;
  std::vector<Instruction> instructions_;
  std::vector<RunTally> runs_;     ///< one more than there are instructions
  std::vector<Before> before_{1};  ///< likewise
  std::vector<std::uint64_t> divergences_;
  std::vector<BarrierTally> barriers_;
  std::vector<AccessRoute> routes_;  ///< the first is that of no access
  std::deque<std::array<AccessTally, kSpaces>> access_tallies_;
  std::deque<AccessPattern> patterns_;
};

}  // namespace vgpu
