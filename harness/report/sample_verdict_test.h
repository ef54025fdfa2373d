// A verdict with something of everything, for the tests of the reports.
#pragma once

#include "harness/lab/verdict.h"

namespace lanewise {

inline Verdict sample_verdict() {
  CaseVerdict right;
  right.name = "one block";
  right.group = "check";
  right.sizes = "n = 256";
  right.why = "exactly one block";
  right.points = right.max_points = 4;
  right.outcome = CaseOutcome::kRight;

  CaseVerdict wrong = right;
  wrong.name = "block + 1";
  wrong.sizes = "n = 1025";
  wrong.why = "the second block holds one element";
  wrong.points = 0;
  wrong.outcome = CaseOutcome::kWrong;
  wrong.sentence = "out[1024] is 1, expected 513; 1 of 1,025 wrong, the last element";
  wrong.judgement.right = false;
  wrong.judgement.compared = 1025;
  wrong.judgement.wrong = 1;
  wrong.judgement.rule = "exactly equal";
  wrong.judgement.first = {{"out", 1024, {1024}, "513", "1"}};
  wrong.misconception = "block sums not added";
  wrong.hint = "This is what you get when a block's total is not added to the blocks after it.";

  CaseVerdict same = wrong;
  same.name = "a million";
  same.sizes = "n = 1000003";
  same.sentence = "out[1024] is 7, expected 519; 998979 of 1,000,003 wrong, from 1024 to the end";

  CaseVerdict left_out = right;
  left_out.name = "photograph";
  left_out.outcome = CaseOutcome::kLeftOut;
  left_out.points = 0;
  left_out.sentence = "hubble.jpg was not found";

  Finding finding;
  finding.tool = "racecheck";
  finding.kind = "read-write race";
  finding.kernel = "scan(int*)";
  finding.place = {"scan.cu", 3};
  finding.array = "d_out";
  finding.index = 12;
  finding.sentence = "Another thread may already have overwritten the value.";
  finding.advice = "A barrier belongs between reading and writing.";
  finding.count = 1234;
  finding.case_name = "one block";

  TaskVerdict task;
  task.lab = "scan";
  task.task = "inclusive_scan";
  task.state = TaskState::kGraded;
  task.cases = {right, wrong, same, left_out};
  task.findings = {finding};
  task.parts = {{"correct", 41.25, 55, true, "1 of 3 cases right"},
                {"clean", 7, 10, true, "1 finding"},
                {"fast", 0, 15, false, "this backend does not tell"},
                {"efficient", 0, 10, false, "this backend does not tell"}};
  task.output = "hello\n";
  task.output_bytes = 6;
  task.points = 48.25;
  task.max_points = 65;

  TaskVerdict empty;
  empty.lab = "scan";
  empty.task = "exclusive_scan";
  empty.state = TaskState::kNotStarted;
  empty.message = "does nothing as it stands in scan.cu: if you have written it, is the launch missing?";
  empty.parts = {{"correct", 0, 55, true, "not started"}};
  empty.max_points = 55;

  Verdict verdict;
  verdict.submission = "/home/me/scan.cu";
  verdict.source_hash = "0123456789abcdef";
  verdict.seed = 42;
  verdict.environment = {"vgpu", "virtual GPU (H200 profile)", "13.0", "13.0", "nvcc 13.0.88"};
  verdict.tasks = {task, empty};
  verdict.points = 48.25;
  verdict.max_points = 120;
  verdict.seconds = 1.25;
  return verdict;
}

/// The sample with goals for counters: one missed, one that could not be measured, one met.
inline Verdict sample_with_goals() {
  Verdict verdict = sample_verdict();
  TaskVerdict& task = verdict.tasks.front();
  task.parts[3] = {"efficient", 2, 10, true, "1 of 3 goals met"};
  GoalVerdict missed;
  missed.counter = "sectors_per_request.global_load";
  missed.heading = "sectors per request, global loads";
  missed.case_name = "one block";
  missed.value = "8.00";
  missed.goal = "≤ 4.50";
  missed.is_measured = true;
  missed.max_points = 4;
  missed.place = {"scan.cu", 3};
  missed.sentence = "sectors per request, global loads: 8.00, goal ≤ 4.50; 32.00 here";
  missed.hint = "Let neighbouring threads read neighbouring elements.";
  GoalVerdict unmeasured = missed;
  unmeasured.is_measured = false;
  unmeasured.place = {};
  unmeasured.sentence = "warp instructions: counts once the case 'block + 1' is right";
  GoalVerdict met = missed;
  met.is_met = true;
  met.points = 2;
  met.sentence = "barriers (warps): 8, goal ≤ 8";
  task.goals = {missed, unmeasured, met};
  return verdict;
}

/// The sample with classes of cases: one counted, one not.
inline Verdict sample_with_classes() {
  Verdict verdict = sample_verdict();
  verdict.tasks.front().classes = {"What the length of rows costs",
                                   {"active lanes", "sectors per request, global loads"},
                                   {{"rows of 2", {"6 %", "31.20"}}, {"rows of 32", {}}}};
  return verdict;
}

/// A speed that was measured, with an interval, a library beside it and something still to gain.
inline SpeedVerdict sample_speed() {
  SpeedVerdict speed;
  speed.is_known = speed.is_gradable = true;
  speed.case_name = "large";
  speed.sizes = "n = 67108864";
  speed.device = "NVIDIA H200";
  speed.time = {0.571, 0.567, 0.575};
  speed.ratio = {1.6, 1.59, 1.61};
  speed.baseline = 3.48;
  speed.reference = 0.357;
  speed.peer = "library_cub.cu";
  speed.peer_ratio = 1.7;
  speed.roof = "bandwidth";
  speed.roof_fraction = 0.38;
  speed.bound_by = "shared memory";
  speed.bound_place = {"scan.cu", 4};
  speed.next_milliseconds = 0.545;
  speed.next_points = 13;
  speed.samples = 38;
  speed.discarded = 2;
  speed.clocks = "1,980 MHz, 41 °C, no throttling";
  return speed;
}

/// The sample with that speed, graded.
inline Verdict sample_with_speed() {
  Verdict verdict = sample_verdict();
  TaskVerdict& task = verdict.tasks.front();
  task.speed = sample_speed();
  task.parts[2] = {
      "fast", 12.2, 15, true,
      "0.571 ± 0.004 ms on NVIDIA H200 · 6.1 × faster than naive · 1.6 × the reference's time · 38 % of the "
      "bandwidth roof · bound by: shared memory, scan.cu:4 · next: ≤ 0.545 ms → 13"};
  return verdict;
}

}  // namespace lanewise
