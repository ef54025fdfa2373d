// Memory that holds machine code: written through one mapping, executed through another, which nobody can write to.
#pragma once

#include <cstddef>

namespace vgpu {

/// Where code goes, for as long as the process lives. A process that is to be confined asks for it beforehand, since
/// memory to execute is what it is not given later.
class CodeMemory {
 public:
  /// The process's own; null if the system gives none.
  static CodeMemory* get();

  /// Copies `bytes` of code, which `make(to, runs_at)` writes; where it can be executed, or null if all is used up.
  template <class Make>
  const void* add(std::size_t bytes, const Make& make) {
    if (bytes > kBytes - used_ || !is_owner()) return nullptr;
    std::byte* const to = writable_ + used_;
    const std::byte* const runs_at = executable_ + used_;
    if (!make(to, runs_at)) return nullptr;
    used_ += (bytes + 63) / 64 * 64;
    return runs_at;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{32} << 20;  ///< taken as it is used

  CodeMemory() = default;
  /// False in a process that was forked: it shares the memory with its parent.
  bool is_owner() const;

  std::byte* writable_ = nullptr;
  const std::byte* executable_ = nullptr;
  std::size_t used_ = 0;
  int owner_ = 0;
};

}  // namespace vgpu
