// Short names for contents: where a cached build or verdict lies. A name only finds the place; what lies there is
// compared.
#pragma once

#include <string>
#include <string_view>

#include "harness/lab/read_file.h"

namespace lanewise {

/// FNV-1a with 128 bits, as 32 hexadecimal digits. Not made against forgery: whoever uses it as a key also stores and
/// compares the contents. (Fowler, Noll, Vo: the FNV Non-Cryptographic Hash Algorithm, IETF draft.)
std::string content_hash(std::string_view content);

}  // namespace lanewise
