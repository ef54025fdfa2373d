// Managed memory is where both sides reach it already: advice about it is checked, and can be asked for.
#include <algorithm>
#include <vector>

#include "harness/vgpu/cudart/entry.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

/// Whether `bytes` at `pointer` are managed memory.
cudaError_t check_managed(Runtime& runtime, const void* pointer, size_t bytes, const char* caller) {
  const AddressSpace* const memory = runtime.devices.memory_holding(address_of(pointer));
  const Allocation* const allocation = memory != nullptr ? memory->find(address_of(pointer)) : nullptr;
  if (bytes == 0) return cudaErrorInvalidValue;
  if (allocation == nullptr || allocation->kind != MemoryKind::kManaged ||
      bytes > allocation->address + allocation->bytes - address_of(pointer)) {
    runtime.note("invalid argument", std::string(caller) + " was given memory that is not managed", "");
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t check_place(const Runtime& runtime, cudaMemLocation location) {
  if (location.type == cudaMemLocationTypeDevice && !runtime.devices.has(location.id)) return cudaErrorInvalidDevice;
  return location.type >= cudaMemLocationTypeDevice && location.type <= cudaMemLocationTypeHostNumaCurrent
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

/// As it is told later.
cudaMemLocation kept(cudaMemLocation location) {
  if (location.type == cudaMemLocationTypeHostNumaCurrent) return {cudaMemLocationTypeHostNuma, 0};
  return {location.type, location.type == cudaMemLocationTypeHost ? 0 : location.id};
}

void follow(Advice& advice, cudaMemoryAdvise what, cudaMemLocation location) {
  const bool is_checked = what == cudaMemAdviseSetAccessedBy || what == cudaMemAdviseUnsetAccessedBy;
  const std::uint32_t device = is_checked && location.type == cudaMemLocationTypeDevice ? 1u << location.id : 0;
  switch (what) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
      advice.read_mostly = what == cudaMemAdviseSetReadMostly;
      break;
    case cudaMemAdviseSetPreferredLocation:
      advice.preferred = kept(location);
      break;
    case cudaMemAdviseUnsetPreferredLocation:
      advice.preferred = {};
      break;
    case cudaMemAdviseSetAccessedBy:
      advice.accessed_by |= device;
      break;
    case cudaMemAdviseUnsetAccessedBy:
      advice.accessed_by &= ~device;
      break;
  }
}

/// The one place that all of a range has; none if there is no such place.
cudaMemLocation place_of_all(const MemoryAdvice& advice, std::uint64_t begin, size_t bytes,
                             cudaMemLocation Advice::*which) {
  cudaMemLocation place{};
  bool is_first = true;
  advice.each(begin, bytes, [&](const Advice& stretch) {
    const cudaMemLocation& here = stretch.*which;
    if (std::exchange(is_first, false))
      place = here;
    else if (here.type != place.type || here.id != place.id)
      place = {};
  });
  return place;
}

int device_number(cudaMemLocation place) {
  if (place.type == cudaMemLocationTypeDevice) return place.id;
  return place.type == cudaMemLocationTypeInvalid ? cudaInvalidDeviceId : cudaCpuDeviceId;
}

/// What cudaMemRangeGetAttribute tells, in `values`; they are as many as the program has asked for.
cudaError_t look_up(const MemoryAdvice& advice, std::uint64_t begin, size_t bytes, cudaMemRangeAttribute attribute,
                    std::vector<int>& values) {
  if (values.empty() || (values.size() != 1 && attribute != cudaMemRangeAttributeAccessedBy))
    return cudaErrorInvalidValue;
  const bool is_prefetched = attribute == cudaMemRangeAttributeLastPrefetchLocation ||
                             attribute >= cudaMemRangeAttributeLastPrefetchLocationType;
  const cudaMemLocation place =
      place_of_all(advice, begin, bytes, is_prefetched ? &Advice::prefetched_to : &Advice::preferred);
  bool all_read_mostly = true;
  std::uint32_t accessed_by = ~0u;
  advice.each(begin, bytes, [&](const Advice& stretch) {
    all_read_mostly &= stretch.read_mostly;
    accessed_by &= stretch.accessed_by;
  });
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
      values[0] = all_read_mostly ? 1 : 0;
      return cudaSuccess;
    case cudaMemRangeAttributeAccessedBy:
      for (int& value : values) {
        value = accessed_by != 0 ? __builtin_ctz(accessed_by) : cudaInvalidDeviceId;
        accessed_by &= accessed_by - 1;
      }
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
    case cudaMemRangeAttributeLastPrefetchLocation:
      values[0] = device_number(place);
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocationType:
    case cudaMemRangeAttributeLastPrefetchLocationType:
      values[0] = place.type;
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocationId:
    case cudaMemRangeAttributeLastPrefetchLocationId:
      values[0] = place.id;
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

cudaError_t tell(Runtime& runtime, void* data, size_t data_bytes, cudaMemRangeAttribute attribute, const void* pointer,
                 size_t bytes) {
  constexpr size_t kMostAtOnce = size_t{1} << 16;  // a program may have room for more than can be held here
  static_assert(kMostAtOnce >= DeviceSet::kMost, "all devices come in the first piece");
  if (data == nullptr || data_bytes % sizeof(int) != 0) return cudaErrorInvalidValue;
  const size_t count = data_bytes / sizeof(int);
  std::vector<int> values(std::min(count, kMostAtOnce));
  const cudaError_t error = look_up(runtime.advice, address_of(pointer), bytes, attribute, values);
  if (error != cudaSuccess) return error;
  for (size_t done = 0; done < count && !host_process().is_gone(); done += values.size()) {
    values.resize(std::min(count - done, kMostAtOnce));
    host_process().write(static_cast<int*>(data) + done, values.data(), values.size() * sizeof values[0]);
    std::fill(values.begin(), values.end(), cudaInvalidDeviceId);
  }
  return cudaSuccess;
}

}  // namespace

VGPU_API cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                                          cudaStream_t stream) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState&, StreamState&) -> cudaError_t {
    if (flags != 0) return cudaErrorInvalidValue;
    cudaError_t error = check_managed(runtime, pointer, bytes, "cudaMemPrefetchAsync");
    if (error == cudaSuccess) error = check_place(runtime, location);
    if (error != cudaSuccess) return error;
    runtime.advice.change(address_of(pointer), bytes, [&](Advice& advice) { advice.prefetched_to = kept(location); });
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaMemPrefetchAsync_ptsz(const void* pointer, size_t bytes, cudaMemLocation location,
                                               unsigned flags, cudaStream_t stream) {
  return cudaMemPrefetchAsync(pointer, bytes, location, flags, stream);
}
VGPU_API cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                                   cudaMemLocation location) {
  return device_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy) return cudaErrorInvalidValue;
    const bool anywhere = advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly ||
                          advice == cudaMemAdviseUnsetPreferredLocation;  // the place is not looked at
    const cudaError_t error = check_managed(runtime, pointer, bytes, "cudaMemAdvise");
    if (error != cudaSuccess) return error;
    if (!anywhere && check_place(runtime, location) != cudaSuccess) return cudaErrorInvalidValue;
    runtime.advice.change(address_of(pointer), bytes, [&](Advice& known) { follow(known, advice, location); });
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaMemRangeGetAttribute(void* data, size_t data_bytes, cudaMemRangeAttribute attribute,
                                              const void* pointer, size_t bytes) {
  return device_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    const cudaError_t error = check_managed(runtime, pointer, bytes, "cudaMemRangeGetAttribute");
    return error == cudaSuccess ? tell(runtime, data, data_bytes, attribute, pointer, bytes) : error;
  });
}
VGPU_API cudaError_t cudaMemRangeGetAttributes(void** data, size_t* data_bytes, cudaMemRangeAttribute* attributes,
                                               size_t count, const void* pointer, size_t bytes) {
  return device_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    constexpr size_t kMost = 64;  // there are eight
    if (data == nullptr || data_bytes == nullptr || attributes == nullptr || count == 0 || count > kMost)
      return cudaErrorInvalidValue;
    cudaError_t error = check_managed(runtime, pointer, bytes, "cudaMemRangeGetAttributes");
    for (size_t n = 0; n < count && error == cudaSuccess; ++n) {
      void* to = nullptr;
      size_t room = 0;
      cudaMemRangeAttribute attribute{};
      host_process().read(&to, data + n, sizeof to);
      host_process().read(&room, data_bytes + n, sizeof room);
      host_process().read(&attribute, attributes + n, sizeof attribute);
      error = tell(runtime, to, room, attribute, pointer, bytes);
    }
    return error;
  });
}
VGPU_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, size_t, unsigned) {
  return stream_call(stream, [](Runtime&, DeviceState&, StreamState&) { return cudaSuccess; });
}
VGPU_API cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void* pointer, size_t bytes, unsigned flags) {
  return cudaStreamAttachMemAsync(stream, pointer, bytes, flags);
}
