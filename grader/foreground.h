// Runs a program in the place of this one: same terminal, same signals, and not a moment longer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// How the program ended, or why it never began.
struct ForegroundEnd {
  int start_error = 0;  ///< errno of the attempt to execute it; 0 if it ran
  int status = 0;       ///< as waitpid gives it
};

/// Runs `command` to its end. `prepare` is called in the new process just before; it may change the environment.
/// SIGTERM and SIGHUP are passed on, SIGINT is the program's own (a terminal sends it to both), and when this process
/// is killed the program is killed too. For a process without other threads: the signals stay blocked in this one.
Expected<ForegroundEnd> run_in_foreground(std::vector<std::string> command, const std::function<void()>& prepare);

}  // namespace lanewise
