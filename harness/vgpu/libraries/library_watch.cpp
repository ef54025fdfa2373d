// What the loader asks before it opens a shared library for a program under `lanewise run` (LD_AUDIT, rtld-audit(7)):
// NVIDIA's closed libraries are replaced by a stand-in where there is one, and otherwise the program ends there, before
// anything of it that depends on the library has run. So it does not matter how the library came to be opened: because
// the program was linked with it, by dlopen, or through a search path of its own.
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "harness/vgpu/libraries/closed_libraries.h"

using namespace vgpu::libraries;

namespace {

void write_all(int file, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t bytes = write(file, text.data() + written, text.size() - written);
    if (bytes < 0 && errno != EINTR) return;
    if (bytes > 0) written += static_cast<std::size_t>(bytes);
  }
}

[[noreturn]] void refuse(const ClosedLibrary& library) {
  const std::string sentence = "lanewise: " + refusal(library, program_invocation_name) + "\n";
  write_all(STDERR_FILENO, sentence);
  // `lanewise run` looks there, and then need not guess why its program did nothing.
  if (const char* const note = std::getenv("LANEWISE_VGPU_LIBRARY_REFUSED"))
    if (const int file = open(note, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600); file != -1) {
      write_all(file, sentence);
      close(file);
    }
  _exit(kExitClosedLibrary);
}

/// The file that stands in for a library; empty if there is none.
std::string stand_in(const char* name) {
  const char* const folder = std::getenv("LANEWISE_VGPU_LIBRARIES");
  if (folder == nullptr) return {};
  const char* const slash = std::strrchr(name, '/');
  std::string path = std::string(folder) + "/" + (slash != nullptr ? slash + 1 : name);
  return access(path.c_str(), R_OK) == 0 ? path : std::string();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) unsigned la_version(unsigned) { return LAV_CURRENT; }

extern "C" __attribute__((visibility("default"))) char* la_objsearch(const char* name, std::uintptr_t*, unsigned flag) {
  auto* const same = const_cast<char*>(name);
  // Asked once with the name that is wanted, and then with each path that it might have.
  if (flag != LA_SER_ORIG) return same;
  const ClosedLibrary* const library = library_of_file(name);
  if (library == nullptr) return same;
  const std::string path = stand_in(name);
  if (path.empty()) refuse(*library);
  return strdup(path.c_str());  // the loader keeps it
}
