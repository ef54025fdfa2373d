#include "harness/vgpu/monitor/array_names.h"

#include "harness/vgpu/machine/symbol_names.h"

namespace vgpu {

std::string name_of(const Allocation& allocation) {
  if (!allocation.name.empty()) return readable_variable_name(allocation.name);
  const char* kind = allocation.kind == MemoryKind::kHeap      ? "malloc"
                     : allocation.kind == MemoryKind::kManaged ? "managed"
                                                               : "allocation";
  return std::string(kind) + "#" + std::to_string(allocation.serial);
}

std::int64_t index_in(const Allocation& allocation, std::uint64_t address, std::uint32_t element_bytes) {
  const auto offset = static_cast<std::int64_t>(address - allocation.address);
  const auto size = static_cast<std::int64_t>(element_bytes);
  return offset >= 0 ? offset / size : -((-offset + size - 1) / size);
}

const SharedArray* shared_array_at(const Launch& launch, std::uint64_t address) {
  for (const SharedArray& array : launch.kernel().shared_arrays()) {
    const std::uint64_t extent = array.bytes != 0 ? array.bytes : launch.shape().dynamic_shared;
    if (address - array.offset < extent) return &array;
  }
  return nullptr;
}

NamedElement element_at(const Launch& launch, ptx::Space space, std::uint64_t address, std::uint32_t bytes) {
  if (space == ptx::Space::kShared) {
    const SharedArray* const array = shared_array_at(launch, address);
    if (array == nullptr || bytes == 0) return {};
    const std::int64_t before = array->bytes == bytes ? piece_number(array->name) : 0;
    return {readable_variable_name(array->name), before + static_cast<std::int64_t>((address - array->offset) / bytes)};
  }
  const Allocation* const allocation = launch.memory().home_of(address).find(address);
  if (allocation == nullptr) return {};
  const std::uint32_t element = allocation->element_bytes != 0 ? allocation->element_bytes : bytes;
  return {name_of(*allocation), index_in(*allocation, address, element)};
}

}  // namespace vgpu
