// Points from observations: a pure function, so that a score can be recomputed and explained line by line.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/lab_file.h"
#include "harness/lab/questions.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// What is known about a task's written questions.
struct Understanding {
  bool has_key = false;       ///< the right answers are at hand
  std::string trouble;        ///< why the student's answers cannot be read, or ""
  std::vector<Marked> marks;  ///< with a key: one for each question
  std::size_t questions = 0;  ///< how many are asked
  std::size_t answered = 0;   ///< how many have an answer
};

/// The five parts of a task's score:
///
/// - correct: the part's points times the share of case points earned. Cases left out count neither way. A case without
///   elements is right for whoever does nothing: it earns its points once another case is right.
/// - clean: each line of the source with findings takes three tenths of the part; nothing for a task without a right
///   case, since doing nothing is not clean work. Scored where the backend has checkers and a case could be run.
/// - understood: the part's points times the share of question points earned; an answer that waits for a human counts
/// neither way.
///   Scored where the key is at hand and something is marked.
/// - efficient: the part's points times the share of goal points earned; nothing for a task without a right case.
///   Scored where the backend has counters and the lab has goals whose cases could be run.
/// - fast: only if every case is right: all at a time of at most kFullSpeedRatio × the reference's, nothing at that of
///   the naive step or above, linear in the time's logarithm between. Nothing while a time is under review. Scored
///   where the speed is gradable.
std::vector<PartScore> score_task(const PartPoints& points, const std::vector<CaseVerdict>& cases,
                                  const std::vector<Finding>& findings, bool has_checkers,
                                  const Understanding& understanding, const std::vector<GoalVerdict>& goals,
                                  const SpeedVerdict& speed);

/// Scores "understood" anew from task.marks, after a human gave points, and sums the task up. Without marks nothing is
/// done.
void score_marks(TaskVerdict& task);

/// Sets the sums of a task from its parts, counting scored parts only.
void sum_parts(TaskVerdict& task);

/// Sets the sums of a verdict from its tasks.
void sum_tasks(Verdict& verdict);

}  // namespace lanewise
