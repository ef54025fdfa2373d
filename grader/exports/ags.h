// Scores as a learning platform takes them by LTI.
#pragma once

#include <cstdint>
#include <string>

#include "grader/class/graded_class.h"

namespace lanewise {

/// ags/<lab>.json, for `lanewise push`: `scores` holds an object of Assignment and Grade Services
/// (https://www.imsglobal.org/spec/lti-ags/v2p0#score-publish-service) for each student with a grade in the lab and a
/// `number` in the roster, which is the platform's `userId`. What could not be graded has none, so it is never a zero.
/// `now`, in milliseconds since 1970 in UTC, is the time of every score: a platform ignores one older than it has.
std::string ags_scores(const GradedClass& graded, const GradedLab& lab, std::int64_t now);

}  // namespace lanewise
