// Graphs that allocate: nodes for memory, what capture makes of stream-ordered allocation, and the pool behind both.
#include "harness/vgpu/cudart/graph_calls.h"
#include "harness/vgpu/cudart/graph_memory.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

template <class Body>
cudaError_t graph_pool_call(int number, Body body) {
  return device_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    if (!runtime.devices.has(number)) return cudaErrorInvalidDevice;
    cudaError_t error = cudaSuccess;
    DeviceState* const device = runtime.devices.get(number, error);
    return device != nullptr ? body(runtime.graph_pool(*device)) : error;
  });
}

/// Whether descriptors, which lie in the program's memory, let other devices use the memory.
bool are_for_others(const cudaMemAccessDesc* list, size_t count, int device) {
  for (size_t n = 0; n < count; ++n) {
    cudaMemAccessDesc one{};
    host_process().read(&one, list + n, sizeof one);
    if (one.location.type != cudaMemLocationTypeDevice || one.location.id != device) return true;
  }
  return false;
}

}  // namespace

cudaError_t vgpu::cudart::allocation_work(Runtime& runtime, const Graph& graph, const cudaMemAllocNodeParams& p,
                                          Work& work) {
  const cudaMemPoolProps& pool = p.poolProps;
  if (p.bytesize == 0 || pool.allocType != cudaMemAllocationTypePinned ||
      pool.location.type != cudaMemLocationTypeDevice || (p.accessDescCount != 0 && p.accessDescs == nullptr) ||
      !runtime.devices.has(pool.location.id))
    return cudaErrorInvalidValue;
  if (p.accessDescCount > static_cast<size_t>(runtime.devices.count())) return cudaErrorInvalidValue;
  if (pool.handleTypes != cudaMemHandleTypeNone || are_for_others(p.accessDescs, p.accessDescCount, pool.location.id)) {
    runtime.note("not available",
                 "a graph's allocation was to be shared with other devices or processes, which is not available on the "
                 "virtual GPU",
                 "");
    return cudaErrorNotSupported;
  }
  cudaError_t error = cudaSuccess;
  DeviceState* const device = runtime.devices.get(pool.location.id, error);
  return device != nullptr ? allocation_work(runtime, *device, graph, p.bytesize, work) : error;
}

VGPU_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* after,
                                              size_t count, cudaMemAllocNodeParams* p) {
  return graph_call(handle, [&](Runtime& runtime, DeviceState&, Graph& graph) -> cudaError_t {
    std::vector<Node*> earlier;
    if (node == nullptr || p == nullptr || !nodes_of(graph, after, count, earlier)) return cudaErrorInvalidValue;
    Work work;
    const cudaError_t error = allocation_work(runtime, graph, *p, work);
    if (error != cudaSuccess) return error;
    p->dptr = pointer_of(work);
    *node = handle_of(&graph.add(std::move(work), earlier));
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t handle, cudaMemAllocNodeParams* p) {
  return node_call(handle, [&](Runtime&, DeviceState&, const Node& node) -> cudaError_t {
    const auto* const work = std::get_if<AllocationWork>(&node.work);
    if (work == nullptr || p == nullptr) return cudaErrorInvalidValue;
    *p = {};
    p->poolProps.allocType = cudaMemAllocationTypePinned;
    p->poolProps.location = {cudaMemLocationTypeDevice, work->memory->device};
    p->bytesize = work->memory->allocation.bytes;
    p->dptr = pointer_of(node.work);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* after,
                                             size_t count, void* pointer) {
  return graph_call(handle, [&](Runtime& runtime, DeviceState&, Graph& graph) -> cudaError_t {
    std::vector<Node*> earlier;
    if (node == nullptr || !nodes_of(graph, after, count, earlier)) return cudaErrorInvalidValue;
    Work work;
    const cudaError_t error = release_work(runtime, graph, pointer, work);
    if (error == cudaSuccess) *node = handle_of(&graph.add(std::move(work), earlier));
    return error;
  });
}
VGPU_API cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t handle, void* pointer) {
  return node_call(handle, [&](Runtime&, DeviceState&, const Node& node) -> cudaError_t {
    const auto* const work = std::get_if<ReleaseWork>(&node.work);
    if (work == nullptr || pointer == nullptr) return cudaErrorInvalidValue;
    host_process().write(pointer, &work->memory->allocation.address, sizeof work->memory->allocation.address);
    return cudaSuccess;
  });
}

// --- what graphs hold on to ---

VGPU_API cudaError_t cudaDeviceGraphMemTrim(int device) {
  return graph_pool_call(device, [](MemoryPool& pool) {
    pool.kept = pool.used;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return graph_pool_call(device, [&](const MemoryPool& pool) -> cudaError_t {
    const std::uint64_t all[] = {pool.used, pool.most_used, pool.kept, pool.most_kept};  // by the attributes' numbers
    if (value == nullptr || attribute < cudaGraphMemAttrUsedMemCurrent || attribute > cudaGraphMemAttrReservedMemHigh)
      return cudaErrorInvalidValue;
    host_process().write(value, &all[attribute], sizeof all[attribute]);
    return cudaSuccess;
  });
}
/// Marks can only be set back.
VGPU_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return graph_pool_call(device, [&](MemoryPool& pool) -> cudaError_t {
    std::uint64_t mark = 0;
    if (value == nullptr) return cudaErrorInvalidValue;
    host_process().read(&mark, value, sizeof mark);
    if (mark != 0) return cudaErrorInvalidValue;
    if (attribute == cudaGraphMemAttrUsedMemHigh)
      pool.most_used = pool.used;
    else if (attribute == cudaGraphMemAttrReservedMemHigh)
      pool.most_kept = pool.kept;
    else
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}
