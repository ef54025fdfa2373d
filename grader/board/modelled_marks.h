// What entries with modelled times are held beside, from the files that `lanewise bench` wrote.
#pragma once

#include <filesystem>
#include <vector>

#include "grader/board/board.h"
#include "grader/board/competition.h"
#include "harness/runner/find.h"

namespace lanewise {

/// The case that each task is modelled at: its reference's time and the naive step from the lab's speed.toml; other
/// steps and peers from the solutions' modelled.toml, where they were modelled at the same case. Fails with the task
/// that cannot be modelled, and why.
Expected<std::vector<BoardCase>> modelled_cases(const Competition& competition, const std::vector<LabSelection>& labs,
                                                const std::filesystem::path& solutions);

}  // namespace lanewise
