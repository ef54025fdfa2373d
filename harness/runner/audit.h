// Looks at a compiled submission before it runs: names it may not define, libraries it may not use, files it may not
// read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/elf_symbols.h"

namespace lanewise {

/// What an audit looks at.
struct AuditSubject {
  ElfSymbols symbols;                          ///< of the object compiled from the submission alone
  std::vector<std::filesystem::path> headers;  ///< every file the compiler read
};

/// What an audit holds it against.
struct AuditRules {
  std::vector<std::string> forbidden;                  ///< libraries, by name: "cub", "thrust", "cublas"
  std::vector<std::filesystem::path> allowed_folders;  ///< where the files that were read may lie
};

/// One sentence for each reason to refuse; empty if there is none.
std::vector<std::string> audit(const AuditSubject& subject, const AuditRules& rules);

/// The files named in the output of `nvcc -MD`.
std::vector<std::filesystem::path> parse_dependencies(std::string_view make_rule);

}  // namespace lanewise
