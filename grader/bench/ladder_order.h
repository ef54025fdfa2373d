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

/// What is known about one step.
struct OrderedStep {
  std::string file;         ///< "1_naive.cu"
  double scored = 0;        ///< modelled nanoseconds that give points for *fast*; 0: none
  double points = 0;        ///< for *fast*, out of TaskFile::points.fast
  double milliseconds = 0;  ///< measured on the race case of [task.speed]; 0: unknown
  bool is_loss = false;     ///< declared slower than the previous step
  bool is_by_size = false;  ///< declared to choose by the size what it does
};

/// The steps of a ladder in their order, and which rules they break.
struct LadderOrder {
  std::vector<OrderedStep> steps;
  double correlation = 0;           ///< of modelled and measured times: see rank_correlation
  bool is_about_host = false;       ///< its steps wait for the host's memory, whose timing no model predicts
  std::vector<std::string> broken;  ///< a sentence each
};

/// Spearman's rank correlation of two lists of the same length: 1 for the same order, -1 for the opposite one. Values
/// that differ by less than `tie` (0.1: a tenth) share a rank. 0 if one list has only a single rank.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b, double tie = 0);

/// `steps`: the ladder's files in their order, without peers. `modelled` and `race` may be null: what is unknown breaks
/// no rule. The rules:
/// - `losses` and `by_size` name steps of the ladder;
/// - points for *fast* do not fall by half a point or more from one step to the next, unless that is declared a loss;
/// - modelled times have the order of measured ones: a rank correlation of 0.9, with differences of a tenth as ties,
///   of the steps that do not choose by the size what they do;
/// - a step declared a loss is slower than the previous one in some race case, unless all wait for the host's memory;
/// - each goal is met by some step, if the reference is among them, and the first to meet it is faster than the
/// previous one in some race case.
LadderOrder ladder_order(const TaskFile& task, const std::vector<std::string>& steps, const ModelledTask* modelled,
                         const MeasuredTask* race);

}  // namespace lanewise
