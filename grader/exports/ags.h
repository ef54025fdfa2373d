// Scores as a learning platform takes them by LTI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "grader/class/graded_class.h"

namespace lanewise {

/// ags/<lab>.json, for `lanewise push`: `scores` holds an object of Assignment and Grade Services
/// (https://www.imsglobal.org/spec/lti-ags/v2p0#score-publish-service) for each student with a grade in the lab and a
/// `number` in the roster, which is the platform's `userId`. Work that could not be graded gets no score, rather than a
/// zero; students without a number are only counted, in `without_number`. `now`, in milliseconds since 1970 in UTC, is
/// the time of every score: a platform ignores a score that is older than the one it has.
std::string ags_scores(const GradedClass& graded, const GradedLab& lab, std::int64_t now);

/// How many students have a grade in a lab and no `number`.
std::size_t count_without_number(const GradedClass& graded);

}  // namespace lanewise
