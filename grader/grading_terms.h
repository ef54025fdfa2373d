// All that decides a verdict beside the work itself.
#pragma once

#include <string>

#include "grader/workplace.h"
#include "harness/runner/grade.h"

namespace lanewise {

/// The lab's files, its questions and their key, cases, seed, tools, backend and options, as text: where two requests
/// have the same terms, the same source and answers get the same verdict. The tools are told apart by size and time.
std::string grading_terms(const Workplace& workplace, const GradeRequest& request);

/// Of these terms what decides what is run and seen: all but points, questions and their key. Where this is the same a
/// verdict can be scored anew (rescore) and need not be made anew.
std::string observing_terms(const Workplace& workplace, const GradeRequest& request);

/// "PATH BYTES" and the file's content, or that there is none.
std::string content_with_size(const std::filesystem::path& file);

}  // namespace lanewise
