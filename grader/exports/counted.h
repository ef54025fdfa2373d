// A student's result in a lab: the attempt that counts, or why there is none. All exports use this.
#pragma once

#include <cstdint>
#include <string>

#include "grader/class/graded_class.h"

namespace lanewise {

/// The attempt that counts in the lab and has a verdict; nullptr if there is none. It points into `student`.
const GradedAttempt* counted_attempt(const GradedStudent& student, const std::string& lab);

/// Why there is no counted attempt: the newest attempt's trouble, or "nothing was submitted". Empty if there is one.
std::string why_not_counted(const GradedStudent& student, const std::string& lab);

/// Points that the lab is worth: according to the attempts that count, or else what can be scored.
double points_possible(const GradedClass& graded, const GradedLab& lab);

/// "Prefix sum (scan)": a column's heading, the same in all files.
std::string lab_heading(const GradedLab& lab);

/// "2026-11-22 19:40 UTC"; "" for 0.
std::string submitted_text(std::int64_t submitted);

}  // namespace lanewise
