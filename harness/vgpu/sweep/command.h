// Other programs, run to completion or until a time limit.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace vgpu::sweep {

struct Command {
  std::vector<std::string> words;                                ///< the program first; looked for on the PATH
  std::vector<std::pair<std::string, std::string>> environment;  ///< set in addition to this process's own
  std::filesystem::path output;                                  ///< file for stdout and stderr
  std::chrono::milliseconds limit{0};
};

struct Ended {
  bool started = false;
  bool timed_out = false;
  int status = 0;  ///< as returned by waitpid
};

Ended run(const Command& command);

/// The file's first `most` bytes; empty if it cannot be read.
std::string read_file(const std::filesystem::path& path, std::size_t most = ~std::size_t{0});

}  // namespace vgpu::sweep
