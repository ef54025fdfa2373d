// Memory and events that processes share.
#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/machine/page_size.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

/// Only cudaMalloc's memory can be exported; a pointer into the middle of it stands for all of it.
cudaError_t export_memory(Runtime& runtime, cudaIpcMemHandle_t* handle, const void* pointer) {
  DeviceState* const device = runtime.devices.holding(address_of(pointer));
  const Allocation* const allocation = device != nullptr ? device->memory->find(address_of(pointer)) : nullptr;
  if (handle == nullptr || allocation == nullptr || allocation->kind != MemoryKind::kDevice || allocation->lent ||
      allocation->pool != 0)
    return cudaErrorInvalidValue;
  const std::uint64_t address = allocation->address;
  auto known = device->shared.exported.find(address);
  if (known == device->shared.exported.end()) {
    const std::uint64_t pages = AddressSpace::bytes_of_pages(address, allocation->bytes);
    SharedLabel label;
    label.kind = SharedLabel::Kind::kMemory;
    label.device = static_cast<std::uint32_t>(device->number);
    label.begin = address % page_bytes();
    label.bytes = allocation->bytes;
    auto file = SharedFile::make(label, pages);
    if (!file || !device->memory->move_to_file(address, file->file())) return cudaErrorMapBufferObjectFailed;
    known = device->shared.exported.emplace(address, std::move(*file)).first;
  }
  known->second.write_handle(handle->reserved);
  return cudaSuccess;
}

/// The device that has the number which it has in the other process, or else the current one.
DeviceState* device_of(Runtime& runtime, DeviceState& current, const SharedLabel& label, cudaError_t& error) {
  if (label.device >= static_cast<std::uint32_t>(runtime.devices.count())) return &current;
  return runtime.devices.get(static_cast<int>(label.device), error);
}

cudaError_t open_memory(Runtime& runtime, DeviceState& current, void** pointer, const cudaIpcMemHandle_t& handle,
                        unsigned flags) {
  if (pointer == nullptr || flags != cudaIpcMemLazyEnablePeerAccess) return cudaErrorInvalidValue;
  cudaError_t error = cudaSuccess;
  auto file = SharedFile::open(handle.reserved, SharedLabel::Kind::kMemory, error);
  if (!file) return error;
  const SharedLabel label = file->label();
  DeviceState* const device = device_of(runtime, current, label, error);
  if (device == nullptr) return error;
  std::uint64_t address = 0;
  for (auto& [known, opened] : device->shared.opened)
    if (opened.file.id() == file->id()) {
      ++opened.times;
      address = known;
    }
  if (address == 0) {
    address = device->memory->map_file(file->file(), label.begin, label.bytes);
    if (address == 0) return cudaErrorMapBufferObjectFailed;
    device->memory->set_site(address, this_thread().site);
    device->shared.opened.emplace(address, SharedMemory::Opened{std::move(*file)});
  }
  if (device != &current && !current.memory->has_access_to(*device->memory))
    current.memory->set_peer(*device->memory, true);
  *pointer = reinterpret_cast<void*>(address);
  return cudaSuccess;
}

/// Waits for all work, as freeing does.
cudaError_t close_memory(Runtime& runtime, const void* pointer) {
  DeviceState* const device = runtime.devices.holding(address_of(pointer));
  const auto is_open = [&] { return device != nullptr && device->shared.opened.count(address_of(pointer)) != 0; };
  if (is_open()) runtime.devices.finish_all();
  if (!is_open()) {
    runtime.note(
        "invalid free",
        "cudaIpcCloseMemHandle was given a pointer that cudaIpcOpenMemHandle has not returned, or that has been "
        "closed already",
        "Close each handle as often as it was opened, with the pointer that this process got for it.");
    return cudaErrorInvalidValue;
  }
  const auto opened = device->shared.opened.find(address_of(pointer));
  if (--opened->second.times != 0) return cudaSuccess;
  device->memory->release(opened->first);
  device->shared.opened.erase(opened);
  return cudaSuccess;
}

cudaError_t export_event(Runtime& runtime, cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  if (handle == nullptr || event == nullptr) return cudaErrorInvalidValue;
  const auto found = runtime.events.find(event);
  if (found == runtime.events.end() || !found->second->is_interprocess || found->second->is_opened)
    return cudaErrorInvalidResourceHandle;
  EventState& state = *found->second;
  if (!state.exported) {
    SharedLabel label;
    label.kind = SharedLabel::Kind::kEvent;
    label.device = static_cast<std::uint32_t>(state.device);
    state.exported = SharedFile::make(label, 0);
  }
  if (!state.exported) return cudaErrorMapBufferObjectFailed;
  state.exported->write_handle(handle->reserved);
  return cudaSuccess;
}

cudaError_t open_event(Runtime& runtime, DeviceState& current, cudaEvent_t* event, const cudaIpcEventHandle_t& handle) {
  if (event == nullptr) return cudaErrorInvalidValue;
  cudaError_t error = cudaSuccess;
  const auto file = SharedFile::open(handle.reserved, SharedLabel::Kind::kEvent, error);
  if (!file) return error;
  const DeviceState* const device = device_of(runtime, current, file->label(), error);
  if (device == nullptr) return error;
  auto state = std::make_unique<EventState>();
  state->device = device->number;
  state->timing = false;
  state->is_interprocess = state->is_opened = true;
  *event = reinterpret_cast<cudaEvent_t>(state.get());
  runtime.events[*event] = std::move(state);
  return cudaSuccess;
}

}  // namespace

VGPU_API cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return unsafe_call([&](Runtime& runtime, DeviceState&) { return export_memory(runtime, handle, pointer); });
}
VGPU_API cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned flags) {
  return unsafe_call(
      [&](Runtime& runtime, DeviceState& device) { return open_memory(runtime, device, pointer, handle, flags); });
}
VGPU_API cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return unsafe_call([&](Runtime& runtime, DeviceState&) { return close_memory(runtime, pointer); });
}
VGPU_API cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return device_call([&](Runtime& runtime, DeviceState&) { return export_event(runtime, handle, event); });
}
VGPU_API cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return device_call([&](Runtime& runtime, DeviceState& device) { return open_event(runtime, device, event, handle); });
}
