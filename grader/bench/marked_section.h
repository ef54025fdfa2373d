// Generated parts of a Markdown file, between two marker comments, as scripts/replace_section.sh writes them.
#pragma once

#include <optional>
#include <string>

#include "harness/lab/failure.h"

namespace lanewise {

/// The text between the lines "<!-- NAME -->" and "<!-- end of NAME -->" of `document`, without empty lines around it;
/// nothing if there is no such section.
std::optional<std::string> section_of(const std::string& document, const std::string& name);

/// `document` with `text` (which ends in a line break) as its section. A new section is appended. The failure says
/// which marker is missing or occurs twice.
Expected<std::string> with_section(const std::string& document, const std::string& name, const std::string& text);

}  // namespace lanewise
