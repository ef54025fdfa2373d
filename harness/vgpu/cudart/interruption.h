// Ctrl-C, and being told to end: what was found and counted so far is reported first. Only where a report is asked for.
#pragma once

#include <atomic>

namespace vgpu::cudart {

class Runtime;

/// From now on, the first SIGINT, SIGTERM or SIGHUP stops the kernel that runs, has the report written, and only then
/// ends the program, by that signal. A second one ends it at once. Signals that the program handles or ignores are its
/// own.
void report_when_interrupted();

/// True once such a signal has come; launches look at it.
const std::atomic<bool>* interruption();

/// For the thread that ran a launch which was interrupted: writes the report and ends the program.
[[noreturn]] void end_interrupted(Runtime& runtime);

}  // namespace vgpu::cudart
