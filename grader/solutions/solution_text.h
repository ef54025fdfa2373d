// Files in wrong/ that are kept as what they change of a right one: `.diff` instead of `.cu`.
//
//     // expect: inclusive_scan: wrong            as in any other file there
//     // Why that is a mistake.
//     --- right_chain.cu                          the file next to it whose lines are changed
//     @@
//      __syncthreads();                           these lines are found there once and only once...
//     -const int left = s[t - stride];            ...without this one...
//     +const int left = s[t];                     ...and with that one instead
//     @@
//
// There are no line numbers, so a change elsewhere in the right file changes all that is made of it. The lines before
// `---` take the place of those with which the right file explains itself.
#pragma once

#include <filesystem>
#include <string>

#include "harness/lab/failure.h"

namespace lanewise {

/// Whether the file is kept as a difference.
bool is_difference(const std::filesystem::path& file);

/// The source that a file under solutions/ stands for: its text, or what its changes make of the right file.
Expected<std::string> solution_text(const std::filesystem::path& file);

}  // namespace lanewise
