// One case as a file with which lanewise-call-task can call a submission, and the outputs it leaves there.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/lab.h"

namespace lanewise {

/// Writes the shared memory that a worker would be given, with the inputs, followed by the message that describes it
/// (harness/worker/protocol.h).
std::optional<Failure> write_problem(const Problem& problem, const std::filesystem::path& file);

/// The outputs in a file of `problem`, after a call that wrote them back.
Expected<std::vector<Array>> read_outputs(const Problem& problem, const std::filesystem::path& file);

}  // namespace lanewise
