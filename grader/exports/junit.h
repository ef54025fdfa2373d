// The class as JUnit XML, for CI servers and other viewers of test results.
#pragma once

#include <string>

#include "grader/class/graded_class.h"

namespace lanewise {

/// A suite for each student and task of the attempts that count, and a test for each case; grader/exports/junit.xsd is
/// the schema. A wrong case is a failure; one that crashed, hung or was not run is an error; one that was left out is
/// skipped. A task that was not graded, or a lab without an attempt that counts, is a suite with one error. For
/// instructors: it includes hidden cases.
std::string junit_xml(const GradedClass& graded);

}  // namespace lanewise
