// Memory that runner and worker both map. Its size is fixed before it is shared, so a worker cannot shrink it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/lab/failure.h"
#include "harness/runner/descriptor.h"

namespace lanewise {

class SharedMemory {
 public:
  /// `bytes` of zeroes, sealed against shrinking and growing.
  static Expected<SharedMemory> create(std::uint64_t bytes);

  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }
  std::uint64_t size() const { return size_; }
  int descriptor() const { return descriptor_.get(); }

 private:
  SharedMemory(Descriptor descriptor, std::byte* data, std::uint64_t size);

  Descriptor descriptor_;
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace lanewise
