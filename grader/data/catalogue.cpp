// Reads the catalogue; every rule that an entry can break is checked here, and errors name the line.
#include "grader/data/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grader/data/generators.h"
#include "harness/lab/toml_reader.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

std::string not_empty(const TomlTable& table, const char* key) {
  std::string text = table.text(key);
  if (text.empty()) table.fail(key, fmt::format("the key '{}' must not be empty", key));
  return text;
}

std::string read_name(const TomlTable& table) {
  std::string name = not_empty(table, "name");
  if (name.find('/') != std::string::npos || name.front() == '.')
    table.fail("name", fmt::format("'{}' is not the bare name of a data file", name));
  return name;
}

void read_digest(const TomlTable& table, DataSet& set) {
  set.sha256 = table.text("sha256");
  const bool is_hexadecimal = set.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (set.sha256.size() != 64 || !is_hexadecimal)
    table.fail("sha256", fmt::format("the digest of '{}' must be 64 hexadecimal digits in lower case", set.name));
}

void read_bytes(const TomlTable& table, DataSet& set) {
  const auto bytes = table.raw()["bytes"].value_exact<std::int64_t>();
  if (!bytes || *bytes < 1)
    table.fail("bytes", fmt::format("the bytes of '{}' must be a whole number, 1 or more", set.name));
  set.bytes = *bytes;
}

DataSet read_entry(const TomlTable& table, DataSet::Kind kind) {
  DataSet set;
  set.kind = kind;
  set.line = table.line();
  set.name = read_name(table);
  set.what = not_empty(table, "what");
  return set;
}

DataSet read_shipped(const TomlTable& table, const fs::path& folder) {
  table.allow_only({"name", "path", "what", "source", "licence", "bytes", "sha256"});
  DataSet set = read_entry(table, DataSet::Kind::kShipped);
  const fs::path path = not_empty(table, "path");
  const bool leaves = path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
  if (leaves || path.filename() != set.name)
    table.fail("path",
               fmt::format("the path of '{0}' must lead to a file {0} inside the folder of the catalogue", set.name));
  set.path = folder / path;
  set.source = not_empty(table, "source");
  set.licence = not_empty(table, "licence");
  read_bytes(table, set);
  read_digest(table, set);
  return set;
}

DataSet read_url(const TomlTable& table) {
  table.allow_only({"name", "what", "source", "licence", "url", "packing", "member", "bytes", "sha256"});
  DataSet set = read_entry(table, DataSet::Kind::kUrl);
  set.source = not_empty(table, "source");
  set.licence = not_empty(table, "licence");
  set.url = not_empty(table, "url");
  if (set.url.rfind("https://", 0) != 0 && set.url.rfind("http://", 0) != 0)
    table.fail("url", fmt::format("the address of '{}' must begin with https:// or http://", set.name));
  const std::string packing = table.text_or("packing", "none");
  if (packing == "gzip")
    set.packing = DataSet::Packing::kGzip;
  else if (packing == "tar.gz")
    set.packing = DataSet::Packing::kTarGz;
  else if (packing != "none")
    table.fail("packing", fmt::format("the packing '{}' is unknown; it must be gzip, tar.gz or none", packing));
  if (set.packing == DataSet::Packing::kTarGz)
    set.member = not_empty(table, "member");
  else if (table.has("member"))
    table.fail("member", "only a tar.gz has members");
  if (table.has("bytes")) read_bytes(table, set);
  read_digest(table, set);
  return set;
}

DataSet read_generated(const TomlTable& table) {
  table.allow_only({"name", "what", "make", "parameters", "bytes", "sha256"});
  DataSet set = read_entry(table, DataSet::Kind::kGenerated);
  set.generator = not_empty(table, "make");
  const Generator* generator = find_generator(set.generator);
  if (generator == nullptr)
    table.fail("make",
               fmt::format("there is no generator '{}'; the generators are {}", set.generator, generator_names()));
  if (table.has("parameters"))
    for (const auto& [key, node] : table.table("parameters").raw()) {
      const auto value = node.value_exact<std::int64_t>();
      if (!value) table.fail("parameters", fmt::format("the parameter '{}' must be a whole number", key.str()));
      set.parameters[std::string(key.str())] = *value;
    }
  if (const auto failure = check_parameters(*generator, set.parameters)) table.fail("parameters", failure->sentence);
  const fs::path ending = fs::path(set.name).extension();
  if (!can_hold(ending.string(), generator->makes))
    table.fail("name", fmt::format("a file '{}' cannot hold what {} makes", set.name, set.generator));
  if (table.has("bytes")) read_bytes(table, set);
  if (table.has("sha256")) read_digest(table, set);
  return set;
}

std::vector<DataSet> read(const fs::path& folder) {
  const fs::path file = folder / "catalogue.toml";
  const toml::table parsed = parse_toml_file(file);
  const TomlTable root(parsed, file.string());
  root.allow_only({"file", "url", "generator"});
  std::vector<DataSet> sets;
  std::set<std::string> names;
  const auto add = [&sets, &names](const TomlTable& table, DataSet set) {
    if (!names.insert(set.name).second) table.fail("name", fmt::format("there are two data sets named '{}'", set.name));
    sets.push_back(std::move(set));
  };
  for (const TomlTable& table : root.tables("file")) add(table, read_shipped(table, folder));
  for (const TomlTable& table : root.tables("url")) add(table, read_url(table));
  for (const TomlTable& table : root.tables("generator")) add(table, read_generated(table));
  return sets;
}

}  // namespace

Expected<std::vector<DataSet>> read_catalogue(const fs::path& folder) {
  try {
    return read(folder);
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

const DataSet* find_set(const std::vector<DataSet>& sets, const std::string& name) {
  const auto found = std::find_if(sets.begin(), sets.end(), [&name](const DataSet& set) { return set.name == name; });
  return found == sets.end() ? nullptr : &*found;
}

std::string kind_text(DataSet::Kind kind) {
  switch (kind) {
    case DataSet::Kind::kShipped:
      return "shipped";
    case DataSet::Kind::kUrl:
      return "url";
    case DataSet::Kind::kGenerated:
      return "generator";
  }
  return "";
}

}  // namespace lanewise
