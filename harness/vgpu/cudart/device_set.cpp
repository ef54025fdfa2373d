#include "harness/vgpu/cudart/device_set.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "harness/vgpu/cudart/host_process.h"
#include "harness/vgpu/cudart/runtime.h"

namespace vgpu::cudart {
namespace {

/// Where device addresses begin: far from anything a Linux process maps, and the same in every run. Each device has a
/// range of its own, so that an address says which device it belongs to.
constexpr std::uint64_t kFirstBase = 0x200000000000;
constexpr std::uint64_t kBetweenBases = std::uint64_t{1} << 41;

/// Addresses that a byte of device memory takes, red zones included, leave room for this much.
constexpr std::uint64_t kMostMemory = kBetweenBases / 4;

/// The virtual devices together never claim more memory than this share of the host's.
constexpr double kShareOfHostMemory = 0.75;

}  // namespace

cudaError_t DeviceSet::make(int number, std::unique_ptr<DeviceState>& device) {
  auto profile = load_profile(profile_);
  if (const auto* problem = std::get_if<std::string>(&profile)) {
    say(*problem);
    return cudaErrorNoDevice;
  }
  auto made = std::make_unique<DeviceState>();
  made->number = number;
  made->profile = std::move(std::get<DeviceProfile>(profile));
  made->timeline.set_reach(made->profile.rates.reach_nanoseconds);
  made->timeline.set_schedule_seed(schedule_seed_);
  std::copy(made->profile.limits.begin(), made->profile.limits.end(), made->limits);
  const double host_memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto share = static_cast<std::uint64_t>(host_memory * kShareOfHostMemory / count());
  std::string problem;
  made->memory =
      AddressSpace::reserve(kFirstBase + static_cast<std::uint64_t>(number) * kBetweenBases,
                            std::min({made->profile.memory, share, kMostMemory}), problem, host_process().view());
  if (!made->memory) {
    say(problem);
    return cudaErrorMemoryAllocation;
  }
  for (const DeviceState* const other : all_made()) {
    made->memory->set_peer(*other->memory, false);
    other->memory->set_peer(*made->memory, false);
  }
  for (const auto& memory : program_memory_) made->memory->set_peer(*memory, false);
  device = std::move(made);
  return cudaSuccess;
}

DeviceState* DeviceSet::get(int number, cudaError_t& error) {
  Place& place = places_[static_cast<std::size_t>(number)];
  if (!place.device && place.error == cudaSuccess) {
    place.error = make(number, place.device);
    if (place.device && place.before_reset) place.device->timeline.go_on_after(*std::exchange(place.before_reset, {}));
  }
  if (!place.device) error = place.error;
  return place.device.get();
}

DeviceState* DeviceSet::if_made(int number) const {
  return has(number) ? places_[static_cast<std::size_t>(number)].device.get() : nullptr;
}

std::vector<DeviceState*> DeviceSet::all_made() const {
  std::vector<DeviceState*> made;
  for (const Place& place : places_)
    if (place.device) made.push_back(place.device.get());
  return made;
}

std::map<int, Timeline*> DeviceSet::timelines() const {
  std::map<int, Timeline*> all;
  for (std::size_t number = 0; number < places_.size(); ++number) {
    const Place& place = places_[number];
    Timeline* const timeline = place.device ? &place.device->timeline : place.before_reset.get();
    if (timeline != nullptr) all[static_cast<int>(number)] = timeline;
  }
  return all;
}

DeviceState* DeviceSet::holding(std::uint64_t address) const {
  for (const Place& place : places_)
    if (place.device && place.device->memory->in_reservation(address)) return place.device.get();
  return program_memory(address) != nullptr ? if_made(0) : nullptr;
}

const AddressSpace* DeviceSet::memory_holding(std::uint64_t address) const {
  if (const AddressSpace* const memory = program_memory(address)) return memory;
  const DeviceState* const device = holding(address);
  return device != nullptr ? device->memory.get() : nullptr;
}

bool DeviceSet::add_program_memory(std::uint64_t begin, std::uint64_t bytes, std::byte* at) {
  const std::uint64_t end = begin + bytes;
  const bool is_a_devices = begin < kFirstBase + kMost * kBetweenBases && end > kFirstBase;
  const bool is_known = std::any_of(program_memory_.begin(), program_memory_.end(),
                                    [&](const auto& memory) { return begin < memory->high() && end > memory->low(); });
  if (is_a_devices || is_known) return false;
  program_memory_.push_back(AddressSpace::of_program(begin, bytes, at));
  for (const DeviceState* const device : all_made()) device->memory->set_peer(*program_memory_.back(), false);
  return true;
}

AddressSpace* DeviceSet::program_memory(std::uint64_t address) const {
  const auto found = std::find_if(program_memory_.begin(), program_memory_.end(),
                                  [&](const auto& memory) { return memory->in_reservation(address); });
  return found != program_memory_.end() ? found->get() : nullptr;
}

std::uint64_t DeviceSet::program_bytes_shared() const {
  std::uint64_t bytes = 0;
  for (const auto& memory : program_memory_) bytes += memory->bytes_shared_with_host();
  return bytes;
}

void DeviceSet::remove_program_memory(const std::function<bool(const AddressSpace&)>& is_over) {
  for (auto it = program_memory_.begin(); it != program_memory_.end();) {
    if (!is_over(**it)) {
      ++it;
      continue;
    }
    for (const DeviceState* const device : all_made()) device->memory->forget_peer(**it);
    it = program_memory_.erase(it);
  }
}

DeviceState* DeviceSet::owning(const StreamState* stream) const {
  for (const Place& place : places_)
    if (place.device && place.device->timeline.owns(stream)) return place.device.get();
  return nullptr;
}

void DeviceSet::set_schedule_seed(std::uint64_t seed) {
  schedule_seed_ = seed;
  for (DeviceState* const device : all_made()) device->timeline.set_schedule_seed(seed);
}

bool DeviceSet::have_unordered_work() const {
  const std::vector<DeviceState*> made = all_made();
  return std::any_of(made.begin(), made.end(), [](const DeviceState* d) { return d->timeline.has_unordered_work(); });
}

void DeviceSet::finish_all() {
  for (DeviceState* const device : all_made()) device->timeline.finish_all();
}

void DeviceSet::remove(int number) {
  Place& place = places_[static_cast<std::size_t>(number)];
  const std::unique_ptr<DeviceState> gone = std::move(place.device);
  place.before_reset = std::make_unique<Timeline>();
  place.before_reset->go_on_after(gone->timeline);
  for (const DeviceState* const other : all_made()) other->memory->forget_peer(*gone->memory);
}

}  // namespace vgpu::cudart
