// Reads untrusted JSON: each error is a sentence that says where.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace lanewise {

/// what() is "grading.seed must be a whole number". Thrown by JsonFields, and turned into a Failure by the reader that
/// uses it.
class JsonMistake : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One object of a document that must outlive it. Every accessor throws JsonMistake.
class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  /// `where` is the prefix of the names of its keys: "" or "grading.".
  JsonFields(const Json& json, std::string where);

  std::string text(const char* key) const;
  double number(const char* key) const;
  std::int64_t whole(const char* key) const;
  /// A whole number from 0 to the largest std::int64_t.
  std::uint64_t from_zero(const char* key) const;
  bool flag(const char* key) const;
  JsonFields object(const char* key) const;
  std::vector<JsonFields> objects(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  /// An object that contains only strings.
  std::map<std::string, std::string> texts_by_name(const char* key) const;
  const Json& raw(const char* key) const;

  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

 private:
  const Json& json_;
  std::string where_;
};

}  // namespace lanewise
