// Types are checked before values are read: the library's own exceptions do not say where.
#include "grader/bundle/json_fields.h"

#include <cmath>
#include <limits>

namespace lanewise {

JsonFields::JsonFields(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
  if (!json_.is_object())
    throw JsonMistake((where_.empty() ? "the document" : where_.substr(0, where_.size() - 1)) + " must be an object");
}

void JsonFields::fail(const std::string& key, const std::string& what) const {
  throw JsonMistake(where_ + key + " " + what);
}

const JsonFields::Json& JsonFields::raw(const char* key) const {
  const auto found = json_.find(key);
  if (found == json_.end()) fail(key, "is missing");
  return *found;
}

std::string JsonFields::text(const char* key) const {
  const Json& value = raw(key);
  if (!value.is_string()) fail(key, "must be a string");
  return value.get<std::string>();
}

double JsonFields::number(const char* key) const {
  const Json& value = raw(key);
  if (!value.is_number() || !std::isfinite(value.get<double>())) fail(key, "must be a number");
  return value.get<double>();
}

std::int64_t JsonFields::whole(const char* key) const {
  const Json& value = raw(key);
  const bool is_too_large = value.is_number_unsigned() &&
                            value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (!value.is_number_integer() || is_too_large) fail(key, "must be a whole number");
  return value.get<std::int64_t>();
}

std::uint64_t JsonFields::from_zero(const char* key) const {
  const std::int64_t value = whole(key);
  if (value < 0) fail(key, "must be a whole number, 0 or more");
  return static_cast<std::uint64_t>(value);
}

bool JsonFields::flag(const char* key) const {
  const Json& value = raw(key);
  if (!value.is_boolean()) fail(key, "must be true or false");
  return value.get<bool>();
}

JsonFields JsonFields::object(const char* key) const { return {raw(key), where_ + key + "."}; }

std::vector<JsonFields> JsonFields::objects(const char* key) const {
  const Json& list = raw(key);
  if (!list.is_array()) fail(key, "must be a list");
  std::vector<JsonFields> all;
  for (std::size_t i = 0; i < list.size(); ++i)
    all.emplace_back(list[i], where_ + key + "[" + std::to_string(i) + "].");
  return all;
}

std::vector<std::string> JsonFields::texts(const char* key) const {
  const Json& list = raw(key);
  if (!list.is_array()) fail(key, "must be a list");
  std::vector<std::string> all;
  for (const Json& each : list) {
    if (!each.is_string()) fail(key, "must be a list of strings");
    all.push_back(each.get<std::string>());
  }
  return all;
}

std::map<std::string, std::string> JsonFields::texts_by_name(const char* key) const {
  const Json& table = raw(key);
  if (!table.is_object()) fail(key, "must be an object");
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : table.items()) {
    if (!value.is_string()) fail(key + ("." + name), "must be a string");
    all[name] = value.get<std::string>();
  }
  return all;
}

}  // namespace lanewise
