// How much memory stb_image may take: files that inflate to a thousand times their size are refused, not believed.
#pragma once

#include <cstddef>

namespace lanewise {

/// While it lives, no allocation of stb_image in this thread may be larger than `most_bytes`; the one that would be
/// fails, and with it the decoding.
class StbMemoryLimit {
 public:
  explicit StbMemoryLimit(std::size_t most_bytes);
  StbMemoryLimit(const StbMemoryLimit&) = delete;
  StbMemoryLimit& operator=(const StbMemoryLimit&) = delete;
  ~StbMemoryLimit();
};

}  // namespace lanewise
