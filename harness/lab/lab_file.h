// lab.toml as plain data: what a lab's author decides without writing code.
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
  std::string case_name;  ///< of the group check, whose cost is meant; that of the ladder if none is named
  double at_most = 0;
  double points = 0;
  std::string hint;  ///< shown where it is missed: what usually mends it
};

/// The [task.ladder]: what the table of the task's solutions shows (`lanewise bench`).
struct LadderFile {
  std::string case_name;              ///< of the group check; "" if there is no table
  std::vector<std::string> counters;  ///< columns: names of known_counters()
  std::string note{};                 ///< why the fastest step is behind its peer, where it is; may be empty
  std::vector<std::string> losses{};  ///< steps declared slower than the one before: they are there for what they teach
};

/// The [task.scaling]: at which sizes `lanewise bench` times the last step, the reference and the peer on a GPU.
struct ScalingFile {
  std::string case_name;                ///< of the group race, whose other parameters stay
  std::vector<std::string> parameters;  ///< that take each value together: "n", or "m", "n" and "k"
  std::vector<std::int64_t> values;     ///< from small to large; none: no such figure
};

/// The [task.classes]: cases that differ in one property of their data, and the counters that tell what it costs.
struct ClassesFile {
  std::string title;                  ///< "What the length of rows costs"; "" if there are none
  std::vector<std::string> cases;     ///< of the group check
  std::vector<std::string> counters;  ///< names of known_counters()
};

/// The [task.speed]: which cases the points of "fast" are about.
struct SpeedFile {
  std::string modelled_case;   ///< of the group check; that of the ladder if none is named; "" if none can be modelled
  std::string measured_case;   ///< of the group speed, for a GPU; "" if there is none
  std::string race_case;       ///< of the group race, whose order modelled times must have; "" if there is none
  bool is_whole_call = false;  ///< the modelled case is scored as it is, rather than at scale
};

/// Points of a task, by part. `points = { correct = 55, ... }`
struct PartPoints {
  double correct = 0;
  double fast = 0;
  double efficient = 0;
  double clean = 0;
  double understood = 0;
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
  ClassesFile classes;
  SpeedFile speed;
  int line = 0;
};

struct LabFile {
  std::filesystem::path folder;  ///< that holds lab.toml
  std::string id;                ///< its name
  std::string title;
  std::string contract;  ///< file names within `folder`
  std::string skeleton;
  std::string entry;
  std::string profile;  ///< device profile of modelled times, and the architecture built for without a GPU
  // The lab's place in the course; "" or 0 where nothing is said.
  int order = 0;
  int week = 0;
  std::string lecture;                     ///< "10, 11"
  std::vector<std::string> prerequisites;  ///< ids of labs
  std::string chapter;                     ///< of the book that the course follows
  std::vector<TaskFile> tasks;
};

/// Reads and checks folder/lab.toml: known keys only, unique names, positive points, files that exist. The failure
/// names file, line and key.
Expected<LabFile> read_lab_file(const std::filesystem::path& folder);

/// Holds lab.toml against lab.cpp: the same tasks on both sides. Returns the sentences of all that disagrees.
std::vector<std::string> disagreements(const LabFile& file, const Lab& lab);

/// The task of that name, or null.
const Task* find_task(const Lab& lab, const std::string& name);

}  // namespace lanewise
