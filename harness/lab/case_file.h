// A case as written in TOML: in lab.toml and in an instructor's files.
#pragma once

#include <cstdint>
#include <string>

#include "harness/lab/lab.h"

namespace lanewise {

class TomlTable;

/// One [[task.case]].
struct CaseFile {
  std::string name;
  std::string group;  ///< "check", "grade", "speed" or "race"
  std::string why;
  std::string backend;  ///< "", "gpu" or "vgpu": the only backend the case is for
  Parameters make;
  double points = 0;
  double least_budget =
      4e6;       ///< warp instructions that a launch may execute on the virtual GPU, however little the work
  int line = 0;  ///< in its file
};

/// The keys name, why, backend, make, points and least_budget. The caller reads `group` and checks for other keys.
/// Throws TomlMistake.
CaseFile read_case(const TomlTable& table);

/// The parameters of a table `{ kind = "uniform", n = 1025 }`. Throws TomlMistake.
Parameters read_parameters(const TomlTable& table);

/// The points under that key. Throws TomlMistake unless they are from 0 to a million.
double read_points(const TomlTable& table, const char* key);

}  // namespace lanewise
