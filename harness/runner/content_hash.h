// Short names for contents: where a cached build or verdict lies. A name only finds the place; what lies there is
// compared.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/lab/failure.h"

namespace lanewise {

/// FNV-1a with 128 bits, as 32 hexadecimal digits. Not made against forgery: whoever uses it as a key also stores and
/// compares the contents. (Fowler, Noll, Vo: the FNV Non-Cryptographic Hash Algorithm, IETF draft.)
std::string content_hash(std::string_view content);

/// The whole file, if it is a regular file of at most `most_bytes`.
Expected<std::string> read_file(const std::filesystem::path& file, std::uintmax_t most_bytes);

}  // namespace lanewise
