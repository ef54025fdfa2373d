// Runs compilers, and tells errors in the source from failures of the compiler.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/runner/confinement.h"
#include "harness/runner/installation.h"

namespace lanewise {

/// How much of a compiler's output is kept, in bytes.
inline constexpr std::size_t kCompilerWordsKept = 32 << 10;

/// Why a compiler did not compile its input.
struct CompilerRefusal {
  std::string words;         ///< the compiler's own, or how it ended
  bool was_stopped = false;  ///< by a limit or its own crash; its output is incomplete
};

/// Runs a compiler or linker in `folder`, which also holds its temporary files. Confined, it can write only there and
/// needs `readable`. Empty on success; a refusal if the input is to blame: it is wrong, needs more time, memory or disk
/// space than allowed, or crashes the tool. A failure if the machine is to blame: a full disk, a kill, a missing
/// program. The next attempt may end differently. What it says of an input that it compiles goes to `remarks`.
Expected<std::optional<CompilerRefusal>> run_compiler(const std::filesystem::path& folder,
                                                      std::vector<std::string> command,
                                                      const Confinement& confinement = nullptr,
                                                      std::vector<std::filesystem::path> readable = {},
                                                      std::string* remarks = nullptr);

/// What a tool prints that reads what a source was compiled to, run as run_compiler() does. Empty if it fails.
std::optional<std::string> ask_tool(const std::filesystem::path& folder, std::vector<std::string> command,
                                    const Confinement& confinement, std::vector<std::filesystem::path> readable);

/// What the compiler prints, where it exits with 0: it is asked for its version or the like.
std::optional<std::string> ask_compiler(std::vector<std::string> command);

struct DescribedCompiler {
  std::string version;                                ///< in its own words, "gcc version 12.2.0 (Debian 12.2.0-14)"
  std::vector<std::filesystem::path> header_folders;  ///< where it looks up <...>
};

/// Of g++, or clang as one for C++. Empty if it cannot be run.
std::optional<DescribedCompiler> describe_compiler(const std::filesystem::path& compiler);

/// The failure says what is missing and what to do about it.
Expected<DescribedCompiler> describe_host_compiler(const Installation& installation);

}  // namespace lanewise
