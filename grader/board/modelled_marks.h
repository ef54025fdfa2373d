// Reference marks for entries with modelled times, from the files that `lanewise bench` wrote.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/board/board.h"
#include "grader/board/competition.h"
#include "harness/runner/find.h"

namespace lanewise {

/// The case that each task is modelled on: its reference's time and the naive step from the lab's speed.toml, as
/// `toolchain` builds them; other steps and peers from the solutions' modelled.toml, if they were modelled on the same
/// case and built by the same toolchain. The failure says which task cannot be modelled, and why.
Expected<std::vector<BoardCase>> modelled_cases(const Competition& competition, const std::vector<LabSelection>& labs,
                                                const std::filesystem::path& solutions, const std::string& toolchain);

}  // namespace lanewise
