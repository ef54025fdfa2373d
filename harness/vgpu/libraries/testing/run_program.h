// Runs the programs of this folder on the virtual GPU, with what stands in for NVIDIA's libraries.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace vgpu::libraries_testing {

struct Ended {
  std::string output;  ///< and what went to stderr
  int code = -1;
};

/// As `lanewise run` starts programs.
inline Ended run(const std::string& command, const std::string& setting = "") {
  const std::string line = "env " + setting +
                           " LD_AUDIT=" VGPU_LIBRARY_WATCH " LANEWISE_VGPU_LIBRARIES=" VGPU_LIBRARIES
                           " LD_PRELOAD=" VGPU_PROGRAM_RUNTIME " LANEWISE_VGPU_DEVICE_PROGRAM=" VGPU_DEVICES
                           " timeout 100 " VGPU_PROGRAMS_BINARY "/" +
                           command + " 2>&1";
  Ended ended;
  FILE* const pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return ended;
  std::array<char, 4096> part{};
  while (const std::size_t bytes = std::fread(part.data(), 1, part.size(), pipe))
    ended.output.append(part.data(), bytes);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  return ended;
}

inline bool says(const Ended& ended, const std::string& text) { return ended.output.find(text) != std::string::npos; }

inline std::string expected(const std::string& program) {
  std::ifstream file(std::string(VGPU_LIBRARIES_SOURCE "/") + program + ".expected");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Findings may come in the middle of what a program prints, which is buffered.
inline std::string without_findings(const std::string& output) {
  std::istringstream lines(output);
  std::string rest;
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("lanewise vgpu: ", 0) != 0) rest += line + "\n";
  return rest;
}

}  // namespace vgpu::libraries_testing
