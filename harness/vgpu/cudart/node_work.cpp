#include "harness/vgpu/cudart/node_work.h"

#include <algorithm>

#include "harness/vgpu/cudart/graph_launch.h"
#include "harness/vgpu/cudart/kernel_launch.h"

namespace vgpu::cudart {
namespace {

bool is_event(const Runtime& runtime, cudaEvent_t event) { return runtime.events.count(event) != 0; }

}  // namespace

cudaError_t work_from(Runtime& runtime, DeviceState& device, const cudaKernelNodeParams& p, Work& work) {
  KernelHandle* const handle = p.func != nullptr ? runtime.kernel(p.func) : nullptr;
  if (handle == nullptr) return cudaErrorInvalidDeviceFunction;
  if (p.extra != nullptr) {
    runtime.note("not available", "a graph's kernel node passes its arguments as 'extra'",
                 "Pass them as kernelParams: one pointer per argument.");
    return cudaErrorNotSupported;
  }
  const LaunchShape shape{
      {p.gridDim.x, p.gridDim.y, p.gridDim.z}, {p.blockDim.x, p.blockDim.y, p.blockDim.z}, p.sharedMemBytes, false};
  KernelWork launch;
  const cudaError_t error = prepare_launch(runtime, device, *handle, shape, p.kernelParams, launch);
  launch.function = p.func;
  if (error == cudaSuccess) work = std::move(launch);
  return error;
}

cudaError_t work_from(Runtime& runtime, DeviceState& device, const cudaMemcpy3DParms& p, Work& work) {
  const cudaError_t error = check_copy(runtime, device, p);
  if (error == cudaSuccess) work = CopyWork{p};
  return error;
}

cudaError_t work_from(Runtime& runtime, DeviceState& device, const cudaMemsetParams& p, Work& work) {
  const bool fits = (p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4) && p.width != 0 && p.height != 0 &&
                    (p.height == 1 || p.pitch >= p.width * p.elementSize);
  if (!fits || !is_fillable(runtime, device, p)) return cudaErrorInvalidValue;
  work = FillWork{p};
  return cudaSuccess;
}

cudaError_t work_from(Runtime&, DeviceState&, const cudaHostNodeParams& p, Work& work) {
  if (p.fn == nullptr) return cudaErrorInvalidValue;
  work = HostWork{p.fn, p.userData};
  return cudaSuccess;
}

bool refuse_depth(Runtime& runtime, const Graph& into, unsigned levels) {
  if (into.has_room_for(levels)) return false;
  runtime.note("not available",
               "graphs were nested more than " + std::to_string(Graph::kMostLevels) +
                   " levels deep, which is not available on the virtual GPU",
               "");
  return true;
}

bool refuse_clone(Runtime& runtime, const Graph& graph) {
  if (!graph.is_unique()) return false;
  runtime.note("invalid argument",
               "a graph with memory or conditional nodes was to be cloned, or copied into a child node; such graphs "
               "cannot be",
               "Add its nodes to the other graph itself.");
  return true;
}

cudaError_t work_from(Runtime& runtime, cudaGraph_t handle, Work& work) {
  const Graph* const graph = runtime.graph(handle);
  if (graph == nullptr) return cudaErrorInvalidValue;
  if (graph->is_part || refuse_clone(runtime, *graph)) return cudaErrorNotSupported;
  if (graph->size() > Graph::kMostNodes) return cudaErrorMemoryAllocation;
  work = GraphWork{graph->clone()};
  return cudaSuccess;
}

cudaError_t moved_graph_work(Runtime& runtime, cudaGraph_t handle, const Graph& into, Work& work) {
  const auto found = runtime.graphs.find(handle);
  if (found == runtime.graphs.end())
    return runtime.graph(handle) != nullptr ? cudaErrorNotSupported : cudaErrorInvalidValue;  // a part of another one
  Graph& graph = *found->second;
  const bool is_circle = graph.find([&](const Graph& g) { return &g == &into; }) != nullptr;
  const bool is_captured_into =
      std::any_of(runtime.captures.begin(), runtime.captures.end(), [&](const auto& c) { return c->graph == &graph; });
  if (is_circle || is_captured_into || graph.has<ConditionalWork>()) return cudaErrorInvalidValue;
  if (refuse_depth(runtime, into, graph.levels())) return cudaErrorNotSupported;
  graph.is_part = true;
  work = GraphWork{std::move(found->second)};
  runtime.graphs.erase(found);
  return cudaSuccess;
}

cudaError_t record_work(Runtime& runtime, cudaEvent_t event, Work& work) {
  if (!is_event(runtime, event)) return cudaErrorInvalidResourceHandle;
  work = EventRecordWork{event};
  return cudaSuccess;
}

cudaError_t wait_work(Runtime& runtime, cudaEvent_t event, Work& work) {
  if (!is_event(runtime, event)) return cudaErrorInvalidResourceHandle;
  work = EventWaitWork{event};
  return cudaSuccess;
}

cudaError_t work_from(Runtime& runtime, DeviceState& device, const cudaGraphNodeParams& p, Work& work) {
  switch (p.type) {
    case cudaGraphNodeTypeKernel: {
      const auto& k = p.kernel;
      const cudaKernelNodeParams params{k.func, k.gridDim, k.blockDim, k.sharedMemBytes, k.kernelParams, k.extra};
      return work_from(runtime, device, params, work);
    }
    case cudaGraphNodeTypeMemcpy:
      return work_from(runtime, device, p.memcpy.copyParams, work);
    case cudaGraphNodeTypeMemset: {
      const auto& m = p.memset;
      return work_from(runtime, device, cudaMemsetParams{m.dst, m.pitch, m.value, m.elementSize, m.width, m.height},
                       work);
    }
    case cudaGraphNodeTypeHost:
      return work_from(runtime, device, cudaHostNodeParams{p.host.fn, p.host.userData}, work);
    case cudaGraphNodeTypeGraph:
      // Only a new node can have a graph moved into it.
      if (p.graph.ownership != cudaGraphChildGraphOwnershipClone) return cudaErrorInvalidValue;
      return work_from(runtime, p.graph.graph, work);
    case cudaGraphNodeTypeEmpty:
      work = EmptyWork{};
      return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
      return wait_work(runtime, p.eventWait.event, work);
    case cudaGraphNodeTypeEventRecord:
      return record_work(runtime, p.eventRecord.event, work);
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
    case cudaGraphNodeTypeConditional:
      return cudaErrorNotSupported;  // only new nodes have these parameters
    default:
      runtime.note("not available",
                   "a graph was given a node of type " + std::to_string(static_cast<int>(p.type)) +
                       " (semaphore nodes are not available)",
                   "");
      return cudaErrorNotSupported;
  }
}

cudaMemcpy3DParms row_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms p{};
  p.srcPtr = {const_cast<void*>(from), bytes, bytes, 1};
  p.dstPtr = {to, bytes, bytes, 1};
  p.extent = {bytes, 1, 1};
  p.kind = kind;
  return p;
}

cudaKernelNodeParams kernel_parameters(Runtime& runtime, Node& node) {
  auto& work = std::get<KernelWork>(node.work);
  cudaKernelNodeParams p{};
  p.func = work.function;
  p.gridDim = {work.shape.grid.x, work.shape.grid.y, work.shape.grid.z};
  p.blockDim = {work.shape.block.x, work.shape.block.y, work.shape.block.z};
  p.sharedMemBytes = work.shape.dynamic_shared;
  cudaError_t error = cudaSuccess;
  DeviceState* const device = runtime.devices.get(work.device, error);
  const Kernel* const kernel = device != nullptr ? prepare_kernel(runtime, *device, *work.kernel, error) : nullptr;
  node.argument_pointers.clear();
  if (kernel != nullptr)
    for (const ptx::Parameter& parameter : kernel->function().parameters)
      node.argument_pointers.push_back(work.parameters.data() + parameter.offset);
  p.kernelParams = node.argument_pointers.data();
  return p;
}

cudaError_t set_cluster(Runtime& runtime, KernelWork& work, const Extent3& cluster) {
  cudaError_t error = cudaSuccess;
  DeviceState* const device = runtime.devices.get(work.device, error);
  if (device == nullptr) return error;
  KernelWork asked = work;
  asked.shape.has_cluster = true;
  asked.shape.cluster = cluster;
  error = prepare_device_launch(runtime, *device, *work.kernel, asked.shape, asked);
  if (error == cudaSuccess) work.shape = asked.shape;
  return error;
}

cudaError_t replace_work(Runtime& runtime, Node& node, Work work) {
  if (node.work.index() != work.index()) return cudaErrorInvalidValue;
  if (auto* const child = std::get_if<GraphWork>(&work)) {
    Graph& old = *std::get<GraphWork>(node.work).graph;
    const bool is_captured_into = std::any_of(
        runtime.captures.begin(), runtime.captures.end(),
        [&](const auto& capture) { return old.find([&](const Graph& g) { return &g == capture->graph; }) != nullptr; });
    if (is_captured_into) return cudaErrorInvalidValue;
    if (old.is_part || old.has_memory_nodes()) return cudaErrorNotSupported;
    if (refuse_depth(runtime, *node.graph, child->graph->levels())) return cudaErrorNotSupported;
    child->graph->outer = node.graph;
    runtime.is_about_to_go(old);
  }
  if (auto* const launch = std::get_if<KernelWork>(&work)) {
    const auto& before = std::get<KernelWork>(node.work);
    launch->shape.cooperative = before.shape.cooperative;
    launch->priority = before.priority;
    if (before.shape.has_cluster) {
      const cudaError_t error = set_cluster(runtime, *launch, before.shape.cluster);
      if (error != cudaSuccess) return error;
    }
  }
  node.work = std::move(work);
  runtime.forget_unused_of_graphs();
  return cudaSuccess;
}

}  // namespace vgpu::cudart
