// Short names for contents, used to locate a cached build or verdict. A name only finds the place; the contents are
// then compared.
#pragma once

#include <string>
#include <string_view>

#include "harness/lab/read_file.h"

namespace lanewise {

/// FNV-1a with 128 bits, as 32 hexadecimal digits. Not safe against forgery: users of it as a key must also store and
/// compare the contents. (Fowler, Noll, Vo: the FNV Non-Cryptographic Hash Algorithm, IETF draft.)
std::string content_hash(std::string_view content);

}  // namespace lanewise
