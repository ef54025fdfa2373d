// Bytes as letters, for data embedded in a page.
#pragma once

#include <string>
#include <string_view>

namespace lanewise {

/// RFC 4648, with padding and without line breaks.
std::string base64(std::string_view bytes);

}  // namespace lanewise
