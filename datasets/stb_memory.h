// Limits the memory of stb_image: files that inflate to a thousand times their size are refused.
#pragma once

#include <cstddef>

namespace lanewise {

/// While it lives, no allocation of stb_image in this thread may exceed `most_bytes`; one that would fails, and with it
/// the decoding.
class StbMemoryLimit {
 public:
  explicit StbMemoryLimit(std::size_t most_bytes);
  StbMemoryLimit(const StbMemoryLimit&) = delete;
  StbMemoryLimit& operator=(const StbMemoryLimit&) = delete;
  ~StbMemoryLimit();
};

}  // namespace lanewise
