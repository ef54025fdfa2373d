// Filling memory with zeros, at the cost of only what is used of it later.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "harness/vgpu/machine/page_size.h"

namespace vgpu {

/// Whether pages that are given back hold zeros afterwards. An emulator of another processor may say yes and do
/// nothing.
inline bool gives_pages_back() {
  static const bool kDoes = [] {
    const std::size_t bytes = page_bytes();
    void* const page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    auto* const first = static_cast<volatile unsigned char*>(page);
    *first = 1;
    const bool does = madvise(page, bytes, MADV_REMOVE) == 0 && *first == 0;
    munmap(page, bytes);
    return does;
  }();
  return kDoes;
}

/// Of much device memory, whole pages are given back to the system instead: they read as zeros, and take up memory
/// again once they are touched.
inline void fill_with_zeros(std::byte* begin, std::uint64_t bytes) {
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 20;
  const std::uint64_t page = page_bytes();
  if (bytes >= kMuch && gives_pages_back()) {
    const std::uint64_t head = (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;
    const std::uint64_t pages = (bytes - head) / page * page;
    if (madvise(begin + head, pages, MADV_REMOVE) == 0) {
      std::memset(begin, 0, head);
      std::memset(begin + head + pages, 0, bytes - head - pages);
      return;
    }
  }
  std::memset(begin, 0, bytes);
}

}  // namespace vgpu
