// Holds a results.json against gradescope.schema.json.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "grader/exports/sample_class_test.h"
#include "grader/workplace/temporary_folder.h"

namespace lanewise {

constexpr const char* kSchemaJudge = "jsonschema";

/// "" if `report` is as the schema says; else what is wrong, as a validator that is not ours has it. Where that is not
/// installed, everything is right.
inline std::string against_schema(const nlohmann::json& report) {
  if (!is_installed(kSchemaJudge)) return "";
  const auto folder = TemporaryFolder::create();
  if (!folder) return folder.sentence();
  const std::string file = (folder->path() / "results.json").string();
  std::ofstream(file, std::ios::binary) << report;
  const auto [output, code] = run_command(fmt::format("PYTHONWARNINGS=ignore {} -i {} '{}/gradescope.schema.json' 2>&1",
                                                      kSchemaJudge, file, LANEWISE_EXPORTS_FOLDER));
  if (code == 0) return "";
  return output.empty() ? fmt::format("{} ended with {}", kSchemaJudge, code) : output;
}

}  // namespace lanewise
