// The option --toolchain, which all commands that build submissions have.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "harness/toolchain/toolchain.h"

namespace lanewise {

/// `toolchain` must outlive the parsing.
inline void add_toolchain_option(CLI::App& command, std::string& toolchain) {
  std::vector<std::string> names;
  for (const auto& [name, choice] : toolchain_choices()) names.push_back(name);
  command.add_option("--toolchain", toolchain, "What compiles CUDA: nvcc if it is there, or clang")
      ->check(CLI::IsMember(names))
      ->envname("LANEWISE_TOOLCHAIN")
      ->capture_default_str();
}

}  // namespace lanewise
