// Holds results against gradescope.schema.json and platforms.schema.json.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "grader/exports/sample_class_test.h"
#include "grader/workplace/temporary_folder.h"

namespace lanewise {

constexpr const char* kSchemaJudge = "jsonschema";

/// "" if `report` is as the schema says, or one of its definitions; else what is wrong, as a validator that is not ours
/// has it. Where that is not installed, everything is right.
inline std::string against_schema(const nlohmann::json& report, const std::string& schema = "gradescope",
                                  const std::string& definition = "") {
  if (!is_installed(kSchemaJudge)) return "";
  const auto folder = TemporaryFolder::create();
  if (!folder) return folder.sentence();
  std::ifstream stream(fmt::format("{}/{}.schema.json", LANEWISE_EXPORTS_FOLDER, schema));
  auto rules = nlohmann::json::parse(stream);
  if (!definition.empty()) rules["allOf"] = {{{"$ref", "#/definitions/" + definition}}};
  const std::string file = (folder->path() / "results.json").string();
  const std::string rules_file = (folder->path() / "schema.json").string();
  std::ofstream(file, std::ios::binary) << report;
  std::ofstream(rules_file, std::ios::binary) << rules;
  const auto [output, code] =
      run_command(fmt::format("PYTHONWARNINGS=ignore {} -i {} {} 2>&1", kSchemaJudge, file, rules_file));
  if (code == 0) return "";
  return output.empty() ? fmt::format("{} ended with {}", kSchemaJudge, code) : output;
}

}  // namespace lanewise
