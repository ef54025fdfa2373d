// Computes points from observations: a pure function, so a score can be recomputed and explained line by line.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/lab_file.h"
#include "harness/lab/questions.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// What is known about a task's written questions.
struct Understanding {
  bool has_key = false;       ///< the right answers are available
  std::string trouble;        ///< why the student's answers cannot be read, or ""
  std::vector<Marked> marks;  ///< with a key: one per question
  std::size_t questions = 0;  ///< how many there are
  std::size_t answered = 0;   ///< how many have an answer
};

/// The five parts of a task's score:
///
/// - correct: the part's points times the share of case points earned. Cases left out do not count. A case without
///   elements is right even if nothing is done: it earns its points once another case is right.
/// - clean: each checker with findings costs half of the part; no points for a task without a right case, because
///   doing nothing is not clean work. Scored if the backend has checkers and a case could be run.
/// - understood: the part's points times the share of question points earned; an answer that awaits marking does
///   not count. Scored if the key is available and something is marked.
/// - efficient: the part's points times the share of goal points earned; no points for a task without a right case.
///   Scored if the backend has counters and the lab has goals whose cases could be run.
/// - fast: only if every case is right: full points up to kFullSpeedRatio × the reference's time, none from the naive
///   step's time upwards, linear in the time's logarithm between. None while a time is under review. Scored if the
///   speed is gradable.
std::vector<PartScore> score_task(const PartPoints& points, const std::vector<CaseVerdict>& cases,
                                  const std::vector<Finding>& findings, bool has_checkers,
                                  const Understanding& understanding, const std::vector<GoalVerdict>& goals,
                                  const SpeedVerdict& speed);

/// Rescores "understood" from task.marks after a human gave points, and sums up the task. Does nothing without marks.
void score_marks(TaskVerdict& task);

/// Sets the sums of a task from its parts, counting scored parts only.
void sum_parts(TaskVerdict& task);

/// Sets the sums of a verdict from its tasks.
void sum_tasks(Verdict& verdict);

}  // namespace lanewise
