// printf as kernels have it: a format string and a block of packed arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace vgpu {

/// Formats as device code does. `arguments` is the packed block nvcc makes: each argument aligned to its size, integers
/// of 4 or 8 bytes, floating point as double. `string_at` fetches the text behind a %s pointer. `count` receives the
/// number of arguments used. Arguments beyond the block read as zero.
std::string format_device_printf(const std::string& format, const std::byte* arguments, std::size_t bytes,
                                 const std::function<std::string(std::uint64_t)>& string_at, int& count);

}  // namespace vgpu
