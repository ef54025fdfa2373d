// The verdict: all findings of a run of the harness, as plain data. Report, score, store and board only read it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/lab/judgement.h"
#include "harness/lab/marked.h"

namespace lanewise {

/// Incremented whenever a field changes meaning; written into every results.json.
inline constexpr int kVerdictSchemaVersion = 6;

/// A place in a student's source. `line` 0 means unknown.
struct SourcePlace {
  std::string file;  ///< base name
  int line = 0;
};

/// What a checker of the virtual GPU (or a guard band on a GPU) saw.
/// A place in a submission's host code, by the file that it was compiled to.
struct CodeSite {
  std::string object;        ///< the file's name; empty: unknown
  std::uint64_t offset = 0;  ///< as the file's own tables count
};

/// Memory that a submission allocated, as findings name it ("allocation#3"), and where.
struct OwnAllocation {
  std::string name;
  CodeSite site;
};

struct Finding {
  std::string tool;    ///< "memcheck", "initcheck", "racecheck", "synccheck", "runtime"
  std::string kind;    ///< "out-of-bounds write", "use after free", ...
  std::string kernel;  ///< demangled name; empty for host calls
  SourcePlace place;
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
  std::string array;       ///< name of the array involved, or ""
  std::int64_t index = 0;  ///< element of that array (may lie outside it); meaningful if `array` is not empty
  std::string element;     ///< that element as the source writes it, "a_tile[14][0]", where array[index] is not how
  std::string sentence;    ///< what happened and why it is wrong
  std::string advice;      ///< the usual fix
  std::int64_t count = 1;  ///< how often, over all threads
  std::string case_name;   ///< the first case it was seen in
  std::uint32_t shared_element_bytes = 0;  ///< what `index` counts in, for shared memory; until `element` is known
  CodeSite site;                           ///< of the host call; until locate_host_code() has made a place of it
  std::vector<OwnAllocation> allocations;  ///< that it speaks of; until they have names
};

enum class CaseOutcome : std::uint8_t {
  kRight,
  kWrong,      ///< outputs differ from the oracle's, or bytes outside the outputs were changed
  kCudaError,  ///< the runtime reported an error, or one was left pending
  kCrashed,    ///< the process died in the submission's host code
  kExited,     ///< the submission ended the process
  kTimedOut,   ///< exceeded its wall-clock or instruction budget
  kNotRun,     ///< skipped after earlier cases of the task hung
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
  std::string misconception;          ///< name of the misconception with the same outcome, or ""
  std::string hint;                   ///< that misconception's hint
  std::vector<std::string> pictures;  ///< files written next to the report
  double seconds = 0;                 ///< wall clock from start to end; for diagnosis, not a measurement
  CodeSite crash_site;                ///< of the instruction in host code; until it is known as a place
  OwnAllocation touched;              ///< by that instruction, as `sentence` says; until it has a name
  SourcePlace place;                  ///< where host code crashed, if it is known
};

/// One part of a task's points: correct, clean, understood, fast, efficient.
struct PartScore {
  std::string name;
  double points = 0;
  double max_points = 0;
  bool scored = true;    ///< false: not observable in this version or backend; it then counts neither for nor against
  std::string evidence;  ///< one line: the reason for the points
};

/// A goal on a counter of the virtual GPU, and whether it was met.
struct GoalVerdict {
  std::string counter;    ///< "sectors_per_request.global_load"
  std::string heading;    ///< in words: "sectors per request, global loads"
  std::string case_name;  ///< whose cost is counted
  std::string value;      ///< "8.00"; empty if it was not measured
  std::string goal;       ///< "≤ 4.50"
  bool is_measured = false;
  bool is_left_out = false;  ///< its case could not be run, through no fault of the submission
  bool is_met = false;
  double points = 0;
  double max_points = 0;
  SourcePlace place;     ///< the line that contributes most to the excess; unknown for counters without lines
  std::string sentence;  ///< one line: value and goal, or why it was not measured
  std::string hint;      ///< the lab's, on the usual fix; may be empty
};

/// The cost of cases that differ in one property (`classes` of the lab), side by side.
struct ClassTable {
  struct Row {
    std::string case_name;
    std::vector<std::string> values;  ///< one per heading; none if the case was not right or not counted
  };

  std::string title;                  ///< empty: the lab has no classes, or nothing was counted
  std::vector<std::string> headings;  ///< of counters: "active lanes"
  std::vector<Row> rows;              ///< in the order of the lab
};

/// A time with what is known of its spread. All three are equal if nothing is random.
struct TimeEstimate {
  double milliseconds = 0;  ///< 0: not known
  double low = 0;           ///< lower end of the median's 95 % interval
  double high = 0;
};

/// How fast a submission is, next to the steps and peers it is compared with.
struct SpeedVerdict {
  bool is_known = false;     ///< there is a time; if not, `sentence` says why
  bool is_gradable = false;  ///< "fast" can be scored here for any submission; if not, `sentence` says why
  bool is_modelled = false;  ///< from the virtual GPU's model of the device, not from a clock
  bool is_at_scale = false;  ///< modelled per part of a call large enough to fill the device
  std::string case_name;     ///< the timed case
  std::string sizes;         ///< its scalars, "n = 1025"; may be empty
  std::string device;        ///< "NVIDIA H200"; for a modelled time, the profile's name
  TimeEstimate time;
  TimeEstimate ratio;     ///< to the reference, a pure number despite the field names: 1.6 is slower; measured in pairs
  double baseline = 0;    ///< milliseconds of the naive step; 0: not known
  double reference = 0;   ///< likewise
  std::string peer;       ///< file name of the fastest peer that was timed; may be empty
  double peer_ratio = 0;  ///< time of the submission as a multiple of the peer's; 0: none was timed
  double lasting = 0;     ///< modelled: milliseconds in a row in kernels, however much data there is; or 0
  double lasting_kernel = 0;  ///< of these, in the kernel that takes the most of them
  std::string roof;           ///< "bandwidth", "copy" (measured in the same run) or "arithmetic"; empty: no work model
  double roof_fraction = 0;   ///< fraction of the roof reached
  std::string bound_by;       ///< what its kernels wait for: "memory", "shared memory"; empty if unknown
  SourcePlace bound_place;    ///< the line that contributes most to that
  double next_milliseconds = 0;  ///< the next threshold: at most this long...
  double next_points = 0;        ///< ...for that many points of "fast"; 0: they are full, or no time is known
  int samples = 0;
  int discarded = 0;     ///< taken while the clock was low
  std::string clocks;    ///< the device during the run: "1,980 MHz, 41 °C, no throttling"; may be empty
  std::string review;    ///< why a human should look at it before it counts; it then earns nothing
  std::string sentence;  ///< one line: why there is no time, or why it earns no points
};

enum class TaskState : std::uint8_t {
  kNotStarted,    ///< the function does nothing: not written yet, or its launch is missing
  kMissing,       ///< the file does not define the contract's function
  kRefused,       ///< by the audit
  kCompileError,  ///< the compiler's messages are in `message`
  kGraded,
};

struct TaskVerdict {
  std::string lab;
  std::string task;
  TaskState state = TaskState::kNotStarted;
  std::string message;  ///< for every state but kGraded: an explanation, possibly many lines
  std::string partial;  ///< why only some cases were run, at the user's own wish; there are then no parts and no points
  std::vector<PartScore> parts;
  std::vector<CaseVerdict> cases;
  std::vector<Finding> findings;
  std::vector<GoalVerdict> goals;
  ClassTable classes;
  SpeedVerdict speed;
  std::vector<Marked> marks;       ///< of each written question; none if the key is not available
  std::string output;              ///< what the submission printed, up to a limit
  std::uint64_t output_bytes = 0;  ///< how much it printed in all
  double points = 0;               ///< sum over scored parts
  double max_points = 0;           ///< sum over scored parts
};

/// The machine and software on which the submission ran.
struct Environment {
  std::string backend;  ///< "gpu", "vgpu", or "both": checked on the virtual GPU, timed on a GPU
  std::string device;   ///< "NVIDIA H200", "virtual GPU (H200 profile)"
  std::string runtime_version;
  std::string driver_version;
  std::string compiler;  ///< "nvcc 13.0.88"
};

struct Verdict {
  int schema_version = kVerdictSchemaVersion;
  std::string submission;   ///< path as given
  std::string source_hash;  ///< of the source and everything that affects its build
  std::uint64_t seed = 0;
  Environment environment;
  std::vector<TaskVerdict> tasks;
  double points = 0;
  double max_points = 0;
  double seconds = 0;  ///< wall clock of the whole grading
};

}  // namespace lanewise
