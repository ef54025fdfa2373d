// What the loader asks before it opens a shared library for a program under `lanewise run` (LD_AUDIT, rtld-audit(7)):
// NVIDIA's closed libraries are replaced by a stand-in where there is one, and otherwise the program ends there, before
// anything of it that depends on the library has run. So it does not matter how the library came to be opened: because
// the program was linked with it, by dlopen, or through a search path of its own.
#include <dirent.h>
#include <link.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "harness/vgpu/libraries/end_program.h"

using namespace vgpu::libraries;

namespace {

/// The file of the highest version, as the toolkit's link without one leads to it; empty if there is none.
std::string newest(const std::string& folder, const std::string& file) {
  const std::string beginning = file + ".";
  std::string found;
  unsigned long highest = 0;
  DIR* const entries = opendir(folder.c_str());
  if (entries == nullptr) return {};
  while (const dirent* const entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (!begins(name, beginning)) continue;
    const unsigned long version = std::strtoul(name.c_str() + beginning.size(), nullptr, 10);
    if (version <= highest) continue;
    highest = version;
    found = name;
  }
  closedir(entries);
  return found.empty() ? found : folder + "/" + found;
}

/// The file that stands in for a library; empty if there is none. That of "libcublas.so.13" also stands in for
/// "libcublas.so.13.1.0", but not for another version.
std::string stand_in(const char* name) {
  const char* const folder = std::getenv("LANEWISE_VGPU_LIBRARIES");
  if (folder == nullptr) return {};
  const char* const slash = std::strrchr(name, '/');
  std::string file = slash != nullptr ? slash + 1 : name;
  constexpr std::string_view kSuffix = ".so";
  const std::size_t unversioned = file.find(kSuffix) + kSuffix.size();
  if (file.size() == unversioned) return newest(folder, file);
  for (; file.size() > unversioned; file.resize(file.rfind('.')))
    if (std::string path = std::string(folder) + "/" + file; access(path.c_str(), R_OK) == 0) return path;
  return {};
}

}  // namespace

extern "C" __attribute__((visibility("default"))) unsigned la_version(unsigned) { return LAV_CURRENT; }

extern "C" __attribute__((visibility("default"))) char* la_objsearch(const char* name, std::uintptr_t*, unsigned flag) {
  auto* const same = const_cast<char*>(name);
  // Asked once with the name that is wanted, and then with each path that it might have.
  if (flag != LA_SER_ORIG) return same;
  const ClosedLibrary* const library = library_of_file(name);
  if (library == nullptr && !is_driver(name)) return same;
  const std::string path = stand_in(name);
  if (library == nullptr) return path.empty() ? same : strdup(path.c_str());
  if (path.empty()) end_program(refusal(*library, program_invocation_name));
  return strdup(path.c_str());  // the loader keeps it
}
