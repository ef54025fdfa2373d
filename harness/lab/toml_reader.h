// Reads TOML tables with errors that name file, line and key; the only place that knows the TOML library.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace lanewise {

/// A mistake in a TOML file; what() is "labs/scan/lab.toml:12: the key 'points' must be a number". Thrown by TomlTable
/// and turned into a Failure by the reader that uses it.
class TomlMistake : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One table of a parsed file, which must outlive it. Every accessor throws TomlMistake.
class TomlTable {
 public:
  TomlTable(const toml::table& table, std::string file) : table_(table), file_(std::move(file)) {}

  bool has(const char* key) const { return table_.contains(key); }
  std::string text(const char* key) const;
  std::string text_or(const char* key, std::string otherwise) const;
  double number(const char* key) const;  ///< finite
  double number_or(const char* key, double otherwise) const;
  std::vector<std::string> texts_or_none(const char* key) const;
  TomlTable table(const char* key) const;
  /// The tables of [[key]]; empty if there are none.
  std::vector<TomlTable> tables(const char* key) const;

  /// Throws for a key that is not in `known`: a misspelt key must not be silently ignored.
  void allow_only(std::initializer_list<const char*> known) const;

  /// Throws with the line of `key`, or of the table when the key is absent.
  [[noreturn]] void fail(const char* key, const std::string& sentence) const;

  int line() const { return static_cast<int>(table_.source().begin.line); }
  const toml::table& raw() const { return table_; }

 private:
  const toml::node& require(const char* key) const;

  const toml::table& table_;
  std::string file_;
};

/// Parses `file`. Throws TomlMistake when it cannot be read or is not TOML.
toml::table parse_toml_file(const std::filesystem::path& file);

/// `text` as a TOML string, on one line.
std::string toml_quoted(const std::string& text);

}  // namespace lanewise
