// What every grading subcommand needs first: the installation, the labs, a compiler and something to run on.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/runner/backend.h"
#include "harness/runner/builder.h"
#include "harness/runner/find.h"
#include "harness/runner/installation.h"

namespace lanewise {

/// Paths of this installation, found from the running executable.
Installation this_installation();

struct Workplace {
  Installation installation;
  Builder builder;
  Backend backend;
};

/// The failure says what is missing and how to get it.
Expected<Workplace> open_workplace(const Installation& installation, BackendChoice choice);

/// "auto", "gpu" and "vgpu" for the command line.
const std::vector<std::pair<std::string, BackendChoice>>& backend_choices();

/// Writes a file and the folders above it.
std::optional<Failure> write_report(const std::filesystem::path& file, const std::string& content);

}  // namespace lanewise
