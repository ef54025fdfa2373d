#include "harness/vgpu/machine/translator/code_memory.h"

#include <sys/mman.h>
#include <unistd.h>

namespace vgpu {

CodeMemory* CodeMemory::get() {
  static CodeMemory* const kMemory = []() -> CodeMemory* {
    const int file = memfd_create("translated code", MFD_CLOEXEC);
    if (file < 0) return nullptr;
    void* executable = MAP_FAILED;
    void* writable = MAP_FAILED;
    if (ftruncate(file, static_cast<off_t>(kBytes)) == 0) {
      executable = mmap(nullptr, kBytes, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
      writable = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    close(file);
    if (executable == MAP_FAILED || writable == MAP_FAILED) return nullptr;
    static CodeMemory memory;
    memory.writable_ = static_cast<std::byte*>(writable);
    memory.executable_ = static_cast<const std::byte*>(executable);
    memory.owner_ = getpid();
    return &memory;
  }();
  return kMemory;
}

bool CodeMemory::is_owner() const { return getpid() == owner_; }

}  // namespace vgpu
