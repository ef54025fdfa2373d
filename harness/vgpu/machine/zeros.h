// Filling memory with zeros, at the cost of only what is used of it later.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "harness/vgpu/machine/page_size.h"

namespace vgpu {

/// Of much device memory, whole pages are given back to the system instead: they read as zeros, and take up memory
/// again once they are touched.
inline void fill_with_zeros(std::byte* begin, std::uint64_t bytes) {
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 20;
  const std::uint64_t page = page_bytes();
  if (bytes >= kMuch) {
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
