// How long the steps and peers of a ladder take on a GPU.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/bench/ladder_steps.h"
#include "grader/bench/ready_cases.h"
#include "harness/lab/measured.h"
#include "harness/measure/sample.h"

namespace lanewise {

struct TimingOptions {
  std::filesystem::path scratch;                     ///< an existing folder for small files
  std::string date;                                  ///< "2026-11-22"
  std::string cccl;                                  ///< "3.0.1"; may be empty
  std::function<void(const std::string&)> progress;  ///< called once per step with what is timed now
  std::function<void(const std::string&)> trouble;   ///< called for each step that could not be timed, or is not right
};

/// Times every step and peer on every case meant for it, one after another, and judges the outputs of each one's last
/// sample. One process per step runs all cases; if a case breaks it, the remaining cases get a new process. What cannot
/// be timed is left out. Returns a task for each group that was timed. Removes the cases' files.
std::vector<MeasuredTask> time_ladder(const Ladder& ladder, const std::vector<ReadyCase>& cases,
                                      const Workplace& workplace, const TimingOptions& options);

/// The times of one group as lines for a terminal: milliseconds, rate, how much faster than the baseline, and the rate
/// as a multiple of the fastest peer's.
std::string times_text(const MeasuredTask& task, const Ladder& ladder);

/// The fastest of a ladder's peers on a case; one with a different result only if there is no other; null if none.
const MeasuredTime* fastest_peer(const MeasuredTask& task, const std::vector<std::string>& peers,
                                 const std::string& case_name);

/// The file names of a ladder's peers.
std::vector<std::string> peers_of(const Ladder& ladder);

/// Whether a step was timed on every GPU case in lab.toml's `group`, and was right each time.
bool has_right_times(const MeasuredTask& task, const TaskFile& file, const std::string& group,
                     const SolutionFile& step);

/// What lanewise-call-task --samples wrote for one case.
struct Samples {
  std::size_t problem = 0;  ///< its number on the command line
  std::string gpu, driver, cuda;
  unsigned default_clock = 0;  ///< MHz; 0: not known
  std::vector<measure::Sample> samples;
};
std::vector<Samples> parse_samples(const std::string& text);

/// Fills in the time, its interval, and the number of samples that count. Samples taken while the clock was low do not
/// count (measure::is_throttled), unless all were. Returns the samples that count.
std::vector<measure::Sample> summarise(const Samples& samples, MeasuredTime& time);

}  // namespace lanewise
