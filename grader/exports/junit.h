// The class as JUnit XML, for CI servers and what else shows test results.
#pragma once

#include <string>

#include "grader/graded_class.h"

namespace lanewise {

/// A suite for each student and task of the attempts that count, a test for each case; grader/exports/junit.xsd is its
/// form. A wrong case is a failure, one that crashed, hung or was not run an error, one that was left out skipped. A
/// task that was not graded, and a lab without an attempt that counts, is a suite with one error. For instructors: it
/// tells of hidden cases.
std::string junit_xml(const GradedClass& graded);

}  // namespace lanewise
