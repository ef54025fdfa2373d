// The verdict as text for a terminal.
#pragma once

#include <string>

#include "harness/lab/verdict.h"
#include "harness/report/text_style.h"

namespace lanewise {

/// An earlier verdict on the same work.
struct EarlierVerdict {
  Verdict verdict;
  std::string since;  ///< "14:02"
};

/// The whole verdict, one block per task: first the score, what to fix first and what has changed since `earlier`, then
/// the evidence, of which no more is shown than fits on a screen, unless the style asks for details. Text from the
/// submission is made harmless.
std::string text_report(const Verdict& verdict, const TextStyle& style, const EarlierVerdict* earlier = nullptr);

/// The one thing to do next, on at most two lines: "Next: scan.cu:34  Put __syncthreads() between the two". Empty if
/// nothing is to be fixed or improved, or nothing was started.
std::string next_line(const Verdict& verdict, const TextStyle& style);

/// One line for a verdict already known: "vecadd · vec_add   65/65   unchanged since 14:02".
std::string unchanged_line(const TaskVerdict& task, const std::string& since, const TextStyle& style);

}  // namespace lanewise
