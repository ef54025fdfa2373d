// Memory: allocating, freeing, filling, and what a pointer is.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "harness/vgpu/cudart/device_clock.h"
#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/graph_launch.h"
#include "harness/vgpu/cudart/graph_memory.h"
#include "harness/vgpu/cudart/host_process.h"
#include "harness/vgpu/machine/number_text.h"
#include "harness/vgpu/machine/zeros.h"
#include "harness/vgpu/monitor/array_names.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

void* pointer_to(std::uint64_t address) { return reinterpret_cast<void*>(address); }

cudaError_t allocate(Runtime& runtime, DeviceState& device, void** pointer, size_t bytes, MemoryKind kind) {
  if (pointer == nullptr) {
    runtime.note("invalid argument", "memory was to be allocated, but its address is to be stored at a null pointer",
                 "The call needs the address of your pointer: cudaMalloc(&d_a, ...).");
    return cudaErrorInvalidValue;
  }
  if (bytes == 0) {
    *pointer = nullptr;
    return cudaSuccess;
  }
  const std::uint64_t address = device.memory->allocate(bytes, kind);
  if (address == 0) return cudaErrorMemoryAllocation;
  device.memory->set_site(address, this_thread().site);
  if (kind == MemoryKind::kManaged) runtime.advice.forget(address, bytes);
  if (kind == MemoryKind::kDevice)
    device.timeline.takes(Busy::kAllocating, malloc_time(device.profile), {"cudaMalloc", bytes});
  *pointer = pointer_to(address);
  return cudaSuccess;
}

/// The memory that a pointer points into: the current device's, or another one's.
const AddressSpace& memory_of(const Runtime& runtime, const DeviceState& device, const void* pointer) {
  const AddressSpace* const holder = runtime.devices.memory_holding(address_of(pointer));
  return holder != nullptr ? *holder : *device.memory;
}

/// Freeing waits for all work, as cudaFree does.
cudaError_t free_now(Runtime& runtime, DeviceState& device, void* pointer, bool pinned) {
  if (pointer == nullptr) return cudaSuccess;
  runtime.devices.finish_all();
  if (GraphMemory* const own = pinned ? nullptr : graph_memory_at(runtime, pointer)) {
    const cudaError_t error = free_without_graph(runtime, *own, "cudaFree");
    if (error == cudaSuccess) end_use(runtime, *own);
    return error;
  }
  const AddressSpace& memory = memory_of(runtime, device, pointer);
  const Allocation* const allocation = memory.find(address_of(pointer));
  const bool begins = allocation != nullptr && allocation->address == address_of(pointer);
  const bool is_a_callers = begins && !allocation->name.empty();  // extensions.h: not of the program that is timed
  const std::uint64_t shared = begins && is_host_visible(allocation->kind) ? allocation->bytes : 0;
  const bool right_kind =
      begins && (allocation->kind == MemoryKind::kPinned) == pinned && !is_variable(allocation->kind);
  if (begins && allocation->lent) return runtime.refuse_to_free(*allocation, pinned ? "cudaFreeHost" : "cudaFree");
  if (!right_kind || !runtime.release(*runtime.devices.holding(address_of(pointer)), address_of(pointer))) {
    runtime.note("invalid free",
                 std::string(pinned ? "cudaFreeHost" : "cudaFree") + " was given a pointer that " +
                     (begins                  ? "the other kind of allocation made"
                      : allocation != nullptr ? "points into the middle of an allocation"
                                              : "is not (or no longer) allocated"),
                 "Free each allocation once, with the pointer it came with.");
    return cudaErrorInvalidValue;
  }
  if (!pinned && !is_a_callers) device.timeline.takes(Busy::kAllocating, free_time(device.profile), {"cudaFree"});
  device.timeline.passes_to_or_from_host(shared);  // what is shared no longer
  return cudaSuccess;
}

/// Bytes [pointer, pointer + bytes) as the machine reaches them, if they lie in one allocation (see
/// allocation_for_later); null with a note otherwise.
std::byte* device_range(Runtime& runtime, const DeviceState& device, const void* pointer, size_t bytes,
                        const char* caller, bool for_graph = false) {
  const std::uint64_t address = address_of(pointer);
  const AddressSpace& memory = memory_of(runtime, device, pointer);
  const Allocation* const allocation = allocation_for_later(runtime, memory, address, for_graph);
  if (allocation == nullptr) {
    if (std::byte* const at = device.memory->pinned_host(address, bytes)) return at;
    runtime.note("invalid argument", std::string(caller) + " was given a pointer that is not device memory", "");
    return nullptr;
  }
  if (bytes > allocation->address + allocation->bytes - address) {
    runtime.note("invalid argument",
                 std::string(caller) + " of " + with_commas(bytes) + " bytes runs past the end of " +
                     name_of(*allocation) + ", which has " + with_commas(allocation->bytes) + " bytes",
                 "Sizes are in bytes: count * sizeof(element).");
    return nullptr;
  }
  return memory.host(address);
}

/// As bytes_of_rows.
std::optional<size_t> bytes_of_fill(const cudaMemsetParams& work) {
  size_t row_bytes = 0;
  if (__builtin_mul_overflow(work.width, size_t{work.elementSize}, &row_bytes)) return std::nullopt;
  if (work.height > 1 && work.pitch < row_bytes)
    return std::nullopt;  // rows that lie on each other could be any number
  return bytes_of_rows(row_bytes, work.height, work.pitch);
}

/// The least multiple of `unit` that is not below `bytes`; nothing if there is none.
std::optional<size_t> rounded_up(size_t bytes, size_t unit) {
  if (__builtin_add_overflow(bytes, unit - 1, &bytes)) return std::nullopt;
  return bytes / unit * unit;
}

cudaError_t fill(Runtime& runtime, DeviceState& device, StreamState& stream, void* pointer, int value, size_t width,
                 size_t height, size_t pitch, const char* caller) {
  const cudaMemsetParams work{pointer, pitch, static_cast<unsigned char>(value), 1, width, height};
  const auto bytes = bytes_of_fill(work);
  if (bytes == size_t{0}) return cudaSuccess;
  if (!bytes || device_range(runtime, device, pointer, *bytes, caller, stream.capture != nullptr) == nullptr)
    return cudaErrorInvalidValue;
  if (stream.capture) return capture_work(stream, FillWork{work});
  device.timeline.takes(Busy::kLaunching, once(device.profile.rates.launch_host_nanoseconds), {"memset", *bytes});
  return enqueue_fill(runtime, device, stream, work);
}

}  // namespace

bool vgpu::cudart::is_fillable(Runtime& runtime, DeviceState& device, const cudaMemsetParams& work, const char* caller,
                               bool for_graph) {
  const auto bytes = bytes_of_fill(work);
  return bytes && device_range(runtime, device, work.dst, *bytes, caller, for_graph) != nullptr;
}

cudaError_t vgpu::cudart::enqueue_fill(Runtime& runtime, DeviceState& device, StreamState& stream,
                                       const cudaMemsetParams& work) {
  const auto bytes = bytes_of_fill(work);
  if (bytes == size_t{0}) return cudaSuccess;
  std::byte* const to = bytes ? device_range(runtime, device, work.dst, *bytes, "cudaMemset") : nullptr;
  if (to == nullptr) return cudaErrorInvalidValue;
  const size_t row_bytes = work.width * work.elementSize;
  device.timeline.enqueue(stream, [&runtime, &device, to, work, row_bytes] {
    if (!is_still_allocated(runtime, device, work.dst)) return;
    DeviceContents* const contents = runtime.contents();
    for (size_t row = 0; row < work.height; ++row) {
      std::byte* const begin = to + row * work.pitch;
      if (contents != nullptr) contents->write(*device.memory, address_of(work.dst) + row * work.pitch, row_bytes);
      if (work.value == 0) {
        fill_with_zeros(begin, row_bytes);
        continue;
      }
      if (work.elementSize == 1) {
        std::memset(begin, static_cast<int>(work.value), row_bytes);
        continue;
      }
      for (size_t at = 0; at < row_bytes; at += work.elementSize)
        std::memcpy(begin + at, &work.value, work.elementSize);
    }
    device.timeline.takes(Busy::kFill, memory_time(device.profile, row_bytes * work.height),
                          {"", row_bytes * work.height});
  });
  return cudaSuccess;
}

VGPU_API cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return unsafe_call([&](Runtime& runtime, DeviceState& device) {
    return allocate(runtime, device, pointer, bytes, MemoryKind::kDevice);
  });
}
VGPU_API cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return unsafe_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return allocate(runtime, device, pointer, bytes, MemoryKind::kManaged);
  });
}
VGPU_API cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return unsafe_call([&](Runtime& runtime, DeviceState& device) {
    return allocate(runtime, device, pointer, bytes, MemoryKind::kPinned);
  });
}
VGPU_API cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) { return cudaMallocHost(pointer, bytes); }

VGPU_API cudaError_t cudaFree(void* pointer) {
  return unsafe_call([&](Runtime& runtime, DeviceState& device) { return free_now(runtime, device, pointer, false); });
}
VGPU_API cudaError_t cudaFreeHost(void* pointer) {
  return unsafe_call([&](Runtime& runtime, DeviceState& device) { return free_now(runtime, device, pointer, true); });
}

VGPU_API cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return unsafe_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
    const auto rounded = rounded_up(width, device.profile.pitch_alignment);
    if (!rounded || (height != 0 && *rounded > device.memory->capacity() / height)) return cudaErrorMemoryAllocation;
    *pitch = *rounded;
    return allocate(runtime, device, pointer, *pitch * height, MemoryKind::kDevice);
  });
}
VGPU_API cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  return unsafe_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (pitched == nullptr) return cudaErrorInvalidValue;
    const auto pitch = rounded_up(extent.width, device.profile.pitch_alignment);
    size_t rows = 0;
    if (!pitch || __builtin_mul_overflow(extent.height, extent.depth, &rows) ||
        (rows != 0 && *pitch > device.memory->capacity() / rows))
      return cudaErrorMemoryAllocation;
    void* pointer = nullptr;
    const cudaError_t error = allocate(runtime, device, &pointer, *pitch * rows, MemoryKind::kDevice);
    if (error == cudaSuccess) *pitched = {pointer, *pitch, extent.width, extent.height};
    return error;
  });
}

// --- host memory that is not ours ---

VGPU_API cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned) {
  return unsafe_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
    if (device.memory->is_pinned_host(address_of(pointer), 1, AddressSpace::Reach::kCopies))
      return cudaErrorHostMemoryAlreadyRegistered;
    std::byte* const at = host_process().share(pointer, bytes);
    if (at == nullptr) return cudaErrorMemoryAllocation;
    for (int number = 0; number < runtime.devices.count(); ++number) {
      cudaError_t error = cudaSuccess;
      DeviceState* const each = runtime.devices.get(number, error);
      if (each == nullptr) return error;
      each->memory->pin_host(address_of(pointer), bytes, AddressSpace::Reach::kKernels, at);
    }
    device.timeline.takes(Busy::kPinning, pin_time(device.profile, bytes), {"cudaHostRegister", bytes});
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaHostUnregister(void* pointer) {
  return unsafe_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    runtime.devices.finish_all();
    bool was_registered = false;
    for (DeviceState* const each : runtime.devices.all_made()) {
      const std::uint64_t before = each->memory->bytes_shared_with_host();
      was_registered |= each->memory->unpin_host(address_of(pointer));
      each->timeline.passes_to_or_from_host(before - each->memory->bytes_shared_with_host());
    }
    host_process().unshare(pointer);
    return was_registered ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}
VGPU_API cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (device_pointer == nullptr || host_pointer == nullptr) return cudaErrorInvalidValue;
    const Allocation* const allocation = memory_of(runtime, device, host_pointer).find(address_of(host_pointer));
    const bool pinned = allocation != nullptr && allocation->kind == MemoryKind::kPinned;
    if (!pinned && !device.memory->is_pinned_host(address_of(host_pointer), 1, AddressSpace::Reach::kKernels))
      return cudaErrorInvalidValue;
    *device_pointer = host_pointer;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    const Allocation* const allocation = memory_of(runtime, device, pointer).find(address_of(pointer));
    if (flags == nullptr || allocation == nullptr || allocation->kind != MemoryKind::kPinned)
      return cudaErrorInvalidValue;
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
  });
}

// --- what is there ---

VGPU_API cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    if (free_bytes == nullptr || total_bytes == nullptr) return cudaErrorInvalidValue;
    *total_bytes = device.memory->capacity();
    // The heap is taken as a whole, whatever kernels have of it.
    const std::uint64_t used = device.memory->used() - device.heap_used + device.limits[cudaLimitMallocHeapSize];
    *free_bytes = device.memory->capacity() - std::min(used, device.memory->capacity());
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    *attributes = {};
    void* const own = const_cast<void*>(pointer);
    const Allocation* const allocation =
        allocation_for_later(runtime, memory_of(runtime, device, pointer), address_of(pointer), /*for_graph=*/false);
    if (allocation == nullptr) {
      const bool registered = device.memory->is_pinned_host(address_of(pointer), 1, AddressSpace::Reach::kKernels);
      attributes->type = registered ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
      attributes->device = registered ? 0 : -2;
      attributes->devicePointer = registered ? own : nullptr;
      attributes->hostPointer = own;
      return cudaSuccess;
    }
    const DeviceState* const holder = runtime.devices.holding(address_of(pointer));
    attributes->device = holder != nullptr ? holder->number : 0;
    attributes->devicePointer = own;
    switch (allocation->kind) {
      case MemoryKind::kManaged:
        attributes->type = cudaMemoryTypeManaged;
        attributes->hostPointer = own;
        break;
      case MemoryKind::kPinned:
        attributes->type = cudaMemoryTypeHost;
        attributes->hostPointer = own;
        break;
      default:
        attributes->type = cudaMemoryTypeDevice;
    }
    return cudaSuccess;
  });
}

// --- filling ---

VGPU_API cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) {
    return fill(runtime, device, state, pointer, value, bytes, 1, bytes, "cudaMemset");
  });
}
VGPU_API cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  return cudaMemsetAsync(pointer, value, bytes, nullptr);
}
VGPU_API cudaError_t cudaMemsetAsync_ptsz(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return cudaMemsetAsync(pointer, value, bytes, stream == nullptr ? cudaStreamPerThread : stream);
}
VGPU_API cudaError_t cudaMemset_ptds(void* pointer, int value, size_t bytes) {
  return cudaMemsetAsync(pointer, value, bytes, cudaStreamPerThread);
}
VGPU_API cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                                       cudaStream_t stream) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) -> cudaError_t {
    if (width > pitch) return cudaErrorInvalidValue;
    return fill(runtime, device, state, pointer, value, width, height, pitch, "cudaMemset2D");
  });
}
VGPU_API cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(pointer, pitch, value, width, height, nullptr);
}
VGPU_API cudaError_t cudaMemset2DAsync_ptsz(void* pointer, size_t pitch, int value, size_t width, size_t height,
                                            cudaStream_t stream) {
  return cudaMemset2DAsync(pointer, pitch, value, width, height, stream == nullptr ? cudaStreamPerThread : stream);
}
VGPU_API cudaError_t cudaMemset2D_ptds(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(pointer, pitch, value, width, height, cudaStreamPerThread);
}
VGPU_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitched, int value, cudaExtent extent, cudaStream_t stream) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) -> cudaError_t {
    if (extent.width > pitched.pitch || extent.height > pitched.ysize) return cudaErrorInvalidValue;
    if (extent.width == 0 || extent.height == 0) return cudaSuccess;
    for (size_t slice = 0; slice < extent.depth; ++slice) {
      void* const begin = pointer_to(address_of(pitched.ptr) + slice * pitched.pitch * pitched.ysize);
      const cudaError_t error =
          fill(runtime, device, state, begin, value, extent.width, extent.height, pitched.pitch, "cudaMemset3D");
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int value, cudaExtent extent) {
  return cudaMemset3DAsync(pitched, value, extent, nullptr);
}
VGPU_API cudaError_t cudaMemset3DAsync_ptsz(cudaPitchedPtr pitched, int value, cudaExtent extent, cudaStream_t stream) {
  return cudaMemset3DAsync(pitched, value, extent, stream == nullptr ? cudaStreamPerThread : stream);
}
VGPU_API cudaError_t cudaMemset3D_ptds(cudaPitchedPtr pitched, int value, cudaExtent extent) {
  return cudaMemset3DAsync(pitched, value, extent, cudaStreamPerThread);
}
