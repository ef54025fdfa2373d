// How long a submission may take, in whatever it takes: instructions of a kernel, processor time, wall clock.
#pragma once

#include <chrono>
#include <string>

#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"

namespace lanewise {

/// Warp instructions after which a launch on the virtual GPU counts as endless in a case with this problem: the more
/// work the lab's model sees in it, the more, from CaseFile::least_budget up to what the time limit allows.
double launch_budget(const Task& task, const TaskFile& file, const CaseFile& case_file, const Problem& problem);

/// Processor time that a call's host code may use where the virtual GPU computes in a process of its own.
std::chrono::milliseconds host_limit(const TaskFile& file);

/// Wall clock of a call. On the virtual GPU it only ends what executes no instructions there: on a slow machine, or
/// where a processor is shared by a few, it must not strike before the budget is used up. Verdicts name the limit of
/// the file, which is the same everywhere.
std::chrono::milliseconds call_limit(const TaskFile& file, bool on_virtual_gpu);

/// The cases of a task that did not end.
class HungCases {
 public:
  /// `instructions` that a kernel was given before it was stopped; 0 if it was something else.
  void add(double instructions) {
    ++count_;
    instructions_ += instructions;
  }
  /// Two are, or a single one that took long to show it.
  bool are_enough() const;
  /// "2 cases had hung already"
  std::string text() const;

 private:
  int count_ = 0;
  double instructions_ = 0;
};

}  // namespace lanewise
