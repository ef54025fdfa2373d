// Devices for a program that nobody has started any for.
#pragma once

namespace vgpu::link {

/// The socket through which this program uses its devices: LANEWISE_VGPU_DEVICES_AT says which it is, or
/// LANEWISE_VGPU_DEVICE_PROGRAM which program to start for this one alone. -1 if neither does.
int devices_of_this_program();

}  // namespace vgpu::link
