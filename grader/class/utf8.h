// UTF-8 as people's names need it: is it valid, and its letters without their case.
#pragma once

#include <string>
#include <string_view>

namespace lanewise {

/// Valid UTF-8 without zero bytes, surrogates and overlong forms.
bool is_utf8(std::string_view text);

/// `text` with capital letters of any script made small; bytes that are not UTF-8 stay as they are. Diacritics stay.
std::string small_letters(std::string_view text);

}  // namespace lanewise
