// `lanewise board --init`: a new file for --competition.
#pragma once

#include <string>

namespace lanewise {

struct BoardInitOptions {
  std::string file;   ///< of --init; must not exist yet
  std::string task;   ///< or its lab
  std::string opens;  ///< as written; empty: next Monday
};

/// Writes the file, says what comes next, and returns the exit code.
int write_new_competition(const BoardInitOptions& options);

}  // namespace lanewise
