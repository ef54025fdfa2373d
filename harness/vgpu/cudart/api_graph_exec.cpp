// Executable graphs: made from graphs, launched, and changed without being made anew.
#include "harness/vgpu/cudart/graph_calls.h"
#include "harness/vgpu/cudart/graph_launch.h"
#include "harness/vgpu/cudart/node_work.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

ExecutableGraph* find(Runtime& runtime, cudaGraphExec_t handle) {
  const auto found = runtime.executable_graphs.find(handle);
  return found == runtime.executable_graphs.end() ? nullptr : found->second.get();
}

/// Its node that stands for one of the graph it was made from; null if there is none.
Node* twin(const ExecutableGraph& executable, cudaGraphNode_t handle) {
  const auto* const original = reinterpret_cast<const Node*>(handle);
  Graph* const place = executable.graph->find([&](const Graph& g) { return g.copy_of(original) != nullptr; });
  return place != nullptr ? place->copy_of(original) : nullptr;
}

template <class Body>
cudaError_t executable_call(cudaGraphExec_t handle, Body body) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    ExecutableGraph* const executable = find(runtime, handle);
    return executable != nullptr ? body(runtime, device, *executable) : cudaErrorInvalidValue;
  });
}

/// Whether a copy's side is memory that only host code reaches, or an array: devices do not copy these by themselves.
bool is_the_hosts(const Runtime& runtime, const DeviceState& device, const cudaPitchedPtr& side, cudaArray_t array) {
  const std::uint64_t address = address_of(side.ptr);
  return array != nullptr || (runtime.devices.memory_holding(address) == nullptr &&
                              !device.memory->is_pinned_host(address, 1, AddressSpace::Reach::kCopies));
}

/// Whether a node with this work may be in the body of a conditional node, whatever is inside of it. Kernels must be
/// the device's.
bool is_fit_for_body(const Runtime& runtime, const DeviceState& device, const Work& work) {
  if (const auto* const kernel = std::get_if<KernelWork>(&work)) return kernel->device == device.number;
  if (const auto* const copy = std::get_if<CopyWork>(&work)) {
    const cudaMemcpy3DParms& p = copy->parameters;
    return !is_the_hosts(runtime, device, p.srcPtr, p.srcArray) && !is_the_hosts(runtime, device, p.dstPtr, p.dstArray);
  }
  return std::holds_alternative<FillWork>(work) || std::holds_alternative<EmptyWork>(work) ||
         !inner_graphs(work).empty();
}

/// A node, at whatever depth, that must not be in the body of a conditional node; null if there is none.
const Node* unfit_for_body(const Runtime& runtime, const DeviceState& device, const Graph& body) {
  for (const std::unique_ptr<Node>& node : body.nodes()) {
    if (!is_fit_for_body(runtime, device, node->work)) return node.get();
    for (const std::shared_ptr<Graph>& inner : inner_graphs(node->work))
      if (const Node* const unfit = unfit_for_body(runtime, device, *inner)) return unfit;
  }
  return nullptr;
}

/// The first such node in the bodies of a graph.
const Node* unfit_node(const Runtime& runtime, const DeviceState& device, const Graph& graph) {
  for (const std::unique_ptr<Node>& node : graph.nodes()) {
    const bool is_conditional = std::holds_alternative<ConditionalWork>(node->work);
    for (const std::shared_ptr<Graph>& inner : inner_graphs(node->work))
      if (const Node* const unfit =
              is_conditional ? unfit_for_body(runtime, device, *inner) : unfit_node(runtime, device, *inner))
        return unfit;
  }
  return nullptr;
}

/// Whether a node is in the body of a conditional node of the graph, at whatever depth.
bool is_in_body(const Graph& graph, const Node& wanted, bool is_body = false) {
  if (graph.owns(&wanted)) return is_body;
  for (const std::unique_ptr<Node>& node : graph.nodes()) {
    const bool is_conditional = std::holds_alternative<ConditionalWork>(node->work);
    for (const std::shared_ptr<Graph>& inner : inner_graphs(node->work))
      if (is_in_body(*inner, wanted, is_body || is_conditional)) return true;
  }
  return false;
}

/// Gives a node of an executable graph other work; `make(runtime, device, work)` says which.
template <class Make>
cudaError_t set_work(cudaGraphExec_t handle, cudaGraphNode_t node, Make make) {
  return executable_call(
      handle, [&](Runtime& runtime, DeviceState& device, ExecutableGraph& executable) -> cudaError_t {
        Node* const own = twin(executable, node);
        Work work;
        const cudaError_t error = own != nullptr ? make(runtime, device, work) : cudaErrorInvalidValue;
        if (error != cudaSuccess) return error;
        const auto* const next = std::get_if<KernelWork>(&work);
        const auto* const now = std::get_if<KernelWork>(&own->work);
        if (next != nullptr && now != nullptr && next->device != now->device) return cudaErrorInvalidValue;
        if (is_in_body(*executable.graph, *own)) {
          bool fits = is_fit_for_body(runtime, device, work);
          for (const std::shared_ptr<Graph>& inner : inner_graphs(work))
            fits &= unfit_for_body(runtime, device, *inner) == nullptr;
          if (!fits) return cudaErrorInvalidValue;
        }
        return replace_work(runtime, *own, std::move(work));
      });
}

template <class Parameters>
cudaError_t set_work_with(cudaGraphExec_t handle, cudaGraphNode_t node, const Parameters* p) {
  return set_work(handle, node, [&](Runtime& runtime, DeviceState& device, Work& work) {
    return p != nullptr ? work_from(runtime, device, *p, work) : cudaErrorInvalidValue;
  });
}

/// A node that lies on a circle, or on the way out of one.
const Node* entangled(const Graph& graph) {
  std::map<const Node*, std::size_t> missing;
  std::vector<const Node*> ready;
  for (const std::unique_ptr<Node>& node : graph.nodes())
    if ((missing[node.get()] = node->after.size()) == 0) ready.push_back(node.get());
  while (!ready.empty()) {
    const Node* const node = ready.back();
    ready.pop_back();
    for (const Node* const later : node->before)
      if (--missing[later] == 0) ready.push_back(later);
  }
  for (const std::unique_ptr<Node>& node : graph.nodes())
    if (missing[node.get()] != 0) return node.get();
  return nullptr;
}

/// What keeps memory and conditional nodes from being instantiated; success, without a note, if nothing does.
cudaError_t check_unique(Runtime& runtime, const DeviceState& device, Graph& graph, cudaGraphInstantiateParams& p) {
  const auto refuse = [&](const char* sentence, const char* advice, cudaError_t error = cudaErrorInvalidValue) {
    runtime.note("invalid argument", sentence, advice);
    return error;
  };
  if (graph.is_part)
    return refuse("a graph was instantiated that is the body of a conditional node, or was moved into a child node",
                  "Instantiate the graph that the node is in.", cudaErrorNotSupported);
  for (const auto& [handle, executable] : runtime.executable_graphs)
    if (executable->made_from == &graph && graph.is_unique())
      return refuse("a graph with allocations or conditional nodes was instantiated twice",
                    "Destroy its executable graph first, with cudaGraphExecDestroy.", cudaErrorNotSupported);
  for (const auto& [handle, condition] : runtime.conditions)
    if (!condition->has_node &&
        graph.find([&known = condition->graph](const Graph& g) { return &g == known; }) != nullptr) {
      p.result_out = cudaGraphInstantiateConditionalHandleUnused;
      return refuse("a graph was instantiated for which a conditional handle was created that no node has", "");
    }
  if (const Node* const unfit = unfit_node(runtime, device, graph)) {
    p.errNode_out = handle_of(unfit);
    p.result_out = cudaGraphInstantiateInvalidStructure;
    return refuse(
        "the body of a conditional node holds what it must not: only kernels of one device, copies and memsets of "
        "device and pinned memory, empty nodes, child graphs and conditional nodes may be in it",
        "Move the node out of the body. For copies, pin the host's memory with cudaMallocHost.");
  }
  return cudaSuccess;
}

cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t handle, cudaGraphInstantiateParams& p) {
  p.errNode_out = nullptr;
  p.result_out = cudaGraphInstantiateError;
  return graph_call(handle, [&](Runtime& runtime, DeviceState& device, Graph& graph) -> cudaError_t {
    constexpr unsigned long long kKnown = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                                          cudaGraphInstantiateFlagDeviceLaunch |
                                          cudaGraphInstantiateFlagUseNodePriority;
    if (executable == nullptr || (p.flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    if ((p.flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) {
      runtime.note("not available", "graphs that kernels launch are not available on the virtual GPU", "");
      return cudaErrorNotSupported;
    }
    if (Graph* const knotted = graph.find([](const Graph& g) { return entangled(g) != nullptr; })) {
      runtime.note("invalid argument", "a graph was instantiated in which nodes depend on each other in a circle", "");
      p.errNode_out = handle_of(entangled(*knotted));
      p.result_out = cudaGraphInstantiateInvalidStructure;
      return cudaErrorInvalidValue;
    }
    const cudaError_t error = check_unique(runtime, device, graph, p);
    if (error != cudaSuccess) return error;
    if (graph.size() > Graph::kMostNodes) return cudaErrorMemoryAllocation;
    auto made = std::make_unique<ExecutableGraph>();
    made->graph = graph.clone();
    made->made_from = &graph;
    made->flags = p.flags;
    device.timeline.takes(Busy::kAllocating, instantiation_time(device.profile, graph.node_count()),
                          {"graph instantiation"});
    *executable = reinterpret_cast<cudaGraphExec_t>(made.get());
    runtime.executable_graphs[*executable] = std::move(made);
    p.result_out = cudaGraphInstantiateSuccess;
    return cudaSuccess;
  });
}

/// The settings of `next`, node by node; the two are of one shape.
void take_over(Graph& now, const Graph& next) {
  for (std::size_t n = 0; n < now.nodes().size(); ++n) {
    Node& node = *now.nodes()[n];
    const Work& work = next.nodes()[n]->work;
    const std::vector<std::shared_ptr<Graph>> inner = inner_graphs(work), own = inner_graphs(node.work);
    for (std::size_t i = 0; i < inner.size(); ++i) take_over(*own[i], *inner[i]);
    if (auto* const conditional = std::get_if<ConditionalWork>(&node.work))
      conditional->condition = std::get<ConditionalWork>(work).condition;
    else if (inner.empty())
      node.work = work;
  }
}

/// A kernel node whose kernel would move to another device; null if none would.
Node* moved_kernel(const Graph& now, const Graph& next) {
  for (std::size_t n = 0; n < now.nodes().size(); ++n) {
    const auto* const before = std::get_if<KernelWork>(&now.nodes()[n]->work);
    const auto* const after = std::get_if<KernelWork>(&next.nodes()[n]->work);
    if (before != nullptr && after != nullptr && before->device != after->device) return next.nodes()[n].get();
  }
  return nullptr;
}

}  // namespace

VGPU_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  cudaGraphInstantiateParams p{};
  p.flags = flags;
  return instantiate(executable, graph, p);
}
VGPU_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                                   unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}
VGPU_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                                    cudaGraphInstantiateParams* p) {
  if (p == nullptr) return call([](Runtime&) { return cudaErrorInvalidValue; });
  return instantiate(executable, graph, *p);
}
VGPU_API cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t* executable, cudaGraph_t graph,
                                                         cudaGraphInstantiateParams* p) {
  return cudaGraphInstantiateWithParams(executable, graph, p);
}
VGPU_API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long* flags) {
  return executable_call(handle, [&](Runtime&, DeviceState&, const ExecutableGraph& executable) -> cudaError_t {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = executable.flags;
    return cudaSuccess;
  });
}
/// What has been launched keeps what it needs, and goes on; but user objects are kept by the graph.
VGPU_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return executable_call(handle, [&](Runtime& runtime, DeviceState&, const ExecutableGraph& executable) {
    if (!executable.graph->kept.empty()) runtime.devices.finish_all();
    runtime.executable_graphs.erase(handle);
    runtime.forget_unused_of_graphs();
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) -> cudaError_t {
    ExecutableGraph* const executable = find(runtime, handle);
    if (executable == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t refused = refuse_if_captured(state); refused != cudaSuccess) return refused;
    // Launches of one executable graph follow each other, whatever their streams.
    if (executable->last_launch && !executable->last_launch->done) state.awaits.push_back(executable->last_launch);
    const bool frees = (executable->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    const cudaError_t error = launch_graph(runtime, device, state, *executable->graph, frees);
    executable->last_launch = state.last;
    return error;
  });
}
VGPU_API cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t handle, cudaStream_t stream) {
  return cudaGraphLaunch(handle, stream == nullptr ? cudaStreamPerThread : stream);
}
/// There is nothing that would have to be brought to the device first.
VGPU_API cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState&, StreamState&) {
    return find(runtime, handle) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}
VGPU_API cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t handle, cudaStream_t stream) {
  return cudaGraphUpload(handle, stream == nullptr ? cudaStreamPerThread : stream);
}

// --- changes ---

VGPU_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph,
                                         cudaGraphExecUpdateResultInfo* info) {
  return executable_call(handle,
                         [&](Runtime& runtime, DeviceState& device, ExecutableGraph& executable) -> cudaError_t {
                           const Graph* const next = runtime.graph(graph);
                           if (next == nullptr || info == nullptr || next->is_part) return cudaErrorInvalidValue;
                           Difference found = difference(*executable.graph, *next);
                           if (found.result == cudaGraphExecUpdateSuccess) {
                             Node* const moved = moved_kernel(*executable.graph, *next);
                             const Node* const unfit = unfit_node(runtime, device, *next);
                             if (moved != nullptr)
                               found = {cudaGraphExecUpdateErrorUnsupportedFunctionChange, moved, nullptr};
                             if (unfit != nullptr)
                               found = {cudaGraphExecUpdateErrorNotSupported, const_cast<Node*>(unfit), nullptr};
                           }
                           info->result = found.result;
                           info->errorNode = handle_of(found.node);
                           info->errorFromNode = handle_of(found.from);
                           if (found.result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
                           take_over(*executable.graph, *next);
                           return cudaSuccess;
                         });
}

VGPU_API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                cudaGraphNodeParams* p) {
  return set_work_with(executable, node, p);
}
VGPU_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                      const cudaKernelNodeParams* p) {
  return set_work_with(executable, node, p);
}
VGPU_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                      const cudaMemcpy3DParms* p) {
  return set_work_with(executable, node, p);
}
VGPU_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                                        const void* from, size_t bytes, cudaMemcpyKind kind) {
  const cudaMemcpy3DParms p = row_copy(to, from, bytes, kind);
  return set_work_with(executable, node, &p);
}
VGPU_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                              const void* symbol, const void* from, size_t bytes,
                                                              size_t offset, cudaMemcpyKind kind) {
  return set_work(executable, node, [&](Runtime& runtime, DeviceState& device, Work& work) {
    void* own = nullptr;
    const cudaError_t error = find_symbol(runtime, device, symbol, offset, bytes, own);
    return own != nullptr ? work_from(runtime, device, row_copy(own, from, bytes, kind), work) : error;
  });
}
VGPU_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                                void* to, const void* symbol, size_t bytes,
                                                                size_t offset, cudaMemcpyKind kind) {
  return set_work(executable, node, [&](Runtime& runtime, DeviceState& device, Work& work) {
    void* own = nullptr;
    const cudaError_t error = find_symbol(runtime, device, symbol, offset, bytes, own);
    return own != nullptr ? work_from(runtime, device, row_copy(to, own, bytes, kind), work) : error;
  });
}
VGPU_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                      const cudaMemsetParams* p) {
  return set_work_with(executable, node, p);
}
VGPU_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                    const cudaHostNodeParams* p) {
  return set_work_with(executable, node, p);
}
VGPU_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                          cudaEvent_t event) {
  return set_work(executable, node,
                  [&](Runtime& runtime, DeviceState&, Work& work) { return record_work(runtime, event, work); });
}
VGPU_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                        cudaEvent_t event) {
  return set_work(executable, node,
                  [&](Runtime& runtime, DeviceState&, Work& work) { return wait_work(runtime, event, work); });
}
VGPU_API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t handle, cudaGraphNode_t node,
                                                          cudaGraph_t graph) {
  return executable_call(
      handle, [&](Runtime& runtime, DeviceState& device, const ExecutableGraph& executable) -> cudaError_t {
        Node* const own = twin(executable, node);
        auto* const inner = own != nullptr ? std::get_if<GraphWork>(&own->work) : nullptr;
        const Graph* const next = runtime.graph(graph);
        const bool fits = inner != nullptr && next != nullptr &&
                          difference(*inner->graph, *next).result == cudaGraphExecUpdateSuccess;
        if (!fits || (is_in_body(*executable.graph, *own) && unfit_for_body(runtime, device, *next) != nullptr))
          return cudaErrorInvalidValue;
        take_over(*inner->graph, *next);
        return cudaSuccess;
      });
}

namespace {

/// Kernels, copies and fills can be left out; null for the rest.
Node* switchable(const ExecutableGraph& executable, cudaGraphNode_t handle) {
  Node* const own = twin(executable, handle);
  const bool may =
      own != nullptr && (std::holds_alternative<KernelWork>(own->work) || std::holds_alternative<CopyWork>(own->work) ||
                         std::holds_alternative<FillWork>(own->work));
  return may ? own : nullptr;
}

}  // namespace

VGPU_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t handle, cudaGraphNode_t node, unsigned enabled) {
  return executable_call(handle, [&](Runtime&, DeviceState&, const ExecutableGraph& executable) -> cudaError_t {
    Node* const own = switchable(executable, node);
    if (own == nullptr) return cudaErrorInvalidValue;
    own->enabled = enabled != 0;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t handle, cudaGraphNode_t node, unsigned* enabled) {
  return executable_call(handle, [&](Runtime&, DeviceState&, const ExecutableGraph& executable) -> cudaError_t {
    const Node* const own = switchable(executable, node);
    if (own == nullptr || enabled == nullptr) return cudaErrorInvalidValue;
    *enabled = own->enabled ? 1 : 0;
    return cudaSuccess;
  });
}
