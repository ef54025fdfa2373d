// Runs a program in place of this one: same terminal, same signals, same lifetime.
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

/// Runs `command` until it exits. `prepare` is called in the new process just before; it may change the environment.
/// SIGTERM and SIGHUP are passed on, SIGINT is left to the program (a terminal sends it to both), and if this process
/// is killed, so is the program. For a process without other threads: the signals stay blocked in this one.
Expected<ForegroundEnd> run_in_foreground(std::vector<std::string> command, const std::function<void()>& prepare);

/// Runs this program anew in this process's place, with the same arguments. Returns only if it cannot be started, and
/// says why.
Failure start_again();

}  // namespace lanewise
