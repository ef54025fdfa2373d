// measured.toml of a lab's solutions: how long each step took on a GPU, as `lanewise bench` wrote it there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// One step or peer at one race case.
struct MeasuredTime {
  std::string step;  ///< file name: "1_naive.cu"
  std::string case_name;
  double milliseconds = 0;  ///< median
  int samples = 0;
  double bytes = 0;  ///< of the lab's work model
  double flops = 0;
  bool right = true;   ///< whether the judge accepted what it computed
  std::string source;  ///< code_hash of the file that was timed
};

/// All times of one task, taken in one go on one machine.
struct MeasuredTask {
  std::string name;
  std::string gpu;     ///< "NVIDIA H200"
  std::string driver;  ///< "580.95.05"
  std::string cuda;    ///< "13.0"
  int sm_clock = 0;    ///< MHz, the highest seen right after a step's last sample; 0: not known
  std::string date;    ///< "2026-11-22"
  std::vector<MeasuredTime> times;
};

/// No tasks if there is no such file.
Expected<std::vector<MeasuredTask>> read_measured(const std::filesystem::path& file);

/// What read_measured reads.
std::string measured_text(const std::vector<MeasuredTask>& tasks);

/// "3,830 GB/s", or "51.2 TFLOP/s" for work that is limited by arithmetic; "" where the work model says nothing.
std::string rate_text(double milliseconds, double bytes, double flops);

/// Tells versions of a step apart: a hash of its lines that are neither empty nor mere comments, so that numbers in the
/// header may be brought up to date.
std::string code_hash(const std::string& source);

/// "0.842 ms"
std::string milliseconds_text(double milliseconds);

}  // namespace lanewise
