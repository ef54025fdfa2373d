// measured.toml of a lab's solutions: how long each step took on a GPU, written by `lanewise bench`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// One step or peer at one case.
struct MeasuredTime {
  std::string step;  ///< file name: "1_naive.cu"
  std::string case_name;
  double milliseconds = 0;  ///< median
  int samples = 0;
  double bytes = 0;  ///< from the lab's work model
  double flops = 0;
  bool right = true;   ///< whether the judge accepted what it computed
  std::string source;  ///< code_hash of the file that was timed
  double low = 0;      ///< milliseconds, lower end of the median's 95 % interval; 0: not known
  double high = 0;     ///< likewise, upper end
  int discarded = 0;   ///< samples taken while the clock was low
  double size = 0;     ///< value of the scaled parameters in a scaling group; otherwise 0
  double written = 0;  ///< the part of `bytes` that belongs to the outputs
};

// Groups of times. A task has one MeasuredTask per group measured.
inline constexpr const char* kRaceTimes = "race";        ///< at the race cases
inline constexpr const char* kCheckTimes = "check";      ///< at the ladder's case, whose counters are shown
inline constexpr const char* kScalingTimes = "scaling";  ///< at the cases of [task.scaling], in ascending order

/// All times of one group of a task, taken in one run on one machine.
struct MeasuredTask {
  std::string name;
  std::string gpu;     ///< "NVIDIA H200"
  std::string driver;  ///< "580.95.05"
  std::string cuda;    ///< "13.0"
  int sm_clock = 0;    ///< MHz, the highest seen just after a sample; 0: not known
  std::string date;    ///< "2026-11-22"
  std::vector<MeasuredTime> times;
  std::string group = kRaceTimes;
  std::string cccl{};        ///< "3.0.1", the version of the toolkit's libraries; may be empty
  int lowest_clock = 0;      ///< MHz, the lowest seen just after a sample that counts; 0: not known
  std::string throttling{};  ///< why the device slowed down during the run; empty: no slowdown seen
};

/// The group of the task of that name, or null.
const MeasuredTask* find_measured(const std::vector<MeasuredTask>& tasks, const std::string& name,
                                  const std::string& group);

/// The time of a step at a case, or null. Not for scaling groups, which have several.
const MeasuredTime* find_time(const MeasuredTask& task, const std::string& step, const std::string& case_name);

/// `tasks` with the one of the same name and group replaced, or the new one appended.
std::vector<MeasuredTask> with_task(std::vector<MeasuredTask> tasks, const MeasuredTask& task);

/// No tasks if there is no such file.
Expected<std::vector<MeasuredTask>> read_measured(const std::filesystem::path& file);

/// The text that read_measured reads.
std::string measured_text(const std::vector<MeasuredTask>& tasks);

/// Whether arithmetic, rather than device memory, limits such work.
bool is_arithmetic(double bytes, double flops);

/// Bytes per second, or operations per second for work limited by arithmetic; 0 where the work model says nothing.
double rate_of(double milliseconds, double bytes, double flops);

/// "3,830 GB/s", or "51.2 TFLOP/s" for work limited by arithmetic; "" where the work model says nothing.
std::string rate_text(double milliseconds, double bytes, double flops);

/// The lines of a source that are code: without comments, and without lines that are blank then.
std::vector<std::string> code_lines(const std::string& source);

/// Tells versions of a step apart: a hash of its code_lines, so that the texts in a step can be edited without another
/// measurement.
std::string code_hash(const std::string& source);

/// "0.842 ms"
std::string milliseconds_text(double milliseconds);

/// "0.842 ± 0.003 ms", with the farther end of the interval; without an interval, the same as milliseconds_text.
std::string interval_text(const MeasuredTime& time);

}  // namespace lanewise
