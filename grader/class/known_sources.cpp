// Compares in lower case and without copy marks.
#include "grader/class/known_sources.h"

#include "grader/class/file_names.h"
#include "grader/class/utf8.h"

namespace lanewise {

KnownSources::KnownSources(const std::vector<std::string>& names) : names_(names) {}

std::optional<std::string> KnownSources::source(const std::string& name) const {
  const NameParts parts = name_parts(name);
  for (const std::string& known : names_) {
    const NameParts known_parts = name_parts(known);
    if (small_letters(parts.ending) != small_letters(known_parts.ending)) continue;
    const std::string stem = small_letters(known_parts.stem);
    if (small_letters(parts.stem) == stem || small_letters(copy_mark(parts.stem).stem) == stem) return known;
  }
  return std::nullopt;
}

bool KnownSources::is_stem(const std::string& stem) const {
  for (const std::string& known : names_)
    if (small_letters(name_parts(known).stem) == small_letters(stem)) return true;
  return false;
}

std::optional<std::size_t> KnownSources::end_of_owner(const std::string& stem) const {
  const std::size_t mark = stem.rfind('_');
  if (mark == std::string::npos || mark == 0 || !is_stem(stem.substr(mark + 1))) return std::nullopt;
  return mark;
}

}  // namespace lanewise
