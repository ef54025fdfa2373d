// Parts of a Markdown file that a program writes, between two marker comments; as scripts/replace_section.sh does.
#pragma once

#include <optional>
#include <string>

#include "harness/lab/failure.h"

namespace lanewise {

/// The text between the lines "<!-- NAME -->" and "<!-- end of NAME -->" of `document`, without the empty lines around
/// it; nothing if there is no such section.
std::optional<std::string> section_of(const std::string& document, const std::string& name);

/// `document` with `text` (which ends in a line break) as its section. A section that is not there yet comes last. The
/// failure says which marker is missing or stands twice.
Expected<std::string> with_section(const std::string& document, const std::string& name, const std::string& text);

}  // namespace lanewise
