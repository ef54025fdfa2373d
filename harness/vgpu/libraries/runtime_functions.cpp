#include "harness/vgpu/libraries/runtime_functions.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>

#include "harness/vgpu/libraries/end_program.h"

namespace vgpu::libraries {
namespace {

/// Whether something in this process is linked with the library of that name.
bool is_needed(const char* library) {
  void* const program = dlopen(nullptr, RTLD_LAZY);
  link_map* object = nullptr;
  if (program == nullptr || dlinfo(program, RTLD_DI_LINKMAP, &object) != 0) return false;
  for (; object != nullptr; object = object->l_next) {
    const char* names = nullptr;
    for (const ElfW(Dyn)* entry = object->l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (names == nullptr || reinterpret_cast<std::uintptr_t>(names) < object->l_addr) continue;  // of the kernel's own
    for (const ElfW(Dyn)* entry = object->l_ld; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_NEEDED && std::strcmp(names + entry->d_un.d_val, library) == 0) return true;
  }
  return false;
}

}  // namespace

void* find_in_runtime_if_any(const char* name) {
  static void* const kRuntime = [] {
    const char* const used =
        is_needed("libcudart.so.12") && !is_needed("libcudart.so.13") ? "libcudart.so.12" : "libcudart.so.13";
    return dlopen(used, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return kRuntime != nullptr ? dlsym(kRuntime, name) : nullptr;
}

void* find_in_runtime(const char* name) {
  if (void* const found = find_in_runtime_if_any(name)) return found;
  end_program("this library works only on the virtual GPU: start the program with lanewise run");
}

}  // namespace vgpu::libraries
