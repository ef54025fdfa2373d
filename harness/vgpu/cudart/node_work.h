// What a node of a graph does, to and from the structures that the API describes it with.
#pragma once

#include <cuda_runtime_api.h>

#include "harness/vgpu/cudart/runtime.h"

namespace vgpu::cudart {

// Each looks its parameters over as the call that does the work at once would, and fails with its error.
cudaError_t work_from(Runtime& runtime, DeviceState& device, const cudaKernelNodeParams& p, Work& work);
cudaError_t work_from(Runtime& runtime, DeviceState& device, const cudaMemcpy3DParms& p, Work& work);
cudaError_t work_from(Runtime& runtime, DeviceState& device, const cudaMemsetParams& p, Work& work);
cudaError_t work_from(Runtime& runtime, DeviceState& device, const cudaHostNodeParams& p, Work& work);
cudaError_t work_from(Runtime& runtime, DeviceState& device, const cudaGraphNodeParams& p, Work& work);
/// A copy of it becomes the node's; an error if there can be none.
cudaError_t work_from(Runtime& runtime, cudaGraph_t graph, Work& work);
/// It becomes a part of the node itself, which is to be one of `into`.
cudaError_t moved_graph_work(Runtime& runtime, cudaGraph_t graph, const Graph& into, Work& work);
/// For a node of `graph`; see api_graph_conditional.cpp.
cudaError_t conditional_work(Runtime& runtime, const Graph& graph, const cudaConditionalNodeParams& p, Work& work);
cudaError_t record_work(Runtime& runtime, cudaEvent_t event, Work& work);
cudaError_t wait_work(Runtime& runtime, cudaEvent_t event, Work& work);

/// Whether graphs of so many levels would be too deep inside of another; then with a note.
bool refuse_depth(Runtime& runtime, const Graph& into, unsigned levels);
/// Whether a graph is one that there can be no clone of; then with a note.
bool refuse_clone(Runtime& runtime, const Graph& graph);

/// A copy of `bytes` in a row.
cudaMemcpy3DParms row_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);

/// A kernel node's parameters; the pointers to its arguments are the node's, until they are asked for again.
cudaKernelNodeParams kernel_parameters(Runtime& runtime, Node& node);

/// Gives a kernel node a cluster dimension, if it can be launched with it.
cudaError_t set_cluster(Runtime& runtime, KernelWork& work, const Extent3& cluster);

/// Gives a node other work of the same type; its attributes stay. An error if the type is another one.
cudaError_t replace_work(Runtime& runtime, Node& node, Work work);

}  // namespace vgpu::cudart
