// A memory pool: where cudaMallocAsync takes memory from, and what has been taken.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <map>

namespace vgpu::cudart {

struct MemoryPool {
  std::uint32_t number = 0;  ///< that its allocations carry
  int device = 0;
  bool is_default = false;
  bool destroyed = false;  ///< by the program, while allocations were left
  std::uint64_t most = 0;  ///< bytes that may be taken; 0: as many as there are
  std::uint64_t release_threshold = 0;
  int reuse[3] = {1, 1, 1};  ///< cudaMemPoolReuse...: memory is never handed out again here, so they change nothing
  std::map<int, cudaMemAccessFlags> access;  ///< of other devices
  std::uint64_t used = 0, most_used = 0;
  std::uint64_t kept = 0;  ///< bytes that a GPU would hold on to
  std::uint64_t most_kept = 0;

  /// How many bytes a GPU would have to map first to allocate `bytes`, in a program that has allocated as much before:
  /// what the pool may keep, it has.
  std::uint64_t unmapped_by(std::uint64_t bytes) const {
    const std::uint64_t all = used + bytes;
    return all - std::min(all, std::max(kept, release_threshold));
  }

  void take(std::uint64_t bytes) {
    used += bytes;
    most_used = std::max(most_used, used);
    kept = std::max(kept, used);
    most_kept = std::max(most_kept, kept);
  }
  void give_back(std::uint64_t bytes) {
    used -= std::min(bytes, used);
    kept = std::max(used, std::min(kept, release_threshold));
  }
};

}  // namespace vgpu::cudart
