#include "harness/vgpu/monitor/device_contents.h"

#include <algorithm>

namespace vgpu {
namespace {

/// Allocations that are remembered before the freed ones among them are looked for.
constexpr std::size_t kMostKnown = 1024;

}  // namespace

DeviceContents::Known* DeviceContents::known(const Allocation& allocation) {
  const bool is_watched = allocation.kind == MemoryKind::kDevice || allocation.kind == MemoryKind::kHeap;
  if (!is_watched) return nullptr;
  const auto found = known_.find(allocation.address);
  if (found != known_.end() && found->second.serial == allocation.serial) return &found->second;
  if (allocation.serial <= trusted_up_to_) return nullptr;
  Known& known = known_[allocation.address];
  known.serial = allocation.serial;
  known.written = std::make_unique<WrittenBytes>(allocation.bytes);
  return &known;
}

DeviceContents::Range DeviceContents::range_at(const AddressSpace& memory, std::uint64_t address) {
  if (known_.size() > kMostKnown && memory.generation() > generation_ + kMostKnown) {
    generation_ = memory.generation();
    for (auto it = known_.begin(); it != known_.end();) {
      const Allocation* const now = memory.find(it->first);
      it = now == nullptr || now->serial != it->second.serial ? known_.erase(it) : std::next(it);
    }
  }
  const Allocation* const allocation = memory.find(address);
  if (allocation == nullptr) return {};
  const Known* const known = this->known(*allocation);
  return {allocation->address, allocation->address + allocation->bytes,
          known != nullptr ? known->written.get() : nullptr};
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
  target.written->copy(address - target.begin, address + bytes - target.begin, *source.written, from - source.begin);
}

void DeviceContents::trust(const AddressSpace& memory) {
  known_.clear();
  for (const auto& [address, allocation] : memory.allocations())
    trusted_up_to_ = std::max(trusted_up_to_, allocation.serial);
}

void DeviceContents::reset() {
  known_.clear();
  trusted_up_to_ = 0;
  generation_ = 0;
}

}  // namespace vgpu
