// Programs that wait without a call for what their devices are to do.
#pragma once

namespace vgpu::link {

class Program;

/// Starts a thread that has pending work done when the program has made no call for half a second: work is otherwise
/// done when a call waits for it, and a loop like `while (*flag == 0);` makes none. Like the driver's, the thread also
/// calls the host functions of that work. What can be done in several orders waits for ten seconds, so that its order
/// hardly ever depends on the speed of a host that computes meanwhile. In a graded submission there is no such thread.
void watch_idle_program(const Program& program);

}  // namespace vgpu::link
