// Numbers and names in readable form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/machine/number_text.h"

namespace vgpu::report {

/// With one decimal if it matters: "17.5", "32", "1,234".
std::string rounded(double number);

/// Three digits and a unit: "33.6 MB", "512 bytes".
std::string bytes_text(double bytes);

/// Three digits and a unit: "12.3 µs", "840 ns", "1.20 ms", "2.50 s".
std::string time_text(std::uint64_t nanoseconds);

/// "78 %"; "less than 1 %".
std::string percent_text(double share);

/// "1 launch", "3 launches".
std::string counted(std::uint64_t number, const std::string& singular, const std::string& plural);

/// "transpose.cu" of a path.
std::string file_name(const std::string& path);

/// "32 × 8" of a block or a grid; trailing dimensions of 1 are omitted.
std::string extent_text(const Extent3& extent);

/// A function's name without return type and parameters and, if it is long, without namespaces and template arguments.
std::string short_kernel_name(const std::string& name);

/// Valid UTF-8 text without characters that a terminal would act on or that reorder text: these become question marks,
/// line breaks and tabs become blanks.
std::string printable(std::string_view utf8);

/// `text` in ASCII: signs that the reports use get an ASCII likeness, anything else a question mark.
std::string ascii(std::string_view utf8);

/// Breaks a text at blanks into lines of at most `width` characters.
std::vector<std::string> wrapped(std::string_view utf8, std::size_t width);

}  // namespace vgpu::report
