// How far a step of a ladder is from the one before: few enough lines that a reader can take it in at once, or not.
#pragma once

#include <string>

namespace lanewise {

/// A step that changes more lines than this says why in its header.
constexpr int kLongestStep = 120;

/// Lines of code that differ between two sources; a line that takes the place of another counts once. Comments and
/// blank lines do not count.
int changed_lines(const std::string& before, const std::string& after);

/// Whether the header of a step, the comments it begins with, says why it is far from the one before: in a paragraph
/// that begins with "// Leap ".
bool explains_leap(const std::string& source);

}  // namespace lanewise
