// Walks through all tables; `points` is a number or a table of numbers.
#include "harness/lab/lab_without_points.h"

#include <sstream>

#include "harness/lab/toml_reader.h"

namespace lanewise {
namespace {

void without_numbers(toml::table& points) {
  for (auto&& [key, node] : points)
    if (const auto number = node.value<double>()) points.insert_or_assign(key, *number > 0);
}

void without_points(toml::table& table);

void without_points(toml::array& array) {
  for (auto& each : array) {
    if (toml::table* const table = each.as_table()) without_points(*table);
    if (toml::array* const inner = each.as_array()) without_points(*inner);
  }
}

void without_points(toml::table& table) {
  if (const auto number = table["points"].value<double>()) table.insert_or_assign("points", *number > 0);
  if (toml::table* const parts = table["points"].as_table()) without_numbers(*parts);
  for (auto&& [key, node] : table) {
    if (toml::table* const inner = node.as_table()) without_points(*inner);
    if (toml::array* const inner = node.as_array()) without_points(*inner);
  }
}

}  // namespace

Expected<std::string> lab_without_points(const std::filesystem::path& file) {
  try {
    toml::table parsed = parse_toml_file(file);
    without_points(parsed);
    std::ostringstream text;
    text << parsed;
    return text.str();
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

}  // namespace lanewise
