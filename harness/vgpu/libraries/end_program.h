// How a program ends that needs what the virtual GPU does not have.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "harness/vgpu/libraries/closed_libraries.h"

namespace vgpu::libraries {

inline void write_all(int file, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t bytes = write(file, text.data() + written, text.size() - written);
    if (bytes < 0 && errno != EINTR) return;
    if (bytes > 0) written += static_cast<std::size_t>(bytes);
  }
}

/// Says why. `lanewise run` looks for a note of it, and then need not guess why its program did nothing.
[[noreturn]] inline void end_program(const std::string& why) {
  const std::string sentence = "lanewise: " + why + "\n";
  write_all(STDERR_FILENO, sentence);
  if (const char* const note = std::getenv("LANEWISE_VGPU_LIBRARY_REFUSED"))
    if (const int file = open(note, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600); file != -1) {
      write_all(file, sentence);
      close(file);
    }
  _exit(kExitClosedLibrary);
}

}  // namespace vgpu::libraries
