// lab.toml as plain data: what a lab's author sets without writing code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/case_file.h"
#include "harness/lab/failure.h"
#include "harness/lab/lab.h"

namespace lanewise {

/// One [[task.goal]]: a bound on a counter of the virtual GPU.
struct GoalFile {
  std::string counter;    ///< of known_counters()
  std::string case_name;  ///< in the group check, whose cost is counted; by default the ladder's case
  double at_most = 0;
  double points = 0;
  std::string hint;     ///< shown when the goal is missed: the usual fix
  std::string after{};  ///< the counter of an earlier goal that has to be met first; may be empty
};

/// The [task.ladder]: what the table of the task's solutions shows (`lanewise bench`).
struct LadderFile {
  std::string case_name;              ///< in the group check; "" if there is no table
  std::vector<std::string> counters;  ///< columns: names of known_counters()
  std::string note{};                 ///< why the fastest step is slower than its peer, if it is; may be empty
  std::vector<std::string> losses{};  ///< steps declared slower than their predecessor: kept for what they teach
  /// Steps that choose by the size what they do: how they run in the ladder's small case says nothing about large ones.
  std::vector<std::string> by_size{};
};

/// The [task.scaling]: at which sizes `lanewise bench` times the last step, the reference and the peer on a GPU.
struct ScalingFile {
  std::string case_name;                ///< in the group race; its other parameters stay fixed
  std::vector<std::string> parameters;  ///< all set to each value: "n", or "m", "n" and "k"
  std::vector<std::int64_t> values;     ///< in ascending order; none: no such figure
};

/// The [task.floor]: what each unit of the work costs at least, however the step is written.
struct FloorFile {
  std::string unit;         ///< "key"; "" if there is no floor but the roof
  double work = 0;          ///< bytes of the work model per unit, or operations if arithmetic limits the work
  double bytes = 0;         ///< that have to be moved per unit; 0 if arithmetic limits the work
  double instructions = 0;  ///< that threads have to execute per unit; 0: not known
  std::string why;          ///< where these numbers come from
};

/// The [task.classes]: cases that differ in one property of their data, and the counters that show its cost.
struct ClassesFile {
  std::string title;                  ///< "What the length of rows costs"; "" if there are none
  std::vector<std::string> cases;     ///< in the group check
  std::vector<std::string> counters;  ///< names of known_counters()
};

/// The [task.speed]: the cases that the points for "fast" depend on.
struct SpeedFile {
  std::string modelled_case;   ///< in the group check; by default the ladder's case; "" if none can be modelled
  std::string measured_case;   ///< in the group speed, for a GPU; "" if there is none
  std::string race_case;       ///< in the group race; modelled times must be in its order; "" if there is none
  bool is_whole_call = false;  ///< score the modelled case as it is rather than at scale
  CaseFile smaller{};          ///< the modelled case with less data, no points: how a call's time grows; no name: none
  double lasting = 1;          ///< how many times as long as in other labs serial work may last without a review
};

/// Points of a task, by part. `points = { correct = 55, ... }`
struct PartPoints {
  double correct = 0;
  double fast = 0;
  double efficient = 0;
  double clean = 0;
  double understood = 0;
};

/// One of [task.arrays] of a declared lab.
struct ArrayFile {
  std::string name;                ///< of an input or output of the contract
  std::vector<std::string> shape;  ///< extents: numbers, names of scalars, or sums
  std::string values;  ///< of an input: "uniform(-1, 1)" (harness/declared/values.h), or "function"; "" for an output
  int line = 0;
};

/// The `judge` of a declared lab's task.
struct JudgeFile {
  enum class Kind : std::uint8_t { kExact, kUlps, kLevels, kSum };

  Kind kind = Kind::kExact;
  std::int64_t at_most = 0;  ///< ulps or levels
  std::string summed;        ///< the input whose sum, taken in any order, is right
};

/// One [[task.misconception]] of a declared lab, or a [[misconception]] of every task.
struct MisconceptionFile {
  std::string name;
  std::string hint;
  std::string function;  ///< in the oracle's file, with the contract's parameters: it computes what the mistake gives
  std::vector<std::int64_t> with{};  ///< passed as a last parameter, each in a call of its own; none: no such parameter
  /// What the mistake leaves unwritten is what device memory held, even if the contract's pointers are to host memory.
  bool is_on_device = false;
  std::vector<std::string> seen_by{};  ///< checkers that report this very mistake
  int line = 0;
};

/// One [[task]].
struct TaskFile {
  std::string name;
  PartPoints points;
  std::string baseline;                ///< file name in solutions/, or ""
  std::string reference;               ///< file name in solutions/, or ""
  std::vector<std::string> forbidden;  ///< libraries: "cub", "thrust", "cublas"
  double time_limit_seconds = 10;      ///< wall clock of one case
  std::vector<CaseFile> cases;
  std::vector<GoalFile> goals;
  LadderFile ladder;
  ScalingFile scaling;
  FloorFile floor;
  ClassesFile classes;
  SpeedFile speed;
  // Of a declared lab's task; empty otherwise.
  Space space = Space::kDevice;
  std::vector<ArrayFile> arrays;
  JudgeFile judge;
  std::vector<std::string> flops;                 ///< factors, each as an extent is; none: nobody said
  std::vector<MisconceptionFile> misconceptions;  ///< the task's own, then those of every task
  int line = 0;
};

/// Added to the name of a skeleton: its copy, from which `lanewise restore` brings it back.
inline constexpr const char* kSkeletonCopy = ".skeleton";

struct LabFile {
  std::filesystem::path folder;  ///< the folder of lab.toml
  std::string id;                ///< its name
  std::string title;
  std::string contract;  ///< file names within `folder`
  std::string skeleton;
  std::string entry;   ///< "" for a declared lab: it follows from the contract
  std::string oracle;  ///< of a declared lab, which has no lab.cpp: C++ with the right answer to each task
  /// Device profile of modelled times, and the architecture built for without a GPU: the name of a built-in one, or a
  /// TOML file within `folder`.
  std::string profile;
  // The lab's place in the course; "" or 0 if not stated.
  int order = 0;
  int week = 0;
  int hours = 0;                           ///< of work, all of it: what readers of the handout took
  std::string lecture;                     ///< "10, 11"
  std::vector<std::string> prerequisites;  ///< ids of labs
  std::string chapter;                     ///< of the book that the course follows
  std::vector<TaskFile> tasks;
};

/// Reads and checks folder/lab.toml: known keys only, unique names, positive points, existing files. The failure names
/// file, line and key.
Expected<LabFile> read_lab_file(const std::filesystem::path& folder);

/// What the host's side of every lab needs, from a lab's folder: contracts may include it.
inline constexpr const char* kHostHeader = "../cuda_host.cuh";

/// The files of `lab` that are code and not a student's, from its folder: contract, entry or oracle, a profile of its
/// own, and kHostHeader, which labs in a folder of their own may lack.
std::vector<std::string> code_files(const LabFile& lab);

/// The lab's profile as the virtual GPU takes it: the name of a built-in one, or what is in the lab's file.
std::string profile_of(const LabFile& lab);

/// Compares lab.toml with lab.cpp: both must define the same tasks. Returns one sentence per disagreement.
std::vector<std::string> disagreements(const LabFile& file, const Lab& lab);

/// The task of that name, or null.
const Task* find_task(const Lab& lab, const std::string& name);

}  // namespace lanewise
