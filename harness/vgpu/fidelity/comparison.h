// Compares the counts of the virtual GPU with the measurements of Nsight Compute, kernel by kernel.
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
  std::vector<Names> theirs;        ///< the first one measured counts
  std::vector<Names> instructions;  ///< of machine code that do this; our_instructions are those of PTX
  Names our_instructions;
  double bar = 0.01;  ///< the tolerance: the share of theirs by which ours may differ; 0: exactly equal
  bool is_judged = true;
  bool is_dram = false;  ///< judged where a kernel moves four times the size of the L2 cache or more
};

/// In the order of the table's columns. Occupancy comes last.
const std::vector<Metric>& metrics();

/// The blocks per multiprocessor that the program printed: a metric in addition to those of Nsight Compute.
inline constexpr const char* kPrintedOccupancy = "printed__blocks_per_multiprocessor";

/// The metrics that a comparison looks at.
std::set<std::string> compared_metrics();

enum class Verdict {
  kNothing,  ///< both are 0, or neither has a value
  kShown,    ///< not judged
  kEqual,
  kWithin,      ///< within the tolerance
  kRecompiled,  ///< beyond the tolerance, and machine code has more or fewer instructions for it than PTX
  kReordered,   ///< slightly beyond the tolerance, and the count depends on the virtual GPU's order of warps
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
  std::vector<Cell> cells;  ///< one per metric
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
