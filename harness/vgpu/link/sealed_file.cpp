#include "harness/vgpu/link/sealed_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace vgpu::link {

int sealed_file(const char* name, std::uint64_t bytes) {
  const int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return -1;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0 &&
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return file;
  close(file);
  return -1;
}

}  // namespace vgpu::link
