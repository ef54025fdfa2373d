// How long the steps and peers of a ladder take on a GPU.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/ladder_steps.h"
#include "grader/ready_cases.h"
#include "harness/lab/measured.h"
#include "harness/measure/sample.h"

namespace lanewise {

struct TimingOptions {
  std::filesystem::path scratch;                     ///< an existing folder for small files
  std::string date;                                  ///< "2026-11-22"
  std::string cccl;                                  ///< "3.0.1"; may be empty
  std::function<void(const std::string&)> progress;  ///< told what is timed now, once a step
  std::function<void(const std::string&)> trouble;   ///< told of each step that could not be timed, or is not right
};

/// Times every step and peer at every case that it is for, one after the other, and judges the outputs of each one's
/// last sample. A process a step takes all cases; where one breaks it, the cases after that one get a process of their
/// own. What cannot be timed is left out. Gives a task for each group that was timed. Removes the cases' files.
std::vector<MeasuredTask> time_ladder(const Ladder& ladder, const std::vector<ReadyCase>& cases,
                                      const Workplace& workplace, const TimingOptions& options);

/// The times of one group as lines for a terminal: milliseconds, rate, how much faster than the baseline, and the rate
/// as a multiple of the fastest peer's.
std::string times_text(const MeasuredTask& task, const Ladder& ladder);

/// The fastest of a ladder's peers at a case; one with another result only if there is no other; null if there is none.
const MeasuredTime* fastest_peer(const MeasuredTask& task, const std::vector<std::string>& peers,
                                 const std::string& case_name);

/// The file names of a ladder's peers.
std::vector<std::string> peers_of(const Ladder& ladder);

/// Whether a step was timed at every case of lab.toml's `group` that is for a GPU, and was right each time.
bool has_right_times(const MeasuredTask& task, const TaskFile& file, const std::string& group,
                     const SolutionFile& step);

/// What lanewise-call-task --samples wrote of one case.
struct Samples {
  std::size_t problem = 0;  ///< its number on the command line
  std::string gpu, driver, cuda;
  unsigned default_clock = 0;  ///< MHz; 0: not known
  std::vector<measure::Sample> samples;
};
std::vector<Samples> parse_samples(const std::string& text);

/// What the environment says of which GPU there is, and where its driver lies.
std::vector<std::string> gpu_environment();

/// Fills the time, its interval, and how many samples count. Those taken while the clock was low do not
/// (measure::is_throttled), unless all were. Returns the samples that count.
std::vector<measure::Sample> summarise(const Samples& samples, MeasuredTime& time);

}  // namespace lanewise
