// What was submitted to the server, as a folder that `lanewise grade` and `lanewise board` read.
#pragma once

#include <cstddef>
#include <filesystem>

#include "grader/server/server_store.h"
#include "harness/lab/failure.h"

namespace lanewise {

struct Exported {
  std::size_t submissions = 0;
  std::size_t students = 0;
};

/// Copies each student's newest submission for each lab to INTO/STUDENT/LAB/; with `all`, each that was not replaced,
/// to INTO/STUDENT/attempt_N/LAB/, in the order of their times: one attempt holds at most one submission for a lab.
/// Files have the times at which they were received. `into` must be new or empty, and is filled completely or not at
/// all. The server may be running; the instructor's own submissions are left out.
Expected<Exported> export_submissions(ServerStore& store, const std::filesystem::path& course,
                                      const std::filesystem::path& into, bool all);

}  // namespace lanewise
