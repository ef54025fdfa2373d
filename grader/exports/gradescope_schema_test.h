// Holds a results.json against gradescope.schema.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace lanewise {

/// "" if `report` is as the schema says; else what is wrong. By Valijson, in a file of its own: it is slow to compile.
/// Without Valijson everything is right.
#ifdef LANEWISE_HAS_VALIJSON
std::string against_schema(const nlohmann::json& report);
#else
inline std::string against_schema(const nlohmann::json&) { return ""; }
#endif

}  // namespace lanewise
