// TOML access, with errors written for the file's author.
#include "harness/lab/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/lab/read_file.h"

namespace lanewise {
namespace {

constexpr std::uintmax_t kLargestFile = 4 << 20;

}  // namespace

void TomlTable::fail(const char* key, const std::string& sentence) const {
  const toml::node* node = table_.get(key);
  const int where = node ? static_cast<int>(node->source().begin.line) : line();
  throw TomlMistake(fmt::format("{}:{}: {}", file_, where, sentence));
}

const toml::node& TomlTable::require(const char* key) const {
  const toml::node* node = table_.get(key);
  if (!node) fail(key, fmt::format("the key '{}' is missing", key));
  return *node;
}

std::string TomlTable::text(const char* key) const {
  if (const auto value = require(key).value_exact<std::string>()) {
    if (value->empty()) fail(key, fmt::format("the key '{}' must not be empty", key));
    return *value;
  }
  fail(key, fmt::format("the key '{}' must be a quoted string", key));
}

std::string TomlTable::text_or(const char* key, std::string otherwise) const {
  return has(key) ? text(key) : std::move(otherwise);
}

double TomlTable::number(const char* key) const {
  const toml::node& node = require(key);
  if (const auto value = node.value_exact<std::int64_t>()) return static_cast<double>(*value);
  const auto value = node.value_exact<double>();
  if (!value) fail(key, fmt::format("the key '{}' must be a number", key));
  if (!std::isfinite(*value)) fail(key, fmt::format("the key '{}' must be a finite number", key));
  return *value;
}

double TomlTable::number_or(const char* key, double otherwise) const { return has(key) ? number(key) : otherwise; }

std::vector<std::string> TomlTable::texts_or_none(const char* key) const {
  std::vector<std::string> texts;
  if (!has(key)) return texts;
  const toml::array* array = require(key).as_array();
  if (!array) fail(key, fmt::format("the key '{}' must be a list of strings", key));
  for (const toml::node& node : *array) {
    const auto value = node.value_exact<std::string>();
    if (!value) fail(key, fmt::format("the key '{}' must be a list of strings", key));
    texts.push_back(*value);
  }
  return texts;
}

TomlTable TomlTable::table(const char* key) const {
  const toml::table* table = require(key).as_table();
  if (!table) fail(key, fmt::format("the key '{}' must be a table", key));
  return {*table, file_};
}

std::vector<TomlTable> TomlTable::tables(const char* key) const {
  std::vector<TomlTable> tables;
  if (!has(key)) return tables;
  const toml::array* array = require(key).as_array();
  if (!array) fail(key, fmt::format("'{}' must be written as [[{}]]", key, key));
  for (const toml::node& node : *array) {
    const toml::table* table = node.as_table();
    if (!table) fail(key, fmt::format("'{}' must be written as [[{}]]", key, key));
    tables.emplace_back(*table, file_);
  }
  return tables;
}

void TomlTable::allow_only(std::initializer_list<const char*> known) const {
  for (const auto& [key, node] : table_) {
    const auto is_key = [&key = key](const char* name) { return key.str() == name; };
    if (std::any_of(known.begin(), known.end(), is_key)) continue;
    throw TomlMistake(fmt::format("{}:{}: the key '{}' means nothing here; known keys are {}", file_,
                                  node.source().begin.line, key.str(), fmt::join(known, ", ")));
  }
}

toml::table parse_toml_file(const std::filesystem::path& file) {
  const auto content = read_file(file, kLargestFile);
  if (!content) throw TomlMistake(content.sentence());
  try {
    return toml::parse(*content, file.string());
  } catch (const toml::parse_error& error) {
    throw TomlMistake(fmt::format("{}:{}: this is not valid TOML: {}", file.string(), error.source().begin.line,
                                  std::string(error.description())));
  }
}

std::string toml_quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

}  // namespace lanewise
