// Device memory of one process that another one maps: allocated by the first, sent as a descriptor, the same bytes in
// both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/worker/runtime.h"

namespace lanewise {

/// Whether the first device has such memory. Hosts such as WSL 2 have not.
bool can_share_memory(const CudaRuntime& runtime);

/// One block, allocated here or in the process that its descriptor came from. Unmapped when destroyed; the memory is
/// freed once nobody maps it.
class SharedBlock {
 public:
  explicit SharedBlock(const CudaRuntime& runtime) : runtime_(runtime) {}
  ~SharedBlock() { release(); }
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;

  /// Allocates at least `bytes` and maps them, instead of the block before. Returns a sentence, empty on success.
  std::string allocate(std::uint64_t bytes);

  /// Maps the block of another process, bytes() of which are `bytes`, instead of the block before. Takes `descriptor`.
  /// Returns a sentence, empty on success.
  std::string map(int descriptor, std::uint64_t bytes);

  /// A new descriptor for the block, owned by the caller; -1 if there is none to be had.
  int descriptor() const;

  std::byte* data() const { return reinterpret_cast<std::byte*>(address_); }
  std::uint64_t bytes() const { return bytes_; }
  /// Which one it is, counted by allocate(): another block may be at the same address.
  int number() const { return number_; }

 private:
  void release();
  std::string map_handle(std::uint64_t bytes);
  std::string describe(const char* call, CUresult error);

  const CudaRuntime& runtime_;
  CUmemGenericAllocationHandle handle_ = 0;
  CUdeviceptr address_ = 0;
  std::uint64_t bytes_ = 0;
  int number_ = 0;
  bool has_handle_ = false;
  bool is_mapped_ = false;
};

}  // namespace lanewise
