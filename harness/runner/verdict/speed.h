// From times to a speed that can be graded: what a submission is held against, which share of the points that earns,
// and how it is said.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/counters.h"
#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"
#include "harness/lab/speed_file.h"
#include "harness/lab/verdict.h"
#include "harness/runner/timing/timing.h"

namespace lanewise {

/// As a multiple of the reference's time: up to here a submission has all the points of "fast".
inline constexpr double kFullSpeedRatio = 1.2;

/// Of a task whose lab names no case to be modelled.
inline constexpr const char* kNotModelled = "it is timed on a GPU only: no model tells this task's steps apart";

/// The share of the points of "fast" that a known, gradable speed earns.
double speed_share(const SpeedVerdict& speed);

/// The longest time, in milliseconds, that earns this share (of 0 to 1).
double milliseconds_for_share(const SpeedVerdict& speed, double share);

/// Puts the virtual GPU's time of one right case into `speed`, with what bounds it and how near it is to the roof.
/// `work` is the lab's of that case, whose [task.speed] says which of the modelled times counts. No time if no kernel
/// ran; under review if the kernels hardly touched the data.
void take_modelled(const CounterReport& counts, const Work& work, const SpeedFile& file, SpeedVerdict& speed);

/// A counted call, and the work that the lab says it is.
struct SizedCall {
  ModelledTime time;
  Work work;
};

/// Corrects a time at scale, which take_modelled has put into `speed`, by how the call's serial time has grown since a
/// smaller one, or that of the kernel which takes longest: a kernel that gives more data to more blocks keeps it, and
/// loses nothing; one that gives them to the same blocks is as many times as slow, and so is a loop of launches.
void take_growth(const SizedCall& call, const SizedCall& smaller, SpeedVerdict& speed);

/// Holds a modelled speed against the lab's marks, which may be null: then it is not gradable.
void compare_with_marks(const SpeedMarks* marks, const TaskFile& task, SpeedVerdict& speed);

/// What timing gave, as a speed of the request's submission. Not gradable if the baseline or the reference is missing
/// or could not be timed.
SpeedVerdict measured_speed(const TimingRequest& request, const TimingResult& result);

/// Sets the next threshold: the next whole point of `max_points` above what the speed earns now.
void set_next_threshold(double max_points, SpeedVerdict& speed);

/// A known speed on one line: "modelled 0.42 ms at scale on H200 · 6.1 × faster than naive · 1.6 × the reference's time
/// · 38 % of the bandwidth roof · bound by: shared memory, scan.cu:44 · next: ≤ 0.36 ms → 13".
std::string speed_text(const SpeedVerdict& speed);

}  // namespace lanewise
