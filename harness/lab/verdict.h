// The verdict: everything a run of the harness found out, as plain data. Report, score, store and board only read it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/lab/judgement.h"
#include "harness/lab/marked.h"

namespace lanewise {

/// Raised whenever a field changes meaning; written into every results.json.
inline constexpr int kVerdictSchemaVersion = 5;

/// A place in a student's source. `line` 0 means unknown.
struct SourcePlace {
  std::string file;  ///< base name
  int line = 0;
};

/// What a checker of the virtual GPU (or a guard band on a GPU) saw.
struct Finding {
  std::string tool;    ///< "memcheck", "initcheck", "racecheck", "synccheck", "runtime"
  std::string kind;    ///< "out-of-bounds write", "use after free", ...
  std::string kernel;  ///< demangled name; empty for host calls
  SourcePlace place;
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
  std::string array;       ///< name of the array concerned, or ""
  std::int64_t index = 0;  ///< element of that array (may lie outside it); meaningful when `array` is not empty
  std::string sentence;    ///< what happened and why it is wrong
  std::string advice;      ///< what usually mends it
  std::int64_t count = 1;  ///< how often, over all threads
  std::string case_name;   ///< the first case it was seen in
};

enum class CaseOutcome : std::uint8_t {
  kRight,
  kWrong,      ///< outputs differ from the oracle's, or bytes outside the outputs were changed
  kCudaError,  ///< the runtime reported an error, or one was left behind
  kCrashed,    ///< the process died in the submission's host code
  kExited,     ///< the submission ended the process
  kTimedOut,   ///< wall clock or instruction budget
  kNotRun,     ///< given up after earlier cases of the task hung
  kLeftOut,    ///< data missing, or the case belongs to another backend; carries no points
};

struct CaseVerdict {
  std::string name;
  std::string group;  ///< "check", "grade" or "race"
  std::string sizes;  ///< its scalars, "n = 1025"; may be empty
  std::string why;    ///< the reason this case exists, from lab.toml
  double points = 0;
  double max_points = 0;
  CaseOutcome outcome = CaseOutcome::kNotRun;
  std::string sentence;               ///< one line; empty for a right case
  Judgement judgement;                ///< filled for kRight and kWrong
  std::string misconception;          ///< name of the one whose outcome this equals, or ""
  std::string hint;                   ///< that misconception's hint
  std::vector<std::string> pictures;  ///< files written next to the report
  double seconds = 0;                 ///< wall clock from go to done; a diagnosis, not a measurement
};

/// One of the parts a task's points are made of: correct, clean, understood, fast, efficient.
struct PartScore {
  std::string name;
  double points = 0;
  double max_points = 0;
  bool scored = true;    ///< false: this version or backend cannot observe it; it then counts neither way
  std::string evidence;  ///< one line: why this many
};

/// A goal on a counter of the virtual GPU, and whether it was met.
struct GoalVerdict {
  std::string counter;    ///< "sectors_per_request.global_load"
  std::string heading;    ///< in words: "sectors a request, global loads"
  std::string case_name;  ///< whose cost is meant
  std::string value;      ///< "8.00"; empty if it was not measured
  std::string goal;       ///< "≤ 4.50"
  bool is_measured = false;
  bool is_left_out = false;  ///< its case could not be run for no fault of the submission's; it then counts neither way
  bool is_met = false;
  double points = 0;
  double max_points = 0;
  SourcePlace place;     ///< the line that costs most of what is too much; unknown for counters that have no lines
  std::string sentence;  ///< one line: value and goal, or why it was not measured
  std::string hint;      ///< the lab's, on what usually mends it; may be empty
};

/// What cases that differ in one property cost (`classes` of the lab), side by side.
struct ClassTable {
  struct Row {
    std::string case_name;
    std::vector<std::string> values;  ///< one a heading; none if the case was not right, or not counted
  };

  std::string title;                  ///< empty: the lab has no classes, or nothing was counted
  std::vector<std::string> headings;  ///< of counters: "active lanes"
  std::vector<Row> rows;              ///< in the order of the lab
};

/// A time with what is known of its spread. All three are equal where nothing is random.
struct TimeEstimate {
  double milliseconds = 0;  ///< 0: not known
  double low = 0;           ///< of the 95 % interval of the median
  double high = 0;
};

/// How fast a submission is, beside the steps and peers it is held against.
struct SpeedVerdict {
  bool is_known = false;     ///< there is a time; if not, `sentence` says why
  bool is_gradable = false;  ///< "fast" can be scored here, whatever the submission does; if not, `sentence` says why
  bool is_modelled = false;  ///< by the virtual GPU's model of the device, not by a clock
  bool is_at_scale = false;  ///< modelled per part of a call so large that it fills the device
  std::string case_name;     ///< that was timed
  std::string sizes;         ///< its scalars, "n = 1025"; may be empty
  std::string device;        ///< "NVIDIA H200"; of a modelled time, the profile's name
  TimeEstimate time;
  TimeEstimate ratio;     ///< to the reference, as if milliseconds were a pure number: 1.6 is slower; measured in pairs
  double baseline = 0;    ///< milliseconds of the naive step; 0: not known
  double reference = 0;   ///< likewise
  std::string peer;       ///< file name of the fastest peer that was timed; may be empty
  double peer_ratio = 0;  ///< time of the submission as a multiple of the peer's; 0: none was timed
  std::string roof;  ///< "bandwidth", "copy" (measured meanwhile) or "arithmetic"; empty: the work model says nothing
  double roof_fraction = 0;      ///< fraction of that roof reached
  std::string bound_by;          ///< what its kernels wait for: "memory", "shared memory"; empty where nothing tells
  SourcePlace bound_place;       ///< the line that costs most of that
  double next_milliseconds = 0;  ///< the next threshold: at most this long...
  double next_points = 0;        ///< ...for that many points of "fast"; 0: they are full, or no time is known
  int samples = 0;
  int discarded = 0;     ///< taken while the clock was low
  std::string clocks;    ///< what the device did meanwhile: "1,980 MHz, 41 °C, no throttling"; may be empty
  std::string review;    ///< why a human should look at it before it counts; it then earns nothing
  std::string sentence;  ///< one line: why there is no time, or no points can be given for it
};

enum class TaskState : std::uint8_t {
  kNotStarted,    ///< the function does nothing: not written yet, or its launch is missing
  kMissing,       ///< the file does not define the contract's function
  kRefused,       ///< by the audit
  kCompileError,  ///< nvcc's words are in `message`
  kGraded,
};

struct TaskVerdict {
  std::string lab;
  std::string task;
  TaskState state = TaskState::kNotStarted;
  std::string message;  ///< for every state but kGraded: what to know, possibly many lines
  std::vector<PartScore> parts;
  std::vector<CaseVerdict> cases;
  std::vector<Finding> findings;
  std::vector<GoalVerdict> goals;
  ClassTable classes;
  SpeedVerdict speed;
  std::vector<Marked> marks;       ///< of each written question; none where the key is not at hand
  std::string output;              ///< what the submission printed, cut to a limit
  std::uint64_t output_bytes = 0;  ///< how much it printed in all
  double points = 0;               ///< sum over scored parts
  double max_points = 0;           ///< sum over scored parts
};

/// Where and with what the submission ran.
struct Environment {
  std::string backend;  ///< "gpu" or "vgpu"
  std::string device;   ///< "NVIDIA H200", "virtual GPU (H200 profile)"
  std::string runtime_version;
  std::string driver_version;
  std::string compiler;  ///< nvcc's version
};

struct Verdict {
  int schema_version = kVerdictSchemaVersion;
  std::string submission;   ///< path as given
  std::string source_hash;  ///< of the source and all that decides its build
  std::uint64_t seed = 0;
  Environment environment;
  std::vector<TaskVerdict> tasks;
  double points = 0;
  double max_points = 0;
  double seconds = 0;  ///< wall clock of the whole grading
};

}  // namespace lanewise
