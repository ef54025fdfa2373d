// Helpers for generated Markdown.
#pragma once

#include <string>
#include <vector>

namespace lanewise {

/// `text` escaped for a cell: a bar would begin the next column, a line break the next row.
std::string markdown_cell(std::string text);

/// "| a | b |" and a line break.
std::string markdown_row(const std::vector<std::string>& cells);

/// Headings and the rule below them; columns from index `first_number` on are numbers, and right-aligned.
std::string markdown_heads(const std::vector<std::string>& heads, std::size_t first_number);

/// Wrapped at 120 columns; ends in a line break.
std::string markdown_wrapped(const std::string& text);

}  // namespace lanewise
