// Stream-ordered allocation and the memory pools behind it.
//
// An allocation is there as soon as the call returns; it ends when its turn in the stream comes. Memory is never handed
// out again while there is fresh room, so a use after free is seen.
#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/graph_memory.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

cudaMemPool_t handle_of(MemoryPool& pool) { return reinterpret_cast<cudaMemPool_t>(&pool); }

/// In a captured stream an allocation is a node of the graph, whose memory is not the pool's.
cudaError_t capture_allocation(Runtime& runtime, StreamState& stream, int number, void** pointer, size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  DeviceState* const device = runtime.devices.get(number, error);
  if (device == nullptr) return error;
  Work work;
  error = allocation_work(runtime, *device, *stream.capture->capture->graph, bytes, work);
  if (error != cudaSuccess) return error;
  void* const allocated = pointer_of(work);
  error = capture_work(stream, std::move(work));
  if (error == cudaSuccess) *pointer = allocated;
  return error;
}

cudaError_t capture_release(Runtime& runtime, StreamState& stream, const void* pointer) {
  Work work;
  if (!stream.capture->capture->valid) return cudaErrorStreamCaptureInvalidated;
  const cudaError_t error = release_work(runtime, *stream.capture->capture->graph, pointer, work);
  return error == cudaSuccess ? capture_work(stream, std::move(work)) : error;
}

cudaError_t allocate(Runtime& runtime, MemoryPool& pool, void** pointer, size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (pool.most != 0 && bytes > pool.most - std::min(pool.used, pool.most)) return cudaErrorMemoryAllocation;
  cudaError_t error = cudaSuccess;
  DeviceState* const device = runtime.devices.get(pool.device, error);
  if (device == nullptr) return error;
  const std::uint64_t address = device->memory->allocate(bytes, MemoryKind::kDevice);
  if (address == 0) return cudaErrorMemoryAllocation;
  device->memory->set_pool(address, pool.number);
  device->memory->set_site(address, this_thread().site);
  device->timeline.takes(Busy::kAllocating, allocation_time(device->profile, pool.unmapped_by(bytes)),
                         {"cudaMallocAsync", bytes});
  pool.take(bytes);
  *pointer = reinterpret_cast<void*>(address);
  return cudaSuccess;
}

template <class Body>
cudaError_t pool_call(cudaMemPool_t handle, Body body) {
  return device_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    MemoryPool* const pool = runtime.pool(handle);
    return pool != nullptr ? body(runtime, *pool) : cudaErrorInvalidValue;
  });
}

/// Body with a device by number.
template <class Body>
cudaError_t numbered_call(int number, Body body) {
  return device_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    if (!runtime.devices.has(number)) return cudaErrorInvalidDevice;
    cudaError_t error = cudaSuccess;
    DeviceState* const device = runtime.devices.get(number, error);
    return device != nullptr ? body(runtime, *device) : error;
  });
}

}  // namespace

VGPU_API cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) {
    if (state.capture) return capture_allocation(runtime, state, device.number, pointer, bytes);
    return allocate(runtime, runtime.current_pool(device), pointer, bytes);
  });
}
VGPU_API cudaError_t cudaMallocAsync_ptsz(void** pointer, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(pointer, bytes, per_thread(stream));
}
VGPU_API cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t handle, cudaStream_t stream) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState&, StreamState& state) -> cudaError_t {
    MemoryPool* const pool = runtime.pool(handle);
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (state.capture) return capture_allocation(runtime, state, pool->device, pointer, bytes);
    return allocate(runtime, *pool, pointer, bytes);
  });
}
VGPU_API cudaError_t cudaMallocFromPoolAsync_ptsz(void** pointer, size_t bytes, cudaMemPool_t pool,
                                                  cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, bytes, pool, per_thread(stream));
}
VGPU_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) -> cudaError_t {
    if (pointer == nullptr) return cudaSuccess;
    if (state.capture) return capture_release(runtime, state, pointer);
    if (GraphMemory* const own = graph_memory_at(runtime, pointer)) {
      const cudaError_t error = free_without_graph(runtime, *own, "cudaFreeAsync");
      if (error == cudaSuccess)
        device.timeline.enqueue(
            state, [&runtime, memory = runtime.graph_memory.at(address_of(pointer))] { end_use(runtime, *memory); });
      return error;
    }
    DeviceState* const holder = runtime.devices.holding(address_of(pointer));
    const Allocation* const allocation = holder != nullptr ? holder->memory->find(address_of(pointer)) : nullptr;
    if (allocation == nullptr || allocation->address != address_of(pointer) || allocation->kind != MemoryKind::kDevice)
      return cudaErrorInvalidValue;
    if (allocation->lent) return runtime.refuse_to_free(*allocation, "cudaFreeAsync");
    device.timeline.enqueue(state, [&runtime, holder, pointer] { runtime.release(*holder, address_of(pointer)); });
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaFreeAsync_ptsz(void* pointer, cudaStream_t stream) {
  return cudaFreeAsync(pointer, per_thread(stream));
}

// --- pools ---

VGPU_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return numbered_call(device, [&](Runtime& runtime, DeviceState& own) -> cudaError_t {
    if (pool == nullptr) return cudaErrorInvalidValue;
    *pool = handle_of(runtime.default_pool(own));
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return numbered_call(device, [&](Runtime& runtime, DeviceState& own) -> cudaError_t {
    if (pool == nullptr) return cudaErrorInvalidValue;
    *pool = handle_of(runtime.current_pool(own));
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return numbered_call(device, [&](Runtime& runtime, DeviceState& own) -> cudaError_t {
    const MemoryPool* const pool = runtime.pool(handle);
    if (pool == nullptr || pool->device != own.number) return cudaErrorInvalidValue;
    own.current_pool = handle;
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return device_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    if (pool == nullptr || properties == nullptr || properties->allocType != cudaMemAllocationTypePinned)
      return cudaErrorInvalidValue;
    if (properties->location.type != cudaMemLocationTypeDevice || properties->handleTypes != cudaMemHandleTypeNone) {
      runtime.note("not available",
                   "a memory pool was asked for on the host, or one to be shared with other processes: only pools on "
                   "devices are available on the virtual GPU",
                   "");
      return cudaErrorNotSupported;
    }
    if (!runtime.devices.has(properties->location.id)) return cudaErrorInvalidDevice;
    MemoryPool& made = runtime.make_pool(properties->location.id);
    made.most = properties->maxSize;
    *pool = handle_of(made);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return pool_call(handle, [&](Runtime& runtime, MemoryPool& pool) -> cudaError_t {
    if (pool.is_default) return cudaErrorInvalidValue;
    if (DeviceState* const device = runtime.devices.if_made(pool.device); device != nullptr)
      if (device->current_pool == handle) device->current_pool = nullptr;
    pool.destroyed = true;
    if (pool.used == 0) runtime.pools.erase(handle);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t bytes) {
  return pool_call(handle, [&](Runtime&, MemoryPool& pool) {
    pool.kept = std::max<std::uint64_t>(pool.used, std::min<std::uint64_t>(pool.kept, bytes));
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return pool_call(handle, [&](Runtime&, MemoryPool& pool) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        pool.reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *static_cast<const int*>(value) != 0 ? 1 : 0;
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        pool.release_threshold = *static_cast<const std::uint64_t*>(value);
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:  // marks can only be set back
        if (*static_cast<const std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
        pool.most_kept = pool.kept;
        return cudaSuccess;
      case cudaMemPoolAttrUsedMemHigh:
        if (*static_cast<const std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
        pool.most_used = pool.used;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

VGPU_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return pool_call(handle, [&](Runtime&, const MemoryPool& pool) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    const auto give = [&](std::uint64_t bytes) {
      *static_cast<std::uint64_t*>(value) = bytes;
      return cudaSuccess;
    };
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        *static_cast<int*>(value) = pool.reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        return give(pool.release_threshold);
      case cudaMemPoolAttrReservedMemCurrent:
        return give(pool.kept);
      case cudaMemPoolAttrReservedMemHigh:
        return give(pool.most_kept);
      case cudaMemPoolAttrUsedMemCurrent:
        return give(pool.used);
      case cudaMemPoolAttrUsedMemHigh:
        return give(pool.most_used);
      default:
        return cudaErrorInvalidValue;
    }
  });
}

/// The device that a pool lies on can use it, and that cannot be taken away.
VGPU_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* list, size_t count) {
  return pool_call(handle, [&](Runtime& runtime, MemoryPool& pool) -> cudaError_t {
    if (count != 0 && list == nullptr) return cudaErrorInvalidValue;
    for (size_t n = 0; n < count; ++n) {
      const bool is_flag =
          list[n].flags == cudaMemAccessFlagsProtNone || list[n].flags == cudaMemAccessFlagsProtReadWrite;
      const int number = list[n].location.id;
      if (list[n].location.type != cudaMemLocationTypeDevice || !is_flag) return cudaErrorInvalidValue;
      if (!runtime.devices.has(number)) return cudaErrorInvalidDevice;
      if (number == pool.device) {
        if (list[n].flags == cudaMemAccessFlagsProtNone) return cudaErrorInvalidDevice;
        continue;
      }
      cudaError_t error = cudaSuccess;
      const DeviceState* const user = runtime.devices.get(number, error);
      const DeviceState* const owner = runtime.devices.get(pool.device, error);
      if (user == nullptr || owner == nullptr) return error;
      runtime.devices.finish_all();
      pool.access[number] = list[n].flags;
      user->memory->set_pool_access(*owner->memory, pool.number, list[n].flags != cudaMemAccessFlagsProtNone);
    }
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle, cudaMemLocation* location) {
  return pool_call(handle, [&](Runtime& runtime, const MemoryPool& pool) -> cudaError_t {
    if (flags == nullptr || location == nullptr || location->type != cudaMemLocationTypeDevice)
      return cudaErrorInvalidValue;
    if (!runtime.devices.has(location->id)) return cudaErrorInvalidDevice;
    const auto found = pool.access.find(location->id);
    *flags = location->id == pool.device  ? cudaMemAccessFlagsProtReadWrite
             : found != pool.access.end() ? found->second
                                          : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}
