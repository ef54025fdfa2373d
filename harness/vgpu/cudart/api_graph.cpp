// Graphs: making them, their edges, and what is in them.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "harness/vgpu/cudart/extensions.h"
#include "harness/vgpu/cudart/graph_calls.h"
#include "harness/vgpu/cudart/node_work.h"
#include "harness/vgpu/machine/symbol_names.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

/// Edges as two lists of nodes of one graph.
cudaError_t for_each_edge(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count,
                          cudaError_t (*change)(Node& from, Node& to)) {
  return graph_call(handle, [&](Runtime&, DeviceState&, Graph& graph) -> cudaError_t {
    if (count != 0 && (from == nullptr || to == nullptr)) return cudaErrorInvalidValue;
    for (size_t n = 0; n < count; ++n) {
      auto* const first = reinterpret_cast<Node*>(from[n]);
      auto* const second = reinterpret_cast<Node*>(to[n]);
      if (!graph.owns(first) || !graph.owns(second)) return cudaErrorInvalidValue;
      const cudaError_t error = change(*first, *second);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

/// Whether a stream is captured into a graph, or into one inside of it.
bool is_captured_into(const Runtime& runtime, Graph& graph) {
  return std::any_of(runtime.captures.begin(), runtime.captures.end(), [&](const auto& capture) {
    return graph.find([&](const Graph& g) { return &g == capture->graph; }) != nullptr;
  });
}

/// Edges have no data of their own here: all of them are plain.
void plain(cudaGraphEdgeData* data, size_t count) {
  if (data != nullptr) std::memset(data, 0, count * sizeof *data);
}

cudaError_t neighbours(cudaGraphNode_t handle, std::vector<Node*> Node::*which, cudaGraphNode_t* nodes,
                       cudaGraphEdgeData* data, size_t* count) {
  return node_call(handle, [&](Runtime&, DeviceState&, Node& node) -> cudaError_t {
    const cudaError_t error = hand_out(node.*which, nodes, count);
    if (error == cudaSuccess && nodes != nullptr) plain(data, *count);
    return error;
  });
}

}  // namespace

VGPU_API cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return device_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
    *graph = handle_of(&runtime.keep(std::make_unique<Graph>()));
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return device_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    Graph* const graph = runtime.graph(handle);
    if (graph == nullptr || is_captured_into(runtime, *graph)) return cudaErrorInvalidValue;
    return runtime.destroy_graph(handle) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

VGPU_API cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return graph_call(original, [&](Runtime& runtime, DeviceState&, const Graph& graph) -> cudaError_t {
    if (clone == nullptr) return cudaErrorInvalidValue;
    if (refuse_clone(runtime, graph)) return cudaErrorNotSupported;
    if (graph.size() > Graph::kMostNodes) return cudaErrorMemoryAllocation;
    *clone = handle_of(&runtime.keep(graph.clone()));
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  return graph_call(clone, [&](Runtime&, DeviceState&, Graph& graph) -> cudaError_t {
    const auto* const wanted = reinterpret_cast<const Node*>(original);
    Graph* const place = graph.find([&](const Graph& g) { return g.copy_of(wanted) != nullptr; });
    if (node == nullptr || place == nullptr) return cudaErrorInvalidValue;
    *node = handle_of(place->copy_of(wanted));
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return node_call(handle, [](Runtime& runtime, DeviceState&, Node& node) -> cudaError_t {
    if (is_captured_into(runtime, *node.graph)) return cudaErrorInvalidValue;
    if (node.graph->has_memory_nodes()) return cudaErrorNotSupported;
    for (const std::shared_ptr<Graph>& inner : inner_graphs(node.work)) runtime.is_about_to_go(*inner);
    node.graph->remove(node);
    runtime.forget_unused_of_graphs();
    return cudaSuccess;
  });
}

// --- edges ---

VGPU_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                              const cudaGraphEdgeData*, size_t count) {
  return for_each_edge(graph, from, to, count, [](Node& first, Node& second) {
    return Graph::add_edge(first, second) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
VGPU_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                 const cudaGraphNode_t* to, const cudaGraphEdgeData*, size_t count) {
  return for_each_edge(graph, from, to, count, [](Node& first, Node& second) {
    if (first.graph->has_memory_nodes()) return cudaErrorNotSupported;
    return Graph::remove_edge(first, second) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

VGPU_API cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                       cudaGraphEdgeData* data, size_t* count) {
  return graph_call(handle, [&](Runtime&, DeviceState&, const Graph& graph) -> cudaError_t {
    if (count == nullptr || (from == nullptr) != (to == nullptr)) return cudaErrorInvalidValue;
    std::vector<Node*> begins, ends;
    for (const std::unique_ptr<Node>& node : graph.nodes())
      for (Node* const later : node->before) {
        begins.push_back(node.get());
        ends.push_back(later);
      }
    size_t room = *count;
    const cudaError_t error = hand_out(begins, from, count);
    if (error != cudaSuccess || from == nullptr) return error;
    plain(data, *count);
    return hand_out(ends, to, &room);
  });
}

VGPU_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* data,
                                                  size_t* count) {
  return neighbours(node, &Node::after, nodes, data, count);
}
VGPU_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                    cudaGraphEdgeData* data, size_t* count) {
  return neighbours(node, &Node::before, nodes, data, count);
}

// --- nodes ---

VGPU_API cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return graph_call(handle, [&](Runtime&, DeviceState&, const Graph& graph) {
    std::vector<Node*> all;
    for (const std::unique_ptr<Node>& node : graph.nodes()) all.push_back(node.get());
    return hand_out(all, nodes, count);
  });
}

VGPU_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return graph_call(handle, [&](Runtime&, DeviceState&, const Graph& graph) {
    std::vector<Node*> roots;
    for (const std::unique_ptr<Node>& node : graph.nodes())
      if (node->after.empty()) roots.push_back(node.get());
    return hand_out(roots, nodes, count);
  });
}

VGPU_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
  return node_call(handle, [&](Runtime&, DeviceState&, const Node& node) -> cudaError_t {
    if (type == nullptr) return cudaErrorInvalidValue;
    *type = type_of(node.work);
    return cudaSuccess;
  });
}

VGPU_API size_t vgpuGraphText(cudaGraph_t handle, char* buffer, size_t capacity) {
  std::string text;
  graph_call(handle, [&](Runtime&, DeviceState&, const Graph& graph) {
    text = dot_text(graph, [](const KernelWork& work) { return readable_function_name(work.kernel->name); });
    return cudaSuccess;
  });
  if (text.size() <= capacity && buffer != nullptr) std::copy(text.begin(), text.end(), buffer);
  return text.size();
}
VGPU_API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
  return graph_call(handle, [&](Runtime&, DeviceState&, const Graph&) -> cudaError_t {
    if (path == nullptr) return cudaErrorInvalidValue;
    std::string text(vgpuGraphText(handle, nullptr, 0), '\0');
    vgpuGraphText(handle, text.data(), text.size());
    std::ofstream file(path);
    file << text;
    file.flush();
    return file.good() ? cudaSuccess : cudaErrorOperatingSystem;
  });
}
