// What a launch touches of the memory that the host can reach, too.
#pragma once

#include <bitset>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/machine/observer.h"

namespace vgpu {

class AddressSpace;

/// Each word of four bytes crosses the bus to the host once in a launch, however often it is accessed.
class HostWords {
 public:
  void launch_begins(const AddressSpace& memory);
  /// Of an access to global memory.
  void access(const MemoryAccess& access) {
    if (access.lowest < end_ && access.highest + access.bytes > begin_) look(access);
  }
  /// Since the launch began.
  std::uint64_t bytes() const { return words_ * kWordBytes; }

 private:
  static constexpr std::uint64_t kWordBytes = 4;
  static constexpr std::uint64_t kWordsOfPage = 1024;
  struct Range {
    std::uint64_t begin, end;
  };

  void look(const MemoryAccess& access);

  std::uint64_t begin_ = 0, end_ = 0;                                     ///< of all ranges
  std::vector<Range> ranges_;                                             ///< by where they begin
  std::unordered_map<std::uint64_t, std::bitset<kWordsOfPage>> touched_;  ///< by number of the page
  std::uint64_t words_ = 0;
};

}  // namespace vgpu
