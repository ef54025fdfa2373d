// Everything that determines a verdict apart from the work itself.
#pragma once

#include <string>

#include "grader/workplace/workplace.h"
#include "harness/runner/verdict/grade.h"

namespace lanewise {

/// The lab's files, its questions and their key, cases, seed, tools, backend and options, as text: under equal terms,
/// the same source and answers get the same verdict. Tools are identified by size and time.
std::string grading_terms(const Workplace& workplace, const GradeRequest& request);

/// The part of these terms that determines what is run and observed: everything but points, questions and their key. If
/// it is unchanged, an existing verdict can be rescored (rescore).
std::string observing_terms(const Workplace& workplace, const GradeRequest& request);

/// "PATH BYTES" and the file's content, or a note that there is none.
std::string content_with_size(const std::filesystem::path& file);

}  // namespace lanewise
