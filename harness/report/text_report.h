// The verdict as text for a terminal.
#pragma once

#include <string>

#include "harness/lab/verdict.h"
#include "harness/report/text_style.h"

namespace lanewise {

/// The whole verdict, one block per task. Text from the submission is made harmless.
std::string text_report(const Verdict& verdict, const TextStyle& style);

/// One line for a verdict already known: "vecadd · vec_add   65/65   unchanged since 14:02".
std::string unchanged_line(const TaskVerdict& task, const std::string& since, const TextStyle& style);

}  // namespace lanewise
