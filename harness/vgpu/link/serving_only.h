// What the process of the devices may ask of the system once it serves a program that somebody else wrote.
#pragma once

#include <linux/filter.h>

#include <vector>

namespace vgpu::link {

/// From now on this process computes, maps memory that is not code, and uses the sockets that it has. Whatever else it
/// is made to ask for, such as a file, a program or another socket, is refused (EPERM). False if that cannot be had.
bool serve_only();

/// The filter of system calls that this installs.
std::vector<sock_filter> serving_filter();

}  // namespace vgpu::link
