// Memory that graphs allocate: its address is chosen when a node is made, and launches make it come and go there.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "harness/vgpu/cudart/runtime.h"

namespace vgpu::cudart {

/// Chooses an address for a node of `owner` that allocates `bytes` on the device.
cudaError_t allocation_work(Runtime& runtime, DeviceState& device, const Graph& owner, std::uint64_t bytes, Work& work);
/// The same, as the API describes it.
cudaError_t allocation_work(Runtime& runtime, const Graph& graph, const cudaMemAllocNodeParams& p, Work& work);
/// Where an allocation lies.
inline void* pointer_of(const Work& work) {
  return reinterpret_cast<void*>(std::get<AllocationWork>(work).memory->allocation.address);
}
/// For a node of `graph` that frees what begins at `pointer`. An error where it must not.
cudaError_t release_work(Runtime& runtime, const Graph& graph, const void* pointer, Work& work);

/// Graph memory that begins at `pointer`; null if none does.
GraphMemory* graph_memory_at(const Runtime& runtime, const void* pointer);

/// The allocation that holds `address`, for work that is done later: one that is there, or graph memory that a launch
/// has been asked for and that was not freed since. Work that is going into a graph (`for_graph`) may use graph memory
/// at any time. Null if there is none.
const Allocation* allocation_for_later(const Runtime& runtime, const AddressSpace& memory, std::uint64_t address,
                                       bool for_graph);

/// For work on `pointer` whose turn has come: false, and the device is broken, if that is graph memory which is not
/// allocated now.
bool is_still_allocated(Runtime& runtime, DeviceState& device, const void* pointer);

/// Makes the memory usable when its node's turn comes; the device is broken if its place was taken meanwhile.
void begin_use(Runtime& runtime, GraphMemory& memory);
/// Ends that.
void end_use(Runtime& runtime, const GraphMemory& memory);

/// Whether the program may free the memory without a graph, and that it has asked to. The caller sees to end_use().
cudaError_t free_without_graph(Runtime& runtime, GraphMemory& memory, const char* caller);

}  // namespace vgpu::cudart
