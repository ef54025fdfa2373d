// How long the steps and peers of a ladder take on a GPU.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/ladder_steps.h"
#include "harness/lab/measured.h"

namespace lanewise {

struct TimingOptions {
  std::filesystem::path scratch;  ///< a folder with room for the largest case
  std::string date;               ///< "2026-11-22"
  std::string group = "race";     ///< of cases
  std::function<void(const std::string&)> progress;
  std::function<void(const std::string&)> trouble;  ///< told of each step that could not be timed, or is not right
};

/// Times every step and peer at every case of the group, one after the other on an otherwise idle machine, and judges
/// the outputs of each one's last sample. What cannot be timed is left out. A failure says why nothing could be.
Expected<MeasuredTask> time_ladder(const Ladder& ladder, const Workplace& workplace, const TimingOptions& options);

/// The times of one task as lines for a terminal: milliseconds, rate, how much faster than the baseline, and the rate
/// as a multiple of the fastest peer's.
std::string times_text(const MeasuredTask& task, const Ladder& ladder);

/// Whether a step was timed at every case of the group that is for a GPU, and was right each time.
bool has_right_times(const MeasuredTask& task, const TaskFile& file, const std::string& group,
                     const DemoSubmission& step);

/// `tasks` with the one of the same name replaced, or with one more.
std::vector<MeasuredTask> with_task(std::vector<MeasuredTask> tasks, const MeasuredTask& task);

/// The middle of `samples`, which is not empty.
double median(std::vector<double> samples);

/// What lanewise-call-task --samples wrote.
struct Samples {
  std::string gpu, driver, cuda;
  int sm_clock = 0;
  std::vector<double> milliseconds;
};
Samples parse_samples(const std::string& text);

}  // namespace lanewise
