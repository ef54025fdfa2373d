// A file's whole content, or a sentence that says why it cannot be read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/lab/failure.h"

namespace lanewise {

/// The whole file, if it is a regular file of at most `most_bytes`.
Expected<std::string> read_file(const std::filesystem::path& file, std::uintmax_t most_bytes);

}  // namespace lanewise
