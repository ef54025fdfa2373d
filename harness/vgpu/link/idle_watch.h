// Programs that wait without a call for what their devices are to do.
#pragma once

namespace vgpu::link {

class Program;

/// Starts a thread, once, that has pending work done as soon as the program only waits for memory to change: work is
/// otherwise done when a call waits for it, and a loop like `while (*flag == 0);` makes none. Like the driver's, the
/// thread also calls the host functions of that work. Programs that compute meanwhile notice nothing of it, so that it
/// does not depend on the speed of a host what they find; unless they do so for a long time, since some wait in ways
/// that look like computing. In a graded submission there is no such thread.
void watch_idle_program(Program& program);

}  // namespace vgpu::link
