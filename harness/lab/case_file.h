// A case as TOML files spell it: in lab.toml, and in the files of an instructor.
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
  int line = 0;  ///< in its file
};

/// The keys name, why, backend, make and points; `group` is left to the caller, as is whether there are other keys.
/// Throws TomlMistake.
CaseFile read_case(const TomlTable& table);

/// The number of that key, 0 without it. Throws TomlMistake for one below 0.
double not_negative(const TomlTable& table, const char* key);

}  // namespace lanewise
