// Ctrl-C and termination signals: what was found and counted so far is reported first, if a report was requested.
#pragma once

#include <atomic>

namespace vgpu::cudart {

class Runtime;

/// From now on, the first SIGINT, SIGTERM or SIGHUP stops the running kernel, has the report written, and only then
/// ends the program, by that signal. A second one ends it at once. Signals that the program handles or ignores are left
/// to it.
void report_when_interrupted();

/// Stops the running kernel, has the report written, and ends this process, whose program is another one and gone.
void interrupt();

/// True once such a signal has arrived, or interrupt() was called; launches poll it.
const std::atomic<bool>* interruption();

/// For the thread whose launch was interrupted: writes the report and ends the program.
[[noreturn]] void end_interrupted(Runtime& runtime);

}  // namespace vgpu::cudart
