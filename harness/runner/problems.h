// Cases become problems, each from a seed of its own.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"

namespace lanewise {

/// What decides all that is random in one case.
std::uint64_t case_seed(std::uint64_t seed, const std::string& lab, const std::string& task, const std::string& name);

/// The problem of a case, or why there is none: data that is not there, or what the lab's author got wrong, such as a
/// parameter that the lab does not ask for.
std::variant<Problem, MissingData> make_problem(const Task& task, const CaseFile& case_file, std::uint64_t seed);

}  // namespace lanewise
