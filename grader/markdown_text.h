// Small pieces of the Markdown that we generate.
#pragma once

#include <string>
#include <vector>

namespace lanewise {

/// `text` as it may stand in a cell: a bar would begin the next column, a line break the next row.
std::string markdown_cell(std::string text);

/// "| a | b |" and a line break.
std::string markdown_row(const std::vector<std::string>& cells);

/// Heads and the rule below them; columns from the `first_number`th on are numbers, and stand on the right.
std::string markdown_heads(const std::vector<std::string>& heads, std::size_t first_number);

/// In lines of at most 120 columns; ends in a line break.
std::string markdown_wrapped(const std::string& text);

}  // namespace lanewise
