// Nodes of graphs: adding them, and what they do.
#include "harness/vgpu/cudart/graph_calls.h"
#include "harness/vgpu/cudart/graph_launch.h"
#include "harness/vgpu/cudart/graph_memory.h"
#include "harness/vgpu/cudart/kernel_launch.h"
#include "harness/vgpu/cudart/node_work.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

/// Adds a node; `make(runtime, device, work)` says what it does.
template <class Make>
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count, Make make) {
  return graph_call(graph, [&](Runtime& runtime, DeviceState& device, Graph& g) -> cudaError_t {
    std::vector<Node*> earlier;
    if (node == nullptr || !nodes_of(g, after, count, earlier)) return cudaErrorInvalidValue;
    Work work;
    const cudaError_t error = make(runtime, device, work);
    if (error == cudaSuccess) *node = handle_of(&g.add(std::move(work), earlier));
    return error;
  });
}

/// The same, with one of the API's structures.
template <class Parameters>
cudaError_t add_node_with(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                          const Parameters* p) {
  return add_node(node, graph, after, count, [&](Runtime& runtime, DeviceState& device, Work& work) {
    return p != nullptr ? work_from(runtime, device, *p, work) : cudaErrorInvalidValue;
  });
}

cudaError_t copied_graph_work(Runtime& runtime, cudaGraph_t child, const Graph& into, Work& work) {
  const cudaError_t error = work_from(runtime, child, work);
  if (error != cudaSuccess) return error;
  return refuse_depth(runtime, into, std::get<GraphWork>(work).graph->levels()) ? cudaErrorNotSupported : cudaSuccess;
}

/// What only a new node can do depends on its graph.
cudaError_t new_work(Runtime& runtime, DeviceState& device, const Graph& graph, const cudaGraphNodeParams& p,
                     Work& work) {
  switch (p.type) {
    case cudaGraphNodeTypeMemAlloc: {
      cudaMemAllocNodeParams allocation{};
      allocation.poolProps = p.alloc.poolProps;
      allocation.accessDescs = p.alloc.accessDescs;
      allocation.accessDescCount = p.alloc.accessDescCount;
      allocation.bytesize = p.alloc.bytesize;
      return allocation_work(runtime, graph, allocation, work);
    }
    case cudaGraphNodeTypeGraph:
      if (p.graph.ownership == cudaGraphChildGraphOwnershipMove)
        return moved_graph_work(runtime, p.graph.graph, graph, work);
      return copied_graph_work(runtime, p.graph.graph, graph, work);
    case cudaGraphNodeTypeMemFree:
      return release_work(runtime, graph, p.free.dptr, work);
    case cudaGraphNodeTypeConditional:
      return conditional_work(runtime, graph, p.conditional, work);
    default:
      return work_from(runtime, device, p, work);
  }
}

template <class Make>
cudaError_t set_work(cudaGraphNode_t handle, Make make) {
  return node_call(handle, [&](Runtime& runtime, DeviceState& device, Node& node) -> cudaError_t {
    Work work;
    const cudaError_t error = make(runtime, device, work);
    return error == cudaSuccess ? replace_work(runtime, node, std::move(work)) : error;
  });
}

template <class Parameters>
cudaError_t set_work_with(cudaGraphNode_t handle, const Parameters* p) {
  return set_work(handle, [&](Runtime& runtime, DeviceState& device, Work& work) {
    return p != nullptr ? work_from(runtime, device, *p, work) : cudaErrorInvalidValue;
  });
}

/// What a node does, if it is of the kind; `read(runtime, node, work)` hands it out.
template <class Kind, class Result, class Read>
cudaError_t read_work(cudaGraphNode_t handle, Result* result, Read read) {
  return node_call(handle, [&](Runtime& runtime, DeviceState&, Node& node) -> cudaError_t {
    const Kind* const work = std::get_if<Kind>(&node.work);
    if (work == nullptr || result == nullptr) return cudaErrorInvalidValue;
    *result = read(runtime, node, *work);
    return cudaSuccess;
  });
}

cudaError_t to_symbol(Runtime& runtime, DeviceState& device, const void* symbol, const void* from, size_t bytes,
                      size_t offset, cudaMemcpyKind kind, Work& work) {
  void* own = nullptr;
  const cudaError_t error = find_symbol(runtime, device, symbol, offset, bytes, own);
  return own != nullptr ? work_from(runtime, device, row_copy(own, from, bytes, kind), work) : error;
}

cudaError_t from_symbol(Runtime& runtime, DeviceState& device, void* to, const void* symbol, size_t bytes,
                        size_t offset, cudaMemcpyKind kind, Work& work) {
  void* own = nullptr;
  const cudaError_t error = find_symbol(runtime, device, symbol, offset, bytes, own);
  return own != nullptr ? work_from(runtime, device, row_copy(to, own, bytes, kind), work) : error;
}

}  // namespace

VGPU_API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* p) {
  return graph_call(graph, [&](Runtime& runtime, DeviceState& device, Graph& g) -> cudaError_t {
    std::vector<Node*> earlier;
    if (node == nullptr || p == nullptr || !nodes_of(g, after, count, earlier)) return cudaErrorInvalidValue;
    Work work;
    const cudaError_t error = new_work(runtime, device, g, *p, work);
    if (error != cudaSuccess) return error;
    Node& made = g.add(std::move(work), earlier);
    if (p->type == cudaGraphNodeTypeMemAlloc) p->alloc.dptr = pointer_of(made.work);
    if (auto* const conditional = std::get_if<ConditionalWork>(&made.work))
      p->conditional.phGraph_out = conditional->handles.data();
    *node = handle_of(&made);
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
  return set_work_with(node, p);
}

VGPU_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                           size_t count) {
  return add_node(node, graph, after, count, [](Runtime&, DeviceState&, Work& work) {
    work = EmptyWork{};
    return cudaSuccess;
  });
}

// --- kernels ---

VGPU_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                            size_t count, const cudaKernelNodeParams* p) {
  return add_node_with(node, graph, after, count, p);
}
VGPU_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  return set_work_with(node, p);
}
VGPU_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
  return read_work<KernelWork>(
      node, p, [](Runtime& runtime, Node& own, const KernelWork&) { return kernel_parameters(runtime, own); });
}

VGPU_API cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                                     cudaLaunchAttributeValue* value) {
  return node_call(node, [&](Runtime&, DeviceState&, const Node& own) -> cudaError_t {
    const auto* const work = std::get_if<KernelWork>(&own.work);
    if (work == nullptr || value == nullptr) return cudaErrorInvalidValue;
    *value = {};
    if (attribute == cudaLaunchAttributeCooperative) value->cooperative = work->shape.cooperative ? 1 : 0;
    if (attribute == cudaLaunchAttributePriority) value->priority = work->priority;
    if (attribute == cudaLaunchAttributeClusterDimension && work->shape.has_cluster) {
      const Extent3& cluster = work->shape.cluster;
      value->clusterDim.x = cluster.x, value->clusterDim.y = cluster.y, value->clusterDim.z = cluster.z;
    }
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                                     const cudaLaunchAttributeValue* value) {
  return node_call(node, [&](Runtime& runtime, DeviceState&, Node& own) -> cudaError_t {
    auto* const work = std::get_if<KernelWork>(&own.work);
    if (work == nullptr || value == nullptr) return cudaErrorInvalidValue;
    if (attribute == cudaLaunchAttributeClusterDimension)
      return set_cluster(runtime, *work, {value->clusterDim.x, value->clusterDim.y, value->clusterDim.z});
    if (attribute == cudaLaunchAttributeCooperative) work->shape.cooperative = value->cooperative != 0;
    if (attribute == cudaLaunchAttributePriority) work->priority = value->priority;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return node_call(from, [&](Runtime& runtime, DeviceState&, const Node& source) -> cudaError_t {
    Node* const own = runtime.node(to);
    auto* const target = own != nullptr ? std::get_if<KernelWork>(&own->work) : nullptr;
    const auto* const work = std::get_if<KernelWork>(&source.work);
    if (target == nullptr || work == nullptr) return cudaErrorInvalidValue;
    if (work->shape.has_cluster) {
      const cudaError_t error = set_cluster(runtime, *target, work->shape.cluster);
      if (error != cudaSuccess) return error;
    }
    target->shape.cooperative = work->shape.cooperative;
    target->priority = work->priority;
    return cudaSuccess;
  });
}

// --- copies ---

VGPU_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                            size_t count, const cudaMemcpy3DParms* p) {
  return add_node_with(node, graph, after, count, p);
}
VGPU_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                              size_t count, void* to, const void* from, size_t bytes,
                                              cudaMemcpyKind kind) {
  const cudaMemcpy3DParms p = row_copy(to, from, bytes, kind);
  return add_node_with(node, graph, after, count, &p);
}
VGPU_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                    const cudaGraphNode_t* after, size_t count, const void* symbol,
                                                    const void* from, size_t bytes, size_t offset,
                                                    cudaMemcpyKind kind) {
  return add_node(node, graph, after, count, [&](Runtime& runtime, DeviceState& device, Work& work) {
    return to_symbol(runtime, device, symbol, from, bytes, offset, kind, work);
  });
}
VGPU_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                      const cudaGraphNode_t* after, size_t count, void* to,
                                                      const void* symbol, size_t bytes, size_t offset,
                                                      cudaMemcpyKind kind) {
  return add_node(node, graph, after, count, [&](Runtime& runtime, DeviceState& device, Work& work) {
    return from_symbol(runtime, device, to, symbol, bytes, offset, kind, work);
  });
}
VGPU_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* p) {
  return read_work<CopyWork>(node, p, [](Runtime&, Node&, const CopyWork& work) { return work.parameters; });
}
VGPU_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
  return set_work_with(node, p);
}
VGPU_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                                    cudaMemcpyKind kind) {
  const cudaMemcpy3DParms p = row_copy(to, from, bytes, kind);
  return set_work_with(node, &p);
}
VGPU_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* from,
                                                          size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return set_work(node, [&](Runtime& runtime, DeviceState& device, Work& work) {
    return to_symbol(runtime, device, symbol, from, bytes, offset, kind, work);
  });
}
VGPU_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol,
                                                            size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return set_work(node, [&](Runtime& runtime, DeviceState& device, Work& work) {
    return from_symbol(runtime, device, to, symbol, bytes, offset, kind, work);
  });
}

// --- the others ---

VGPU_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                            size_t count, const cudaMemsetParams* p) {
  return add_node_with(node, graph, after, count, p);
}
VGPU_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* p) {
  return read_work<FillWork>(node, p, [](Runtime&, Node&, const FillWork& work) { return work.parameters; });
}
VGPU_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* p) {
  return set_work_with(node, p);
}

VGPU_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                          size_t count, const cudaHostNodeParams* p) {
  return add_node_with(node, graph, after, count, p);
}
VGPU_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* p) {
  return read_work<HostWork>(node, p, [](Runtime&, Node&, const HostWork& work) {
    return cudaHostNodeParams{work.function, work.data};
  });
}
VGPU_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
  return set_work_with(node, p);
}

VGPU_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                                size_t count, cudaGraph_t child) {
  return add_node(node, graph, after, count, [&](Runtime& runtime, DeviceState&, Work& work) {
    return copied_graph_work(runtime, child, *runtime.graph(graph), work);
  });
}
VGPU_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return read_work<GraphWork>(node, graph,
                              [](Runtime&, Node&, const GraphWork& work) { return handle_of(work.graph.get()); });
}

VGPU_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                                 size_t count, cudaEvent_t event) {
  return add_node(node, graph, after, count,
                  [&](Runtime& runtime, DeviceState&, Work& work) { return record_work(runtime, event, work); });
}
VGPU_API cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return read_work<EventRecordWork>(node, event,
                                    [](Runtime&, Node&, const EventRecordWork& work) { return work.event; });
}
VGPU_API cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_work(node, [&](Runtime& runtime, DeviceState&, Work& work) { return record_work(runtime, event, work); });
}
VGPU_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                               size_t count, cudaEvent_t event) {
  return add_node(node, graph, after, count,
                  [&](Runtime& runtime, DeviceState&, Work& work) { return wait_work(runtime, event, work); });
}
VGPU_API cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return read_work<EventWaitWork>(node, event, [](Runtime&, Node&, const EventWaitWork& work) { return work.event; });
}
VGPU_API cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_work(node, [&](Runtime& runtime, DeviceState&, Work& work) { return wait_work(runtime, event, work); });
}
