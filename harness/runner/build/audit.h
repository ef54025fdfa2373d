// Checks a compiled submission before it runs: names it must not define, libraries it must not use, files it must not
// read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/build/elf_symbols.h"

namespace lanewise {

/// What an audit checks.
struct AuditSubject {
  ElfSymbols symbols;                          ///< of the object compiled from the submission only
  std::vector<std::filesystem::path> headers;  ///< every file the compiler read
};

/// The rules of an audit.
struct AuditRules {
  std::vector<std::string> forbidden;                  ///< libraries, by name: "cub", "thrust", "cublas"
  std::vector<std::filesystem::path> allowed_folders;  ///< the files read are these, or in these
};

/// One sentence per reason to refuse; empty if there is none.
std::vector<std::string> audit(const AuditSubject& subject, const AuditRules& rules);

/// The files named in the output of `nvcc -MD`.
std::vector<std::filesystem::path> parse_dependencies(std::string_view make_rule);

}  // namespace lanewise
