// Text from a submission, made harmless for terminals and web pages; and text laid out in columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

/// `text` as valid UTF-8 without anything a terminal would act on: control characters (except newline and tab) are
/// written as `\x1b` and the like, invalid bytes as `\xff`, characters that reorder or hide text as `\u202e`.
std::string safe_text(std::string_view text);

/// The same on one line: newlines and tabs become blanks.
std::string safe_line(std::string_view text);

/// safe_text with the special characters of HTML replaced, for element content and quoted attributes.
std::string html_text(std::string_view text);

/// ASCII for a terminal without UTF-8: the report's own marks get an ASCII likeness, anything else a question mark.
std::string ascii_text(std::string_view utf8);

/// Characters in valid UTF-8 text, each counted as one column.
std::size_t columns_of(std::string_view utf8);

/// The beginning of valid UTF-8 text, at most `columns` characters.
std::string first_columns(std::string_view utf8, std::size_t columns);

/// Breaks one line at blanks into lines of at most `width` columns; a longer word gets a line of its own.
std::vector<std::string> wrap_line(std::string_view line, std::size_t width);

/// To the hundredth; 0 if it is not finite.
double rounded_points(double points);

/// "41", "41.3" or "41.25": the same rounding on every page and in every file, so that no two of them disagree.
std::string points_text(double points);

}  // namespace lanewise
