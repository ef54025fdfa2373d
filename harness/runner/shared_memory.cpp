// memfd_create, sized, sealed and mapped.
#include "harness/runner/shared_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace lanewise {

SharedMemory::SharedMemory(Descriptor descriptor, std::byte* data, std::uint64_t size)
    : descriptor_(std::move(descriptor)), data_(data), size_(size) {}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : descriptor_(std::move(other.descriptor_)), data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  if (this == &other) return *this;
  if (data_) munmap(data_, size_);
  descriptor_ = std::move(other.descriptor_);
  data_ = std::exchange(other.data_, nullptr);
  size_ = other.size_;
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_) munmap(data_, size_);
}

Expected<SharedMemory> SharedMemory::create(std::uint64_t bytes) {
  const auto failure = [bytes] {
    return Failure{fmt::format("{} bytes of shared memory could not be allocated ({})", bytes, std::strerror(errno))};
  };
  Descriptor descriptor(memfd_create("lanewise-case", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor) return failure();
  if (ftruncate(descriptor.get(), static_cast<off_t>(bytes)) != 0) return failure();
  // Unsealed, a worker could shrink the file and the runner's next look into it would be a bus error.
  if (fcntl(descriptor.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return failure();
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
  if (data == MAP_FAILED) return failure();
  return SharedMemory(std::move(descriptor), static_cast<std::byte*>(data), bytes);
}

}  // namespace lanewise
