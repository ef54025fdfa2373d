#include "harness/vgpu/machine/host_view.h"

#include <sys/mman.h>

#include <cerrno>

namespace vgpu {
namespace {

void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

class OwnView : public HostView {
 public:
  bool close_all(std::uint64_t base, std::uint64_t bytes) override {
    void* const placed =
        mmap(pointer(base), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (placed == pointer(base)) return true;
    if (placed != MAP_FAILED) {  // a kernel older than the flag
      munmap(placed, bytes);
      errno = EEXIST;
    }
    return false;
  }
  void forget(std::uint64_t base, std::uint64_t bytes) override { munmap(pointer(base), bytes); }

  bool open(std::uint64_t address, std::uint64_t bytes, int file, std::uint64_t offset) override {
    return mmap(pointer(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                static_cast<off_t>(offset)) != MAP_FAILED;
  }
  void close(std::uint64_t address, std::uint64_t bytes) override {
    static_cast<void>(
        mmap(pointer(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
  }
};

}  // namespace

HostView& HostView::own() {
  static auto* const kView = new OwnView();  // never destroyed: a program ends in any order
  return *kView;
}

}  // namespace vgpu
