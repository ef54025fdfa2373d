// A table of a board's page, in a region that scrolls sideways where the page is narrow.
#pragma once

#include <cstdint>
#include <string>

namespace lanewise {

enum class Sorting : std::uint8_t { kNone, kByScript };

/// Up to and including the caption, which screen readers read out; the region takes focus, so that the keyboard can
/// scroll it. `caption` may be any text. The id may be empty if the table is not sorted.
std::string begin_table(const std::string& id, const std::string& caption, Sorting sorting);

/// From the end of the rows on.
inline constexpr const char* kTableEnd = "</tbody>\n</table></div>\n";

}  // namespace lanewise
