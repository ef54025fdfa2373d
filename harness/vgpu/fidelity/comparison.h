// Holds what the virtual GPU counted against what Nsight Compute measured, kernel by kernel.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/vgpu/fidelity/counters_document.h"
#include "harness/vgpu/fidelity/ncu_csv.h"

namespace vgpu::fidelity {

/// A column of the table.
struct Metric {
  using Names = std::vector<std::string>;  ///< added up

  std::string group;  ///< "global loads"
  std::string name;   ///< "sectors"
  Names ours;
  std::vector<Names> theirs;        ///< the first that was measured counts
  std::vector<Names> instructions;  ///< of machine code that do this; our_instructions are those of PTX
  Names our_instructions;
  double bar = 0.01;  ///< by how much of theirs ours may differ; 0: exactly equal
  bool is_judged = true;
  bool is_dram = false;  ///< judged where a kernel moves four times the size of the L2 cache or more
};

/// In the order of the table's columns. Occupancy comes last.
const std::vector<Metric>& metrics();

/// A multiprocessor's blocks as the program printed them: a metric beside those of Nsight Compute.
inline constexpr const char* kPrintedOccupancy = "printed__blocks_per_multiprocessor";

/// The metrics that a comparison looks at.
std::set<std::string> compared_metrics();

enum class Verdict {
  kNothing,  ///< both say 0, or nobody says anything
  kShown,    ///< not judged
  kEqual,
  kWithin,      ///< the bar
  kRecompiled,  ///< beyond the bar, and machine code has more or fewer instructions for it than PTX has
  kReordered,   ///< beyond the bar by little, and another count where the virtual GPU takes warps in another order
  kBeyond,
};

struct Cell {
  std::optional<double> ours;
  std::optional<double> theirs;
  Verdict verdict = Verdict::kNothing;
};

/// One kernel of one program.
struct Row {
  std::string kernel;       ///< short: "load_stride<7>"
  std::vector<Cell> cells;  ///< one a metric
  std::string remark;       ///< other instructions than PTX has, other counts in another order, what a side lacks
};

/// What one program did on either device.
struct ProgramRun {
  std::string name;
  CountersDocument counted;
  CountersDocument reordered;  ///< with blocks and warps in another order; no kernels where that was not counted
};

/// The rows of one program, of whose profiles there may be several a kernel; in the order of `run.counted` and then
/// what only Nsight Compute saw.
std::vector<Row> compare(const ProgramRun& run, const std::vector<Profile>& profiles);

/// "load_stride<7>" for "void (anonymous namespace)::load_stride<7>(int const*, int*)": no scope, no parameters, and no
/// template arguments where they are long.
std::string short_name(const std::string& readable);

}  // namespace vgpu::fidelity
