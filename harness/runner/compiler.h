// Runs compilers, and tells what they say about a source from what befell them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/runner/confinement.h"
#include "harness/runner/installation.h"

namespace lanewise {

/// Bytes kept of what a compiler says.
inline constexpr std::size_t kCompilerWordsKept = 32 << 10;

/// Why a compiler did not compile its input.
struct CompilerRefusal {
  std::string words;         ///< its own, or of how it ended
  bool was_stopped = false;  ///< at a limit, or by a crash of its own; what it wrote is not whole
};

/// Runs a compiler or linker in `folder`, which also takes its temporary files. Confined, it can write there only and
/// needs `readable`. Nothing on success; a refusal when the input is to blame: it is not right, or takes more time,
/// memory or room than compiling may, or crashes the tool. A failure when the machine is to blame: a full disk, a kill,
/// a program that is not there. The next try may end otherwise.
Expected<std::optional<CompilerRefusal>> run_compiler(const std::filesystem::path& folder,
                                                      std::vector<std::string> command,
                                                      const Confinement& confinement = nullptr,
                                                      std::vector<std::filesystem::path> readable = {});

/// "13.0.88"
Expected<std::string> ask_nvcc_version(const Installation& installation);

struct HostCompiler {
  std::string version;                                ///< in its own words, "gcc version 12.2.0 (Debian 12.2.0-14)"
  std::vector<std::filesystem::path> header_folders;  ///< it takes <...> from
};

Expected<HostCompiler> ask_host_compiler(const Installation& installation);

}  // namespace lanewise
