// UTF-8 for people's names: validation, and conversion to lower case.
#pragma once

#include <string>
#include <string_view>

namespace lanewise {

/// Valid UTF-8 without zero bytes, surrogates and overlong forms.
bool is_utf8(std::string_view text);

/// `text` in lower case, for any script; bytes that are not UTF-8 and diacritics are kept.
std::string small_letters(std::string_view text);

}  // namespace lanewise
