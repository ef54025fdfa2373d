// Conditional nodes: the handles that kernels set, and the graphs that are done or not.
#include "harness/vgpu/cudart/extensions.h"
#include "harness/vgpu/cudart/graph_calls.h"
#include "harness/vgpu/cudart/node_work.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

/// Handles look like addresses where nothing is.
constexpr std::uint64_t kHandles = 0x1000, kHandleStep = 16;

/// Of one SWITCH node: each takes memory.
constexpr unsigned kMostBodies = 4096;

bool is_size_of(cudaGraphConditionalNodeType type, unsigned size) {
  switch (type) {
    case cudaGraphCondTypeIf:
      return size == 1 || size == 2;
    case cudaGraphCondTypeWhile:
      return size == 1;
    case cudaGraphCondTypeSwitch:
      return size > 0;
  }
  return false;
}

}  // namespace

cudaError_t vgpu::cudart::conditional_work(Runtime& runtime, const Graph& graph, const cudaConditionalNodeParams& p,
                                           Work& work) {
  const auto found = runtime.conditions.find(p.handle);
  if (found == runtime.conditions.end() || !is_size_of(p.type, p.size)) return cudaErrorInvalidValue;
  Condition& condition = *found->second;
  Graph* const place = condition.graph != nullptr ? runtime.graph(handle_of(condition.graph)) : nullptr;
  const bool is_above = place != nullptr && place->find([&](const Graph& g) { return &g == &graph; }) != nullptr;
  if (!is_above || condition.has_node) {
    runtime.note("invalid argument",
                 is_above ? "a conditional node was given the handle of another one"
                          : "a conditional node was given a handle that was created for another graph",
                 "Create a handle for each conditional node, with the graph that the node is added to.");
    return cudaErrorInvalidValue;
  }
  if (p.size > kMostBodies) {
    runtime.note("not available",
                 "a conditional node was to have " + std::to_string(p.size) +
                     " bodies; on the virtual GPU it can have " + std::to_string(kMostBodies),
                 "");
    return cudaErrorNotSupported;
  }
  if (refuse_depth(runtime, graph, 1)) return cudaErrorNotSupported;
  ConditionalWork made{found->second, p.type, {}, {}};
  for (unsigned n = 0; n < p.size; ++n) {
    made.bodies.push_back(std::make_shared<Graph>());
    made.bodies.back()->is_part = true;
    made.handles.push_back(handle_of(made.bodies.back().get()));
  }
  condition.has_node = true;
  work = std::move(made);
  return cudaSuccess;
}

VGPU_API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                                      unsigned initial, unsigned flags) {
  return graph_call(graph, [&](Runtime& runtime, DeviceState&, const Graph& own) -> cudaError_t {
    if (handle == nullptr || (flags & ~unsigned{cudaGraphCondAssignDefault}) != 0) return cudaErrorInvalidValue;
    auto made = std::make_shared<Condition>();
    made->graph = &own;
    made->initial = initial;
    made->has_initial = flags == cudaGraphCondAssignDefault;
    *handle = kHandles + kHandleStep * ++runtime.conditions_made;
    runtime.conditions[*handle] = std::move(made);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t vgpuGraphBody(cudaGraphNode_t handle, unsigned index, cudaGraph_t* body) {
  return node_call(handle, [&](Runtime&, DeviceState&, const Node& node) -> cudaError_t {
    const auto* const work = std::get_if<ConditionalWork>(&node.work);
    if (work == nullptr || body == nullptr || index >= work->handles.size()) return cudaErrorInvalidValue;
    *body = work->handles[index];
    return cudaSuccess;
  });
}
