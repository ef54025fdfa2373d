// Reads cases; every error names its line.
#include "harness/lab/case_file.h"

#include <fmt/format.h>

#include "harness/lab/toml_reader.h"

namespace lanewise {
namespace {

constexpr double kMostPoints = 1e6;  // sums of them stay exact, and far from the largest number

}  // namespace

Parameters read_parameters(const TomlTable& table) {
  Parameters parameters;
  for (const auto& [key, node] : table.raw()) {
    const std::string name(key.str());
    if (const auto integer = node.value_exact<std::int64_t>())
      parameters.set(name, *integer);
    else if (node.is_floating_point())
      parameters.set(name, table.number(name.c_str()));
    else if (const auto flag = node.value_exact<bool>())
      parameters.set(name, *flag);
    else if (const auto text = node.value_exact<std::string>())
      parameters.set(name, *text);
    else
      table.fail(name.c_str(), fmt::format("the parameter '{}' must be a number, a string, true or false", name));
  }
  return parameters;
}

double read_points(const TomlTable& table, const char* key) {
  const double points = table.number(key);
  if (points < 0) table.fail(key, fmt::format("the key '{}' must not be negative", key));
  if (points > kMostPoints) table.fail(key, fmt::format("the key '{}' must be at most {:.0f}", key, kMostPoints));
  return points;
}

CaseFile read_case(const TomlTable& table) {
  CaseFile result;
  result.line = table.line();
  result.name = table.text("name");
  result.why = table.text("why");
  result.backend = table.text_or("backend", "");
  if (!result.backend.empty() && result.backend != "gpu" && result.backend != "vgpu")
    table.fail("backend",
               fmt::format("the backend '{}' is unknown; it is gpu or vgpu, or left out for both", result.backend));
  if (table.has("make")) result.make = read_parameters(table.table("make"));
  result.points = read_points(table, "points");
  result.least_budget = table.number_or("least_budget", result.least_budget);
  if (!(result.least_budget > 0)) table.fail("least_budget", "the key 'least_budget' must be greater than 0");
  return result;
}

}  // namespace lanewise
