#include "harness/vgpu/cudart/graph_memory.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "harness/vgpu/monitor/array_names.h"

namespace vgpu::cudart {
namespace {

std::uint64_t as_number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// Whether a graph is part of no other, as one that allocates or frees must be.
bool is_whole(const Runtime& runtime, const Graph& graph) {
  return std::any_of(runtime.graphs.begin(), runtime.graphs.end(),
                     [&](const auto& owned) { return owned.second.get() == &graph; });
}

/// Whether the place is free: on a device whose addresses have run out, another allocation may have got it.
bool has_room(const AddressSpace& memory, const Allocation& wanted) {
  const auto& all = memory.allocations();
  const std::uint64_t end = wanted.address + wanted.bytes;
  const auto first = all.lower_bound(wanted.address);
  for (auto it = first; it != all.end() && it->first < end; ++it)
    if (it->first != wanted.address || !it->second.freed) return false;
  if (first != all.begin()) {
    const Allocation& before = std::prev(first)->second;
    if (!before.freed && before.address + before.bytes > wanted.address) return false;
  }
  return wanted.bytes <= memory.capacity() - memory.used();
}

/// Graph memory that holds the address, used or not.
const GraphMemory* graph_memory_holding(const Runtime& runtime, std::uint64_t address) {
  const auto behind = runtime.graph_memory.upper_bound(address);
  if (behind == runtime.graph_memory.begin()) return nullptr;
  const GraphMemory& memory = *std::prev(behind)->second;
  return address - memory.allocation.address < memory.allocation.bytes ? &memory : nullptr;
}

}  // namespace

cudaError_t allocation_work(Runtime& runtime, DeviceState& device, const Graph& owner, std::uint64_t bytes,
                            Work& work) {
  if (!is_whole(runtime, owner)) return cudaErrorNotSupported;
  const std::uint64_t address = device.memory->allocate(bytes, MemoryKind::kDevice);
  if (address == 0) return cudaErrorMemoryAllocation;
  device.memory->set_pool(address, runtime.graph_pool(device).number);
  device.memory->set_site(address, this_thread().site);
  auto memory = std::make_shared<GraphMemory>();
  memory->allocation = *device.memory->find(address);
  memory->device = device.number;
  memory->owner = &owner;
  device.memory->release(address);
  runtime.graph_memory[address] = memory;
  work = AllocationWork{std::move(memory)};
  return cudaSuccess;
}

cudaError_t release_work(Runtime& runtime, const Graph& graph, const void* pointer, Work& work) {
  if (!is_whole(runtime, graph)) return cudaErrorNotSupported;
  const auto found = runtime.graph_memory.find(as_number(pointer));
  if (found == runtime.graph_memory.end()) {
    runtime.note("invalid free", "a graph was to free a pointer that no graph's allocation returned",
                 "Free what cudaMalloc or cudaMallocAsync returned outside of graphs there, too.");
    return cudaErrorInvalidValue;
  }
  GraphMemory& memory = *found->second;
  const bool is_owner = memory.owner == &graph;
  bool is_freed = memory.freed_by_owner || (is_owner && memory.freed_by_others);
  for (const std::unique_ptr<Node>& node : graph.nodes())
    if (const auto* const release = std::get_if<ReleaseWork>(&node->work))
      is_freed = is_freed || release->memory.get() == &memory;
  if (is_freed) {
    runtime.note("invalid free",
                 "a graph was to free " + name_of(memory.allocation) + ", which " +
                     (memory.freed_by_owner ? "the graph that allocates it frees already" : "a graph frees already"),
                 "One node frees a graph's allocation, in the graph that allocates it or in others, not in both.");
    return cudaErrorInvalidValue;
  }
  (is_owner ? memory.freed_by_owner : memory.freed_by_others) = true;
  work = ReleaseWork{found->second};
  return cudaSuccess;
}

GraphMemory* graph_memory_at(const Runtime& runtime, const void* pointer) {
  const auto found = runtime.graph_memory.find(as_number(pointer));
  return found == runtime.graph_memory.end() ? nullptr : found->second.get();
}

const Allocation* allocation_for_later(const Runtime& runtime, const AddressSpace& memory, std::uint64_t address,
                                       bool for_graph) {
  if (const Allocation* const there = memory.find(address)) return there;
  const GraphMemory* const own = graph_memory_holding(runtime, address);
  return own != nullptr && (for_graph || own->in_use) ? &own->allocation : nullptr;
}

bool is_still_allocated(Runtime& runtime, DeviceState& device, const void* pointer) {
  const GraphMemory* const own = graph_memory_holding(runtime, as_number(pointer));
  if (own == nullptr) return true;
  const DeviceState* const home = runtime.devices.if_made(own->device);
  if (home != nullptr && home->memory->find(as_number(pointer)) != nullptr) return true;
  runtime.note("use after free",
               "a copy, a memset or a library used memory of a graph, " + name_of(own->allocation) +
                   ", before its allocation node had run or after it was freed",
               "Order it after the graph's allocation and before whatever frees that.");
  device.sticky = cudaErrorIllegalAddress;
  return false;
}

void begin_use(Runtime& runtime, GraphMemory& memory) {
  DeviceState* const device = runtime.devices.if_made(memory.device);
  if (device == nullptr || memory.lost || device->sticky != cudaSuccess) return;
  const Allocation& own = memory.allocation;
  if (!has_room(*device->memory, own)) {
    runtime.note("out of memory", "a graph's allocation of " + std::to_string(own.bytes) + " bytes found no room", "");
    device->sticky = cudaErrorMemoryAllocation;
    return;
  }
  MemoryPool& pool = runtime.graph_pool(*device);
  device->memory->adopt(own.address, own.bytes, own.kind, {}, 0);
  device->memory->set_pool(own.address, pool.number);
  device->memory->set_site(own.address, own.site);
  pool.take(own.bytes);
}

void end_use(Runtime& runtime, const GraphMemory& memory) {
  DeviceState* const device = runtime.devices.if_made(memory.device);
  if (device != nullptr && !memory.lost) runtime.release(*device, memory.allocation.address);
}

cudaError_t free_without_graph(Runtime& runtime, GraphMemory& memory, const char* caller) {
  if (memory.in_use && !memory.freed_by_owner) {
    memory.in_use = false;
    return cudaSuccess;
  }
  runtime.note("invalid free",
               std::string(caller) + " was given " + name_of(memory.allocation) + ", memory of a graph " +
                   (memory.freed_by_owner ? "that frees it itself"
                                          : "that no launch has allocated, or that has been freed already"),
               "Free a graph's allocation once for each launch, unless a node of the graph does.");
  return cudaErrorInvalidValue;
}

}  // namespace vgpu::cudart
