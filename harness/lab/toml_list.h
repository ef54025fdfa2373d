// Generated files that hold a list of tables: read all, replace one.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/toml_reader.h"

namespace lanewise {

/// The result of `read` for each [[key]] of a file that holds nothing else. Empty if the file does not exist.
template <class Entry>
Expected<std::vector<Entry>> read_toml_list(const std::filesystem::path& file, const char* key,
                                            Entry (*read)(const TomlTable&)) {
  std::vector<Entry> entries;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return entries;
  try {
    const toml::table parsed = parse_toml_file(file);
    const TomlTable root(parsed, file.string());
    root.allow_only({key});
    for (const TomlTable& table : root.tables(key)) entries.push_back(read(table));
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
  return entries;
}

/// `entry` in place of the one for which `is_same` holds, or at the end.
template <class Entry, class IsSame>
std::vector<Entry> with_entry(std::vector<Entry> entries, const Entry& entry, IsSame is_same) {
  const auto same = std::find_if(entries.begin(), entries.end(), is_same);
  if (same != entries.end())
    *same = entry;
  else
    entries.push_back(entry);
  return entries;
}

}  // namespace lanewise
