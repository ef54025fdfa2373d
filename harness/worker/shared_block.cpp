// The driver's virtual memory management: CUDA IPC does not reach into another PID namespace, where a confined worker
// lives; a descriptor does.
#include "harness/worker/shared_block.h"

#include <unistd.h>

namespace lanewise {
namespace {

// The device that the runtime chose, which is the worker's only one.
CUmemAllocationProp properties() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 0;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return properties;
}

}  // namespace

bool can_share_memory(const CudaRuntime& runtime) {
  if (!runtime.has_driver()) return false;
  for (const CUdevice_attribute attribute : {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                                             CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED}) {
    int has = 0;
    if (runtime.driver.get_attribute(&has, attribute, 0) != CUDA_SUCCESS || has == 0) return false;
  }
  return true;
}

std::string SharedBlock::describe(const char* call, CUresult error) {
  release();
  return std::string(call) + " failed (CUDA driver error " + std::to_string(error) + ")";
}

std::string SharedBlock::allocate(std::uint64_t bytes) {
  release();
  ++number_;
  const CUmemAllocationProp wanted = properties();
  std::size_t granularity = 0;
  if (const CUresult error =
          runtime_.driver.get_granularity(&granularity, &wanted, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
      error != CUDA_SUCCESS)
    return describe("cuMemGetAllocationGranularity", error);
  const std::uint64_t rounded = (bytes + granularity - 1) / granularity * granularity;
  if (const CUresult error = runtime_.driver.create(&handle_, rounded, &wanted, 0); error != CUDA_SUCCESS)
    return describe("cuMemCreate", error);
  has_handle_ = true;
  return map_handle(rounded);
}

std::string SharedBlock::map(int descriptor, std::uint64_t bytes) {
  release();
  const CUresult error =
      runtime_.driver.import(&handle_, reinterpret_cast<void*>(static_cast<std::uintptr_t>(descriptor)),
                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  close(descriptor);
  if (error != CUDA_SUCCESS) return describe("cuMemImportFromShareableHandle", error);
  has_handle_ = true;
  return map_handle(bytes);
}

std::string SharedBlock::map_handle(std::uint64_t bytes) {
  // At the same address in every process if possible, so that none has better luck with its page tables than another.
  constexpr CUdeviceptr kUsualAddress = 0x2000'0000'0000;
  if (runtime_.driver.reserve(&address_, bytes, 0, kUsualAddress, 0) != CUDA_SUCCESS)
    if (const CUresult error = runtime_.driver.reserve(&address_, bytes, 0, 0, 0); error != CUDA_SUCCESS)
      return describe("cuMemAddressReserve", error);
  bytes_ = bytes;
  if (const CUresult error = runtime_.driver.map(address_, bytes, 0, handle_, 0); error != CUDA_SUCCESS)
    return describe("cuMemMap", error);
  is_mapped_ = true;
  CUmemAccessDesc access{};
  access.location = properties().location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  if (const CUresult error = runtime_.driver.set_access(address_, bytes, &access, 1); error != CUDA_SUCCESS)
    return describe("cuMemSetAccess", error);
  return "";
}

int SharedBlock::descriptor() const {
  int descriptor = -1;
  const bool is_exported =
      has_handle_ &&
      runtime_.driver.export_handle(&descriptor, handle_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) == CUDA_SUCCESS;
  return is_exported ? descriptor : -1;
}

void SharedBlock::release() {
  if (is_mapped_) runtime_.driver.unmap(address_, bytes_);
  if (address_ != 0) runtime_.driver.free_address(address_, bytes_);
  if (has_handle_) runtime_.driver.release(handle_);
  has_handle_ = is_mapped_ = false;
  address_ = 0;
  bytes_ = 0;
}

}  // namespace lanewise
