// Compares the points that the steps of a ladder earn with their times on a GPU.
//
// Taking the next step of a ladder must not cost points, and slowing a kernel down must not earn any. These are the
// rules that a lab's points must satisfy; `lanewise bench` fails if one is broken.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/lab_file.h"
#include "harness/lab/measured.h"
#include "harness/lab/modelled.h"

namespace lanewise {

/// One step, as far as it is known.
struct OrderedStep {
  std::string file;         ///< "1_naive.cu"
  double scored = 0;        ///< modelled nanoseconds that points of *fast* are for; 0: it has none
  double points = 0;        ///< of *fast*, of TaskFile::points.fast
  double milliseconds = 0;  ///< measured at the race case of [task.speed]; 0: not known
  bool is_loss = false;     ///< declared slower than the step before
};

/// The steps of a ladder in their order, and which rules they break.
struct LadderOrder {
  std::vector<OrderedStep> steps;
  double correlation = 0;           ///< of modelled and measured times: see rank_correlation
  bool is_about_host = false;       ///< its steps wait for the host's own memory, of which no model tells the order
  std::vector<std::string> broken;  ///< a sentence each
};

/// Spearman's rank correlation of two lists of the same length: 1 for the same order, -1 for the opposite one. Values
/// that differ by less than `tie` (0.1: a tenth) share a rank. 0 where one list has a single rank only.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b, double tie = 0);

/// `steps`: the ladder's files in their order, without peers. `modelled` and `race` may be null: what is not known
/// breaks no rule. The rules:
/// - points of *fast* fall from no step to the next by half a point or more, unless that is declared a loss;
/// - the order of modelled times is that of measured ones: rank correlation 0.9, with differences of a tenth as ties;
/// - a step declared a loss is slower than the one before in some race case, unless all wait for the host's memory;
/// - each goal is met by some step, if the reference is among them, and the first to meet it is faster than the one
/// before in some race case.
LadderOrder ladder_order(const TaskFile& task, const std::vector<std::string>& steps, const ModelledTask* modelled,
                         const MeasuredTask* race);

}  // namespace lanewise
