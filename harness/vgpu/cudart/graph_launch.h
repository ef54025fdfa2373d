// Doing what a graph says, in a stream.
#pragma once

#include <cuda_runtime_api.h>

#include "harness/vgpu/cudart/runtime.h"

namespace vgpu::cudart {

/// Puts a graph's work into the stream, each node behind those it depends on. With `frees`, what earlier launches have
/// left allocated is freed first; without, it is an error.
cudaError_t launch_graph(Runtime& runtime, DeviceState& device, StreamState& stream, const Graph& graph, bool frees);

// What nodes do; each is defined beside the calls that do the same at once.
cudaError_t enqueue_copy(Runtime& runtime, DeviceState& device, StreamState& stream, const cudaMemcpy3DParms& work);
cudaError_t enqueue_fill(Runtime& runtime, DeviceState& device, StreamState& stream, const cudaMemsetParams& work);
cudaError_t enqueue_record(Runtime& runtime, DeviceState& device, StreamState& stream, cudaEvent_t event);
cudaError_t enqueue_wait(Runtime& runtime, StreamState& stream, cudaEvent_t event);

// Whether they could be done now, with a note if not.
cudaError_t check_copy(Runtime& runtime, DeviceState& device, const cudaMemcpy3DParms& work);
bool is_fillable(Runtime& runtime, DeviceState& device, const cudaMemsetParams& work,
                 const char* caller = "a graph's memset node", bool for_graph = true);

/// The address of `bytes` at `offset` of a variable.
cudaError_t find_symbol(Runtime& runtime, DeviceState& device, const void* symbol, size_t offset, size_t bytes,
                        void*& pointer);

}  // namespace vgpu::cudart
