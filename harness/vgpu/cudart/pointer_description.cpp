#include "harness/vgpu/cudart/pointer_description.h"

#include <cstdio>

#include "harness/vgpu/cudart/runtime.h"

namespace vgpu::cudart {
namespace {

constexpr std::uint64_t kNear = std::uint64_t{1} << 20;

}  // namespace

PointerDescription describe_pointer(std::uint64_t address) {
  PointerDescription described;
  Runtime& runtime = Runtime::get();
  const DeviceState* const device = runtime.devices.holding(address);
  if (device == nullptr) return described;
  std::snprintf(described.text, sizeof described.text, "device memory");
  if (!runtime.mutex.try_lock()) return described;  // in a signal handler, no lock may be waited for
  if (const Allocation* const near = device->memory->nearest(address, kNear); near != nullptr) {
    std::uint32_t known = near->element_bytes;
    if (const DeviceContents* const contents = runtime.contents(); known == 0 && contents != nullptr)
      known = contents->element_bytes_of(*device->memory, *near);
    const std::int64_t element = known != 0 ? known : 1;
    const auto offset = static_cast<std::int64_t>(address - near->address);
    if (near->name.empty()) {
      std::snprintf(described.allocation, sizeof described.allocation, "a device allocation of %llu bytes",
                    static_cast<unsigned long long>(near->bytes));
      described.made_at = near->site;
    }
    std::snprintf(described.text, sizeof described.text, "%s %lld of %s%s", known != 0 ? "element" : "byte",
                  static_cast<long long>(offset / element),
                  near->name.empty() ? described.allocation : near->name.c_str(), near->freed ? ", already freed" : "");
  }
  runtime.mutex.unlock();
  return described;
}

}  // namespace vgpu::cudart
