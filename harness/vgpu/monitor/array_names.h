// Addresses as a programmer knows them: arrays and elements.
#pragma once

#include <cstdint>
#include <string>

#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// The name the allocation was given, or one made from what is known of it ("allocation#3").
std::string name_of(const Allocation& allocation);

/// Index of the element of `element_bytes` at `address`, counted from the allocation's begin; negative before it.
std::int64_t index_in(const Allocation& allocation, std::uint64_t address, std::uint32_t element_bytes);

/// The array that the address in shared memory belongs to; nullptr if there is none, as in a red zone.
const SharedArray* shared_array_at(const Launch& launch, std::uint64_t address);

struct NamedElement {
  std::string array;  ///< empty if the address belongs to none
  std::int64_t index = 0;

  /// "sums[3]"
  std::string text() const { return array + "[" + std::to_string(index) + "]"; }
};

/// The element that an access of `bytes` bytes inside an array touches; `address` as in MemoryAccess.
NamedElement element_at(const Launch& launch, ptx::Space space, std::uint64_t address, std::uint32_t bytes);

}  // namespace vgpu
