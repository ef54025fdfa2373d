#include "harness/vgpu/monitor/device_contents.h"

#include <algorithm>
#include <cstring>

namespace vgpu {
namespace {

/// Allocations that are remembered before the freed ones among them are looked for.
constexpr std::size_t kMostKnown = 1024;

}  // namespace

DeviceContents::Known* DeviceContents::known(Device& device, const Allocation& allocation) {
  const bool is_watched = allocation.kind == MemoryKind::kDevice || allocation.kind == MemoryKind::kHeap;
  if (!is_watched || allocation.between_processes) return nullptr;
  const auto found = device.known.find(allocation.address);
  if (found != device.known.end() && found->second.serial == allocation.serial) return &found->second;
  if (allocation.serial <= device.trusted_up_to) return nullptr;
  Known& known = device.known[allocation.address];
  known.serial = allocation.serial;
  known.written = std::make_unique<WrittenBytes>(allocation.bytes);
  return &known;
}

DeviceContents::Range DeviceContents::range_at(const AddressSpace& memory, std::uint64_t address) {
  const AddressSpace& home = memory.home_of(address);
  Device& device = devices_[&home];
  if (device.known.size() > kMostKnown && home.generation() > device.generation + kMostKnown) {
    device.generation = home.generation();
    for (auto it = device.known.begin(); it != device.known.end();) {
      const Allocation* const now = home.find(it->first);
      it = now == nullptr || now->serial != it->second.serial ? device.known.erase(it) : std::next(it);
    }
  }
  const Allocation* const allocation = home.find(address);
  if (allocation == nullptr) return {};
  Known* const known = DeviceContents::known(device, *allocation);
  return {allocation->address, allocation->address + allocation->bytes,
          known != nullptr ? known->written.get() : nullptr, known != nullptr ? &known->use : nullptr};
}

std::uint32_t DeviceContents::element_bytes_of(const AddressSpace& memory, const Allocation& allocation) const {
  const auto device = devices_.find(&memory);
  if (device == devices_.end()) return 0;
  const auto found = device->second.known.find(allocation.address);
  const bool is_same = found != device->second.known.end() && found->second.serial == allocation.serial;
  return is_same ? found->second.use.element_bytes : 0;
}

void DeviceContents::write(const AddressSpace& memory, std::uint64_t address, std::uint64_t bytes) {
  const Range range = range_at(memory, address);
  if (range.written == nullptr || bytes == 0) return;
  range.written->set(address - range.begin, std::min(address + bytes, range.end) - range.begin);
}

void DeviceContents::forget(const AddressSpace& memory, std::uint64_t address, std::uint64_t bytes) {
  const Range range = range_at(memory, address);
  if (range.written == nullptr || bytes == 0) return;
  range.written->clear(address - range.begin, std::min(address + bytes, range.end) - range.begin);
}

void DeviceContents::copy(const AddressSpace& memory, std::uint64_t address, std::uint64_t from, std::uint64_t bytes) {
  const Range target = range_at(memory, address);
  const Range source = range_at(memory, from);
  if (target.written == nullptr || bytes == 0) return;
  if (source.written == nullptr || !target.holds(address, address + bytes) || !source.holds(from, from + bytes))
    return write(memory, address, bytes);
  if (target.use->element_bytes == 0) {
    target.use->element_bytes = source.use->element_bytes;
    target.use->widest_store = source.use->widest_store;
  }
  target.written->copy(address - target.begin, address + bytes - target.begin, *source.written, from - source.begin);
}

void DeviceContents::pass(const AddressSpace& memory, const std::vector<std::byte>& parameters) {
  std::uint64_t word = 0;
  for (std::size_t at = 0; at + sizeof word <= parameters.size(); at += sizeof word) {  // pointers are aligned
    std::memcpy(&word, parameters.data() + at, sizeof word);
    if (!memory.home_of(word).in_reservation(word)) continue;
    const Range range = range_at(memory, word);
    if (range.use != nullptr) range.use->was_passed = true;
  }
}

void DeviceContents::trust(const AddressSpace& memory) {
  Device& device = devices_[&memory];
  device.known.clear();
  for (const auto& [address, allocation] : memory.allocations())
    device.trusted_up_to = std::max(device.trusted_up_to, allocation.serial);
}

}  // namespace vgpu
