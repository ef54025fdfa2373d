// What a program has advised about managed memory, page by page. It changes nothing here; the program can ask.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>

namespace vgpu::cudart {

struct Advice {
  bool read_mostly = false;
  std::uint32_t accessed_by = 0;  ///< a bit for each device
  cudaMemLocation preferred{}, prefetched_to{};
};

class MemoryAdvice {
 public:
  /// Changes what is said about the pages of a range, which is not empty: change(advice) for each stretch of them.
  template <class Change>
  void change(std::uint64_t begin, std::uint64_t bytes, const Change& change) {
    const std::uint64_t first = begin / kPage * kPage, end = (begin + bytes + kPage - 1) / kPage * kPage;
    split(first);
    split(end);
    for (auto it = from_.find(first); it->first != end; ++it) change(it->second);
  }

  /// Forgets what was said about memory that was at these addresses before.
  void forget(std::uint64_t begin, std::uint64_t bytes) {
    change(begin, bytes, [](Advice& advice) { advice = {}; });
  }

  /// look(advice) for each stretch of a range's pages.
  template <class Look>
  void each(std::uint64_t begin, std::uint64_t bytes, const Look& look) const {
    auto next = from_.upper_bound(begin);
    look(next == from_.begin() ? Advice{} : std::prev(next)->second);
    for (; next != from_.end() && next->first < begin + bytes; ++next) look(next->second);
  }

 private:
  static constexpr std::uint64_t kPage = 4096;

  /// A stretch begins at `at`.
  void split(std::uint64_t at) {
    const auto next = from_.upper_bound(at);
    from_.try_emplace(at, next == from_.begin() ? Advice{} : std::prev(next)->second);
  }

  std::map<std::uint64_t, Advice> from_;  ///< by where each stretch begins, up to the next; before the first: nothing
};

}  // namespace vgpu::cudart
