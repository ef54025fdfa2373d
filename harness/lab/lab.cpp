// Look-ups that labs use: parameters of a case, scalars and arrays of a problem.
#include "harness/lab/lab.h"

#include <stdexcept>
#include <utility>

namespace lanewise {
namespace {

const char* kind_of(const Parameters::Value& value) {
  static constexpr const char* kKinds[] = {"an integer", "a number", "true or false", "a string"};
  return kKinds[value.index()];
}

[[noreturn]] void throw_wrong_kind(const std::string& key, const Parameters::Value& value, const char* wanted) {
  throw std::invalid_argument("the key '" + key + "' of the case's make table is " + kind_of(value) + "; it must be " +
                              wanted);
}

}  // namespace

void Parameters::set(std::string key, Value value) { values_[std::move(key)] = std::move(value); }

bool Parameters::has(const std::string& key) const {
  asked_for_.insert(key);
  return values_.count(key) != 0;
}

const Parameters::Value& Parameters::find(const std::string& key) const {
  if (has(key)) return values_.find(key)->second;
  std::string keys;
  for (const auto& [name, value] : values_) keys += (keys.empty() ? "" : ", ") + name;
  throw std::invalid_argument("the case's make table lacks the key '" + key + "'" +
                              (keys.empty() ? "; it is empty" : "; it has " + keys));
}

std::vector<std::string> Parameters::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : values_) keys.push_back(key);
  return keys;
}

std::int64_t Parameters::integer(const std::string& key) const {
  const Value& found = find(key);
  if (const auto* value = std::get_if<std::int64_t>(&found)) return *value;
  throw_wrong_kind(key, found, "an integer");
}

std::int64_t Parameters::integer_or(const std::string& key, std::int64_t otherwise) const {
  return has(key) ? integer(key) : otherwise;
}

double Parameters::number(const std::string& key) const {
  const Value& found = find(key);
  if (const auto* value = std::get_if<double>(&found)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&found)) return static_cast<double>(*value);
  throw_wrong_kind(key, found, "a number");
}

const std::string& Parameters::text(const std::string& key) const {
  const Value& found = find(key);
  if (const auto* value = std::get_if<std::string>(&found)) return *value;
  throw_wrong_kind(key, found, "a string");
}

std::vector<std::string> Parameters::unread() const {
  std::vector<std::string> keys;
  for (const auto& [name, value] : values_)
    if (asked_for_.count(name) == 0) keys.push_back(name);
  return keys;
}

std::int64_t integer_scalar(const Problem& problem, const std::string& name) {
  for (const Scalar& scalar : problem.scalars) {
    if (scalar.name != name) continue;
    if (const auto* value = std::get_if<std::int64_t>(&scalar.value)) return *value;
    throw std::invalid_argument("the scalar '" + name + "' of the problem is not an integer");
  }
  throw std::invalid_argument("the problem has no scalar '" + name + "'");
}

const Array& find_array(const std::vector<Array>& arrays, const std::string& name) {
  for (const Array& array : arrays)
    if (array.name == name) return array;
  throw std::invalid_argument("the problem has no array '" + name + "'");
}

}  // namespace lanewise
